"""The growing text: what stops it, where, and what is read on."""

import json

import pytest

from assay.gate.gate import GateContext, judge, prefix_watch
from assay.gate.prefix import STOPPED
from tests.gate.prefix_cases import GOOD, PLAIN, SCHEMA, heard_before_stop, new_watch, verdict_of

pytestmark = pytest.mark.clause("006-M4")

HEAD = '{"label": "water", '


@pytest.mark.parametrize(
    ("heard", "code", "path"),
    [
        ("Here", "json.invalid", ""),
        ("I can", None, ""),
        ("\ufeff{", None, ""),
        ('\ufeff{"xy', "json.invalid", ""),
        ("```", "json.fenced", ""),
        (" ~~~", "json.fenced", ""),
        ("[1,", "json.not_object", ""),
        ('"xy', "json.not_object", ""),
        ("42 ", "json.not_object", ""),
        ("null", "json.not_object", ""),
        ('{"a"', "schema.additionalProperties", ""),
        ('{"label": "w', None, ""),
        ('{"label": "x', "label.unknown", "/label"),
        ('{"label": "W', "label.unknown", "/label"),
        ('{"label": "waters', "label.unknown", "/label"),
        ('{"label": "wa"', "label.unknown", "/label"),
        ('{"label": "\\u0077a', None, ""),
        ('{"label": 5', "label.unknown", "/label"),
        ('{"label": "water" "', "json.invalid", ""),
        ('{"label": "water",}', "json.invalid", ""),
        ('{"label": "water", /', "json.invalid", ""),
        ("{'xy", "json.invalid", ""),
        ('{"label": "water"}', "schema.required", ""),
        (HEAD + '"label"', "json.duplicate_key", ""),
        (HEAD + '"l\\u0061bel"', "json.duplicate_key", ""),
        (HEAD + '"quotes": []', "evidence.missing", "/quotes"),
        (HEAD + '"quotes": ["pipe", "none"', "evidence.not_found", "/quotes/1"),
        (HEAD + '"quotes": ["broke on Monday - \\"at', None, ""),
        (HEAD + '"quotes": [""', "evidence.missing", "/quotes/0"),
        (HEAD + '"quotes": [[', "evidence.missing", "/quotes/0"),
        (HEAD + '"quotes": ["pipe", "pipe", "', "schema.maxItems", "/quotes"),
        (HEAD + '"quotes": ["' + 61 * "x", "schema.maxLength", "/quotes/0"),
        (HEAD + '"score": 0.905,', "score.precision", "/score"),
        (HEAD + '"score": 1.01}', "schema.maximum", "/score"),
        (HEAD + '"score": "', "score.precision", "/score"),
        (HEAD + '"count": 1.5,', "schema.type", "/count"),
        (HEAD + '"count": 1.5', None, ""),
        (HEAD + '"count": -1,', "schema.minimum", "/count"),
        (HEAD + '"count": 9007199254740993,', "json.number", ""),
        (HEAD + '"count": 1e400,', "json.number", ""),
        (HEAD + '"count": NaN', "json.number", ""),
        (HEAD + '"count": -Infinity', "json.number", ""),
        (HEAD + '"count": 01', "json.invalid", ""),
        (HEAD + '"count": +', "json.invalid", ""),
        (HEAD + '"kind": "ur', None, ""),
        (HEAD + '"kind": "ux', "schema.enum", "/kind"),
        (HEAD + '"kind": t', "schema.enum", "/kind"),
        (HEAD + '"tags": ["new", "new"', "label.duplicate", "/tags/1"),
        (HEAD + '"tags": ["n/a", "o/', "label.unknown", "/tags/1"),
        (HEAD + '"note": ""', "schema.minLength", "/note"),
        (HEAD + '"note": "a\n', "json.invalid", ""),
        (HEAD + '"note": "\\x', "json.invalid", ""),
        (HEAD + '"note": "\\ud800"', "json.unicode", ""),
        (HEAD + '"note": "\\ud800a', "json.unicode", ""),
        (HEAD + '"note": "\\udc00', "json.unicode", ""),
        (HEAD + '"note": "\\ud83d\\ude00', None, ""),
        (HEAD + '"note": "\ud800x', "json.unicode", ""),
        (HEAD + '"free": ["a", "b"]', None, ""),
        (HEAD + '"open": {"x": "not an integer"', None, ""),
        (HEAD + '"open": [', "schema.type", "/open"),
        (GOOD + "{", "json.trailing", ""),
        (GOOD + "\n", None, ""),
    ],
)
def test_a_text_is_stopped_where_it_is_lost(heard, code, path):
    """At the very character after which nothing can be accepted, and with the place it is about."""
    watch = new_watch()
    stopped = [watch.hear(char) for char in heard]

    assert code == (watch.fault.code if watch.fault else None)
    assert path == (watch.fault.path if watch.fault else "")
    assert not any(stopped[:-1]), "it was lost before"
    if code is not None:
        whole = verdict_of(heard.encode("utf-8", "surrogatepass"), STOPPED)
        assert [code, "output.stopped"] == [finding.code for finding in whole.findings]


def test_depth_and_size_have_their_bounds():
    """More than 64 levels and more than 1 MiB are lost as soon as they are reached."""
    deep = prefix_watch(GateContext(), (), schema=SCHEMA)
    assert not deep.hear('{"label":' + 63 * "[") or deep.fault.code != "json.too_deep"
    large = new_watch()
    spaces = " " * (1 << 20)
    assert large.hear(spaces) is False
    assert large.hear(" ")
    assert "json.too_large" == large.fault.code
    wide = new_watch()
    assert wide.hear('{"free": "' + "ä" * (1 << 19))
    assert "json.too_large" == wide.fault.code


def test_a_pair_cut_in_two_is_one_character():
    """Some servers cut between the halves of a surrogate pair."""
    watch = new_watch()
    pieces = [HEAD + '"note": "\ud83d', '\ude00", "quotes": ["pipe"]}']
    assert heard_before_stop(watch, pieces) is None


def test_a_stopped_reply_is_never_accepted():
    """Neither when it happens to be whole and right."""
    verdict = verdict_of(GOOD, STOPPED)
    assert not verdict.accepted
    assert verdict.output is None
    assert ["output.stopped"] == [finding.code for finding in verdict.findings]


@pytest.mark.parametrize("text", ["", HEAD, HEAD + '"note": "half', GOOD[:60]])
def test_that_a_stopped_text_is_cut_off_is_no_finding(text):
    """It was we who cut it."""
    assert ["output.stopped"] == [each.code for each in verdict_of(text, STOPPED).findings]


@pytest.mark.parametrize(
    ("raw", "codes"),
    [
        (HEAD.encode() + b'"note": "\xc3', ["output.stopped"]),
        (HEAD.encode() + b'"note": "\xff"', ["json.unicode", "output.stopped"]),
        (b'{"label": "x\xff', ["label.unknown", "output.stopped"]),
    ],
)
def test_bytes_that_end_within_a_character_are_only_cut_off(raw, codes):
    """What is no UTF-8 in the middle is a fault all the same."""
    assert codes == [each.code for each in verdict_of(raw, STOPPED).findings]


def test_the_place_of_a_fault_in_the_text_is_named():
    """Faults of the text itself say line and column, as those of a whole text do."""
    verdict = verdict_of('{\n "label": "water",}', STOPPED)
    assert "a key in double quotes is expected (line 2, column 19)" == verdict.findings[0].message


def test_a_check_that_breaks_accepts_nothing():
    """A stopped reply stays stopped when a check fails itself."""

    class Broken:
        def __call__(self, output, context):
            return ()

        def growing(self, context):
            raise RuntimeError

    verdict = judge("{", GateContext(), [Broken()], schema=SCHEMA, finish_reason=STOPPED)
    assert ["output.stopped"] == [each.code for each in verdict.findings]


def test_a_long_reply_in_single_characters_is_read_once():
    """A megabyte takes a bounded number of steps for each character."""
    rows = {f"y{number}": ["ab" * 20, 1.5, None] for number in range(3000)}
    text = PLAIN[:-1] + f', "open": {json.dumps(rows)}}}'
    watch = new_watch()
    assert not any(watch.hear(char) for char in text)
