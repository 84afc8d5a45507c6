"""Strict JSON: what passes, what is refused, and under which code."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json import strict
from assay.core.json.strict import Parsed, Refused, lexemes, parse, parse_object

REFUSED = [
    ("", "output.empty"),
    (" \n\t ", "output.empty"),
    ("\u00a0\u2003", "output.empty"),
    ("I'm sorry, but I can't help with that.", "output.refusal"),
    ("Leider kann ich das nicht beantworten.", "output.refusal"),
    ("Lo siento, no puedo ayudar.", "output.refusal"),
    ("Désolé, je ne peux pas.", "output.refusal"),
    ("Sure! Here is your JSON.", "json.invalid"),
    ("```json\n{}\n```", "json.fenced"),
    ("\n~~~\n{}\n~~~", "json.fenced"),
    ("{}\n```", "json.trailing"),
    ("{} {}", "json.trailing"),
    ("{}x", "json.trailing"),
    ("{}\x0c", "json.trailing"),
    ("{}\x00", "json.trailing"),
    ("\ufeff{}", "json.invalid"),
    ("\x0b{}", "json.invalid"),
    ('{"a": 1,}', "json.invalid"),
    ("[1,]", "json.invalid"),
    ('{"a": 1 /* one */}', "json.invalid"),
    ("{'a': 1}", "json.invalid"),
    ('{"a": 01}', "json.invalid"),
    ('{"a": +1}', "json.invalid"),
    ('{"a": .5}', "json.invalid"),
    ('{"a": True}', "json.invalid"),
    ('{"a": "\t"}', "json.invalid"),
    ('{"a": "\\x41"}', "json.invalid"),
    ('{"a": "b', "json.invalid"),
    ('{"a": 82_461_110}', "json.invalid"),
    ('{"a": 1, "a": 2}', "json.duplicate_key"),
    ('{"a": 1, "\\u0061": 1}', "json.duplicate_key"),
    ('{"x": [{"a": 1, "b": 2, "a": 1}]}', "json.duplicate_key"),
    ('{"a": NaN}', "json.number"),
    ('{"a": Infinity}', "json.number"),
    ('{"a": -Infinity}', "json.number"),
    ('{"a": 1e309}', "json.number"),
    ('{"a": -1E+400}', "json.number"),
    ('{"a": ' + "9" * 400 + ".0}", "json.number"),
    ('{"a": ' + "9" * 5000 + "}", "json.number"),
    ('{"a": 9007199254740992}', "json.number"),
    ('{"a": -9007199254740992}', "json.number"),
    ('{"a": "\\ud800"}', "json.unicode"),
    ('{"a": "\\udc00\\ud800"}', "json.unicode"),
    ('{"\\udfff": 1}', "json.unicode"),
    ('{"a": "\ud800"}', "json.unicode"),
    (b'{"a": "\xff"}', "json.unicode"),
    (b'{"a": "\xed\xa0\x80"}', "json.unicode"),
    (b"\xff\xfe{\x00}\x00", "json.unicode"),
    ("[" * 65 + "]" * 65, "json.too_deep"),
    ('{"a":' * 65 + "1" + "}" * 65, "json.too_deep"),
    ("[" * 100_000, "json.too_deep"),
    ('{"a": "' + "x" * (1 << 20) + '"}', "json.too_large"),
]

PASSED = [
    "{}",
    " \t\r\n{} \t\r\n",
    '{"a": 9007199254740991, "b": -9007199254740991}',
    '{"a": 1e308, "b": 1e-400, "c": 0.1234567890123456789}',
    '{"a": 0.30000000000000004, "b": 12345678901234567.5}',
    '{"number in text": "9007199254740993 1e999 e000"}',
    '{"a": "\\ud83d\\ude00 \\u0000 \\/ \x7f"}',
    '{"a": {"a": {"a": 1}}}',
    '{"md": "use `pip install` or ```x```"}',
    '{"a": ' + "[" * 63 + "]" * 63 + "}",
    '{"a": [' + ",".join(["{}"] * 500) + "]}",
]


@pytest.mark.clause("000-H1", "000-F1", "003-C1")
@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_what_is_not_one_strict_json_text_is_refused(text, code):
    """Each rule has its code, and the first rule that is broken is the one named."""
    refused = parse(text)

    assert isinstance(refused, Refused)
    assert code == refused.code
    assert refused.message


@pytest.mark.clause("000-H1")
@pytest.mark.parametrize("text", PASSED)
def test_what_obeys_every_rule_passes_unchanged(text):
    """The value is the one that any JSON reader sees; the bytes stay beside it."""
    parsed = parse(text)

    assert isinstance(parsed, Parsed)
    assert json.loads(text) == parsed.value
    assert text.encode() == parsed.raw


@pytest.mark.parametrize("text", ["[]", "1", '"a"', "null", "true", "0.5"])
def test_an_output_must_be_an_object(text):
    """Valid JSON of another kind is no output, and has a code of its own."""
    assert isinstance(parse(text), Parsed)
    assert "json.not_object" == parse_object(text).code


def test_bytes_and_text_are_judged_alike():
    """What arrives as text counts as its UTF-8."""
    text = '{"ü": "€"}'

    assert parse(text.encode()) == parse(text)


def test_limits_are_arguments():
    """Size and depth can be tightened; what lies on the limit passes."""
    assert isinstance(parse("[[1]]", max_bytes=5, max_depth=2), Parsed)
    assert "json.too_large" == parse("[[1]]", max_bytes=4).code
    assert "json.too_deep" == parse("[[1]]", max_depth=1).code


def test_brackets_in_strings_are_no_levels():
    """Depth is counted in the value, not in the text."""
    assert isinstance(parse(json.dumps({"a": "[{" * 500})), Parsed)


def test_a_pack_extends_the_list_of_refusals():
    """The pack's opening counts beside the listed ones."""
    text = "Das fällt nicht in meinen Bereich."

    assert "json.invalid" == parse(text).code
    assert "output.refusal" == parse(text, refusals=["Das fällt nicht in"]).code


def test_messages_name_places_and_never_the_text():
    """A refused reply may hold personal data; its finding may not."""
    texts = [
        "Jane",
        '{"Jane": 1, "Jane": 2}',
        '{"Jane": NaN}',
        '{"a": "Jane}',
        "{} Jane",
        '{"a" Jane',
    ]

    for text in texts:
        assert "Jane" not in parse(text).message
        assert "line 1" in parse(text).message


def test_lexemes_keep_numbers_as_they_were_written():
    """Trailing zeros, exponents and signs survive; integers are plain."""
    tree = lexemes(b'{"a": [0.90, 9e-1, -0.0, 7, true, "0.9"]}')

    assert ["0.90", "9e-1", "-0.0", "7", "True", "0.9"] == [str(item) for item in tree["a"]]


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), values), st.booleans())
def test_every_object_that_python_writes_is_read_back(value, escape):
    """Whatever is within the rules is accepted, and equals what `json.loads` gives."""
    text = json.dumps(value, ensure_ascii=escape)
    parsed = parse_object(text)

    assert isinstance(parsed, Parsed)
    assert json.loads(text) == parsed.value


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_get_an_answer(raw):
    """No input makes the parser raise; what is accepted, `json.loads` accepts too."""
    answer = parse(raw)

    if isinstance(answer, Parsed):
        assert json.loads(answer.raw) == answer.value
    else:
        assert answer.code.startswith(("json.", "output."))


@given(
    st.text('[]{}:," \\u0d8e-+.19tfnaN\n`', max_size=40)
    | st.lists(
        st.sampled_from(['{"a":', "[", "]", "}", "1e999", ",", '"b"', "0", "-", "e", "99"])
    ).map("".join)
)
def test_a_text_is_accepted_only_if_json_accepts_it(text):
    """Near-JSON: acceptance implies that a lenient reader reads the same; and the reverse
    holds where none of our own rules is broken."""
    answer = parse(text)
    try:
        value = json.loads(text)
    except ValueError:
        assert isinstance(answer, Refused)
        return
    if isinstance(answer, Parsed):
        assert value == answer.value
    else:
        ours = ("json.duplicate_key", "json.number", "json.unicode", "json.too_deep")
        assert answer.code in ours


@given(st.floats() | st.decimals(allow_nan=False, allow_infinity=False), st.integers(0, 400))
def test_no_number_comes_out_infinite(number, zeros):
    """However an overflow is written, it is refused."""
    answer = parse(f'{{"a": {number}, "b": 1{"0" * zeros}.5, "c": 1{"0" * zeros}e{zeros}}}')

    if isinstance(answer, Parsed):
        assert all(math.isfinite(value) for value in answer.value.values())


def test_the_pinned_limits():
    """1 MiB and 64 levels, as pinned."""
    assert (1_048_576, 64) == (strict.MAX_BYTES, strict.MAX_DEPTH)


@pytest.mark.clause("005-G13")
@pytest.mark.parametrize(
    "written",
    [
        "9007199254740993.0",
        "-9007199254740993.000",
        "9007199254740993e0",
        "90071992547409930E-1",
        "9.007199254740993e+15",
        "0.9007199254740993e16",
        "123456789012345678.0",
    ],
)
def test_a_whole_number_whose_digits_a_double_changes_is_refused_in_every_writing(written):
    """It is as little exact with `.0` behind it as without."""
    assert "json.number" == parse(f'{{"n": {written}}}').code


@pytest.mark.parametrize(
    "written",
    [
        "9007199254740992.0",
        "1e22",
        "123e45",
        "1E308",
        "9007199254740991.0",
        "0.1e1",
        "-0",
        "1.0",
        "9007199254740993.5",
        "1e-400",
        "0e999999999",
        "1e00000000000000000000001",
    ],
)
def test_a_number_that_comes_back_as_written_or_is_not_whole_is_read(written):
    """A size without digits, a double as programs write it, a fraction that loses digits."""
    assert float(written) == parse(f'{{"n": {written}}}').value["n"]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_whatever_double_a_program_writes_is_read_back(number):
    """Also beyond 2^53, where its digits are no longer those of a whole number."""
    assert number == parse(json.dumps([number])).value[0]
