"""What the redacted view shows, and what it never shows."""

from __future__ import annotations

import hmac
import re
from hashlib import sha256

import pytest

from assay.errors import InputError
from assay.redaction.redactor import (
    CLASSES,
    LIMIT,
    PatternClass,
    Redactor,
    redact,
    redact_with_mapping,
)

REDACTOR = Redactor()
SURROGATE = re.compile(r"\[([A-Z_]+)_([0-9a-f]{10})\]")


def classes(text: str, redactor: Redactor = REDACTOR) -> list[tuple[str, str]]:
    """(class, value) of each finding, in order."""
    return [(s.cls, text[s.start : s.stop]) for s in redactor.redact(text).spans]


def shape(text: str) -> str:
    """The redacted text with the hash of each surrogate left out."""
    return SURROGATE.sub(r"[\1]", REDACTOR.redact(text).text)


@pytest.mark.clause("002-D1", "002-D4")
def test_a_surrogate_is_the_class_and_ten_hex_digits_of_the_value():
    """Without a key anyone can check a guess; the value itself cannot be read back."""
    value = "jane@example.com"
    expected = f"[EMAIL_{sha256(value.encode()).hexdigest()[:10]}]"

    assert f"Write to {expected}, please." == REDACTOR.redact(f"Write to {value}, please.").text


def test_with_a_key_the_surrogate_is_an_hmac_under_the_keys_bytes():
    """A keyed surrogate cannot be guessed by whoever lacks the key."""
    value, key = "+49 30 1234567", "gähn"
    name = hmac.new(key.encode(), value.encode(), sha256).hexdigest()[:10]

    assert f"[PHONE_{name}]" == Redactor(key).redact(value).text
    assert Redactor(key).keyed
    assert not Redactor("").keyed


@pytest.mark.clause("002-D3")
def test_equal_values_get_equal_surrogates_wherever_they_stand():
    """Two prompts that name the same person can be told to do so."""
    one = REDACTOR.redact("Name: Jane Roe")
    other = REDACTOR.redact("Dear Jane Roe,\nwe thank you.")

    assert set(one.map) == set(other.map)


@pytest.mark.clause("002-D2")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("jane@example.com", ("EMAIL", "jane@example.com")),
        ("DE89 3704 0044 0532 0130 00", ("ID_CODE", "DE89 3704 0044 0532 0130 00")),
        ("4111 1111 1111 1111", ("ID_CODE", "4111 1111 1111 1111")),
        ("+49 30 1234567", ("PHONE", "+49 30 1234567")),
        ("order 123456", ("NUMBER", "123456")),
        ("12 Main Street", ("ADDRESS_LINE", "12 Main Street")),
        ("Dear Jane Roe,", ("SIMPLE_NAME", "Jane Roe")),
    ],
)
def test_each_class_is_found(text, found):
    """The six classes of the specification, each by its plainest example."""
    assert [found] == classes(text)


@pytest.mark.clause("002-D6")
def test_earlier_rules_win_on_overlap():
    """An account number that is also digits in a row is one identifier, nothing more."""
    assert [("ID_CODE", "DE89370400440532013000")] == classes("DE89370400440532013000")
    assert [("EMAIL", "030123456@example.com")] == classes("030123456@example.com")


def test_five_digits_are_no_number():
    """NUMBER begins with six digits in a row."""
    assert [] == classes("12345")
    assert [("NUMBER", "123456")] == classes("A-123456.7")


def test_several_addresses_keep_the_spaces_between_them():
    """Three addresses in a row are three surrogates, not one and not two."""
    text = "first@example.com second@example.org third@example.net"
    view = REDACTOR.redact(text)

    assert "[EMAIL] [EMAIL] [EMAIL]" == SURROGATE.sub(r"[\1]", view.text)
    assert 3 == len(view.map)
    assert {"EMAIL": 3} == view.counts


def test_spans_refer_to_the_source_and_leave_no_remnant():
    """Offsets are measured in what came in, also where an earlier value was longer."""
    text = "My name is Jane Roe, my email is jane@example.com, phone 555-867-0000"
    values = [text[s.start : s.stop] for s in REDACTOR.redact(text).spans]

    assert ["Jane Roe", "jane@example.com", "555-867-0000"] == values
    assert "My name is [SIMPLE_NAME], my email is [EMAIL], phone [PHONE]" == shape(text)


def test_an_identifier_is_taken_whole_or_not_at_all():
    """No telephone number is cut out of a UUID."""
    text = "Reference 7f0c1d22-b41e-4c3a-8046-2297501ef113 received"

    assert [("ID_CODE", "7f0c1d22-b41e-4c3a-8046-2297501ef113")] == classes(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ", ["ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ"]),
        ("ja\u200bne@exam\u00adple.com", ["ja\u200bne@exam\u00adple.com"]),
        ("tel ０３０\u00a0１２３４５６７", ["０３０\u00a0１２３４５６７"]),
        ("030\u20111234567", ["030\u20111234567"]),
        ("٠١٢٣٤٥٦٧٨", ["٠١٢٣٤٥٦٧٨"]),
        ("Dear \ufb01nn Roe and Jo\u0301hn Roe", []),
        ("Dear Jo\u0301hn Roe,", ["Jo\u0301hn Roe"]),
    ],
)
def test_disguises_are_seen_through_and_spans_lead_back(text, values):
    """Full-width forms, zero-width characters and other digits hide nothing."""
    assert values == [value for _, value in classes(text)]


def test_a_surrogate_in_the_text_is_left_alone_and_listed():
    """What was hidden before stays hidden as it was."""
    text = "From [EMAIL_0123456789] to jane@example.com"
    view = REDACTOR.redact(text)

    assert text[:24] == view.text[:24]
    assert "EMAIL" == view.map["[EMAIL_0123456789]"]
    assert {"EMAIL": 2} == view.counts
    assert ["jane@example.com"] == [text[s.start : s.stop] for s in view.spans]


def test_brackets_of_an_unknown_class_protect_nothing():
    """Text that only looks like a surrogate is text."""
    assert "[SECRET_[NUMBER]]" == shape("[SECRET_0123456789]")


@pytest.mark.clause("002-D5")
def test_long_text_is_cut_and_ends_with_an_ellipsis():
    """20,000 characters and the ellipsis; counts are those of the whole text."""
    view = REDACTOR.redact("a " * 10_100 + "jane@example.com")

    assert LIMIT + 1 == len(view.text)
    assert view.text.endswith("…")
    assert view.truncated
    assert {"EMAIL": 1} == view.counts


def test_a_cut_never_splits_a_surrogate():
    """It goes before the surrogate that it would split."""
    head = "a " * 9_995
    view = REDACTOR.redact(head + "jane@example.com and more text to come")

    assert head + "…" == view.text


def test_a_cut_uncovers_nothing_and_cutting_again_changes_nothing():
    """What was too long a code for a number is not taken for one at the edge."""
    view = REDACTOR.redact("a " * 9_994 + "x 12345" + "6" * 40 + " b" * 50)

    assert view.text == REDACTOR.redact(view.text).text


def test_a_text_of_exactly_the_limit_is_whole():
    """The limit itself is allowed."""
    view = REDACTOR.redact("a " * (LIMIT // 2))

    assert not view.truncated
    assert LIMIT == len(view.text)


def test_a_hidden_value_is_hidden_everywhere():
    """A name found after a greeting is hidden in mid sentence, also inside a longer word."""
    text = "Dear Jane Roe,\nthe car of Jane Roe (see Jane Roes letter)"

    assert "Dear [SIMPLE_NAME],\nthe car of [SIMPLE_NAME] (see [SIMPLE_NAME] letter)" == shape(text)


def test_a_hidden_value_is_hidden_also_where_a_mark_changes_its_last_letter():
    """The code points of the value are gone, whatever they are combined with."""
    left = SURROGATE.sub("", REDACTOR.redact("AB 12 34 56 C, then AB 12 34 56 C\u0301 x").text)

    assert "AB 12 34 56 C" not in left


def test_many_hidden_values_beside_broken_characters_and_marks_are_no_error():
    """More values than are looked for one by one, in a text that no encoding takes."""
    names = [f"{chr(65 + i % 26)}{chr(97 + i // 26)}bo Qwerty" for i in range(300)]
    text = "\ud800 e\u0301 " + "".join(f"Name: {name}\n" for name in names)

    assert {"SIMPLE_NAME": 300} == REDACTOR.redact(text).counts


def test_many_hidden_values_are_hidden_everywhere_too():
    """The same with more values than are looked for one by one."""
    names = [f"{chr(65 + i % 26)}{chr(97 + i // 26)}bo Qwerty" for i in range(400)]
    text = "".join(f"Name: {name}\n" for name in names) + "and " + ", ".join(names)
    left = SURROGATE.sub("", Redactor().redact(text[:15_000]).text)

    assert [] == [name for name in names if name in left]


@pytest.mark.clause("002-D6", "002-D7")
def test_a_pack_adds_a_class_with_pattern_and_validator():
    """Its own class takes precedence over digits in a row, where its validator says so."""
    added = PatternClass(
        name="POLICY", pattern=r"POL-[0-9]{8}", validator=lambda text: text.endswith("8")
    )
    redactor = Redactor(extra=(added,))
    text = "POL-12345678 and POL-12345679"

    assert [("POLICY", "POL-12345678"), ("NUMBER", "12345679")] == classes(text, redactor)
    assert redactor.redact(text).text == redactor.redact(redactor.redact(text).text).text


def test_a_validator_that_fails_uncovers_nothing():
    """An error in a pack's validator hides the candidate."""
    added = PatternClass(name="CODE", pattern=r"C[0-9]{3}", validator=lambda _: 1 / 0)

    assert [("CODE", "C123")] == classes("C123", Redactor(extra=(added,)))


@pytest.mark.clause("002-D7")
@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("EMAIL", "x"),
        ("email", "x"),
        ("A B", "x"),
        ("", "x"),
        ("OWN", "("),
        ("OWN", r"(?=x)"),
        ("OWN", "x*"),
    ],
)
def test_a_class_that_cannot_be_is_refused(name, pattern):
    """A name that exists or is none, a pattern that RE2 refuses or that matches nothing."""
    with pytest.raises(InputError):
        Redactor(extra=(PatternClass(name=name, pattern=pattern),))


def test_two_added_classes_need_two_names():
    """The second of the same name is refused."""
    with pytest.raises(InputError, match="OWN"):
        Redactor(extra=[PatternClass(name="OWN", pattern=p) for p in ("x", "y")])


def test_an_outside_recogniser_takes_what_the_rules_left():
    """Its spans are those of the original; what is taken already stays as it is."""
    text = "Rubija met jane@example.com"
    redactor = Redactor(recognisers=(lambda t: [(0, 6, "SIMPLE_NAME"), (0, len(t), "EMAIL")],))

    assert [
        ("SIMPLE_NAME", "Rubija"),
        ("EMAIL", " met "),
        ("EMAIL", "jane@example.com"),
    ] == classes(text, redactor)


@pytest.mark.parametrize("span", [(0, 3, "NAME"), (0, 99, "EMAIL"), (3, 3, "EMAIL")])
def test_an_outside_recogniser_that_errs_is_not_trusted(span):
    """Unknown classes and ranges outside the text are errors, not silent losses."""
    with pytest.raises(InputError):
        Redactor(recognisers=(lambda _: [span],)).redact("Rubija")


def test_regions_decide_which_national_forms_count():
    """A Polish identifier is a mere number unless Poland is among the regions."""
    assert [("NUMBER", "44051401458")] == classes("44051401458")
    assert [("ID_CODE", "44051401458")] == classes("44051401458", Redactor(regions=("PL",)))


def test_an_unknown_region_is_refused():
    """It would silently find nothing."""
    with pytest.raises(InputError, match="XX"):
        Redactor(regions=("XX",))


def test_the_rules_digest_names_what_decides_the_findings():
    """Other regions or classes, another digest; the key plays no part."""
    own = PatternClass(name="OWN", pattern="x")
    digests = {
        r.rules_digest for r in (REDACTOR, Redactor(regions=("PL",)), Redactor(extra=(own,)))
    }

    assert 3 == len(digests)
    assert Redactor("key").rules_digest == REDACTOR.rules_digest
    assert REDACTOR.rules_digest.startswith("sha256:")


@pytest.mark.clause("002-D8")
def test_the_functions_of_the_specification_say_the_same():
    """`redact` and `redact_with_mapping` are thin."""
    text = "Call +49 30 1234567"
    view = redact(text)

    assert (view.text, dict(view.map)) == redact_with_mapping(text)
    assert {"text", "map", "counts", "truncated"} == view.to_dict().keys()


@pytest.mark.clause("002-J4")
def test_the_map_holds_classes_and_no_value():
    """Surrogate to class; the values are nowhere in it."""
    view = REDACTOR.redact("Dear Jane Roe, jane@example.com, 12 Main Street, 123456")

    assert {"SIMPLE_NAME", "EMAIL", "ADDRESS_LINE", "NUMBER"} == set(view.map.values())
    assert all(SURROGATE.fullmatch(surrogate) for surrogate in view.map)
    assert set(view.map.values()) <= set(CLASSES)


@pytest.mark.parametrize("text", ["", " ", "\x00", "\uffff", "\ud800", "\ud800@example.com", "…"])
def test_odd_texts_are_no_error(text):
    """Nothing, controls, lone surrogates: the text as it was."""
    assert text == REDACTOR.redact(text).text


def test_an_outside_recogniser_shows_in_the_rules_digest():
    """By its identity; without one by its name. No recogniser leaves the digest as it was."""

    def finder(_):
        return ()

    class Named:
        identity = "one"

        def __call__(self, _):
            return ()

    digests = {Redactor(recognisers=r).rules_digest for r in ((), (finder,), (Named(),))}
    assert 3 == len(digests)


def test_an_outside_recogniser_sees_nothing_that_was_taken():
    """Surrogates and values that the rules took are blotted out of what it is asked about."""
    seen = []
    Redactor(recognisers=(lambda t: seen.append(t) or (),)).redact("a jane@example.com b")

    assert {"a " + "\0" * 16 + " b"} == set(seen)


@pytest.mark.parametrize("text", ["Rubija", "", "a\U0001f600"])
def test_an_outside_recogniser_may_reach_to_the_very_end_and_not_beyond(text):
    """The last code point of a text is part of it, the place behind it is not."""
    over = Redactor(recognisers=(lambda t: [(0, len(t) + 1, "SIMPLE_NAME")],))
    with pytest.raises(InputError, match="outside the text"):
        over.redact(text)

    if text:
        whole = Redactor(recognisers=(lambda t: [(0, len(t), "SIMPLE_NAME")],)).redact(text)
        assert [(0, len(text))] == [(span.start, span.stop) for span in whole.spans]
