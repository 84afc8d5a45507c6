"""A prompt that the server cut: found where tokens are missing, and never because they differ."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.contract.cut import CODE, FACT, InputCut, find_cut, recorded_cut
from assay.contract.job import Weighed
from assay.contract.outcome import Outcome
from assay.contract.prompt import make_prompt
from assay.contract.result_spec import Result
from assay.core.text.tokens import count
from assay.gate.verdict import Verdict
from assay.redaction.redactor import Redactor

pytestmark = pytest.mark.clause("006-M10")

REDACTOR = Redactor()
ENGLISH = "The pipe in the cellar broke on Monday, and the water is still rising. "
CHINESE = "星期一地下室的水管破裂了水位仍在上升请尽快派人来修理谢谢"
TAMIL = "நிலத்தடியில் குழாய் உடைந்தது, தண்ணீர் இன்னும் உயர்கிறது. "


def prompt(text, tokenizer="o200k_base"):
    tokens = count(text, tokenizer)
    return make_prompt(text, sections=(), tokens=tokens, redactor=REDACTOR)


@pytest.mark.parametrize("window", [256, 512, 1024, 2048, 4096])
@pytest.mark.parametrize("text", [ENGLISH * 1000, f"{ENGLISH * 300}{CHINESE * 400}", TAMIL * 400])
def test_a_prompt_of_many_windows_was_cut_to_one(window, text):
    """Whatever the script: a third of a text is not the whole of it."""
    made = prompt(text)
    if window * 3 < made.tokens:
        found = find_cut(made, window, {})

        assert (window, made.tokens) == (found.seen, found.counted)
        assert (CODE, "reject") == (found.finding().code, found.finding().severity)


def test_a_prompt_of_words_that_lost_a_third_was_cut():
    """No tokenizer makes fewer tokens than a text has words."""
    made = prompt(ENGLISH * 50)

    assert find_cut(made, int(made.tokens * 0.6), {}) is not None


@settings(max_examples=60)
@given(st.floats(0.7, 3.0), st.integers(1, 300), st.sampled_from([ENGLISH, CHINESE, TAMIL]))
def test_a_tokenizer_that_gives_thirty_percent_fewer_is_no_cut(share, times, text):
    """Nor one that gives more, nor what a provider adds of its own."""
    made = prompt(text * times)

    assert find_cut(made, int(made.tokens * share) + 1, {}) is None


@pytest.mark.parametrize("text", [CHINESE * 100, TAMIL * 100])
def test_a_tokenizer_that_knows_a_script_well_is_no_cut(text):
    """Words run together, or a newer vocabulary: half the tokens may be all of them."""
    made = prompt(text, "cl100k_base")

    assert find_cut(made, count(text, "o200k_base"), {}) is None
    assert find_cut(prompt(CHINESE * 100), int(prompt(CHINESE * 100).tokens * 0.5), {}) is None


@given(st.integers(0, 255), st.sampled_from([ENGLISH * 9, ENGLISH * 900]))
def test_a_count_that_is_no_window_is_no_count(reported, text):
    """0, none, or less than any server runs with: nothing is told of the prompt."""
    assert find_cut(prompt(text), reported, {}) is None
    assert find_cut(prompt(text), None, {}) is None


@pytest.mark.parametrize(
    "details",
    [
        {"cached_tokens": 2048},
        {"cache_read_input_tokens": 2048},
        {"cache_creation_input_tokens": 1024, "cache_read_input_tokens": 1024},
        {"usage": {"cached_tokens": 2048}},
    ],
)
def test_tokens_from_a_cache_were_seen(details):
    """A count that leaves them out is made whole by what the provider says of its cache."""
    made = prompt(ENGLISH * 200)

    assert find_cut(made, made.tokens - 2048, {}) is not None
    assert find_cut(made, made.tokens - 2048, details) is None


@pytest.mark.parametrize("value", [True, "2048", None, -2048, 2048.0, {"a": 1}])
def test_what_is_no_number_of_tokens_was_not_seen(value):
    """Details come from a server: nothing in them but a count counts."""
    made = prompt(ENGLISH * 200)

    assert find_cut(made, 512, {"cached_tokens": value, "usage": value}) is not None


@pytest.mark.clause("008-E5")
def test_a_model_that_read_its_own_questions_cut_no_prompt():
    """Its count is that of the questions; one that read the prompt is judged as ever."""
    made = prompt(ENGLISH * 1000)

    assert find_cut(made, 600, {"prompt_read": False}) is None
    for told in ({"prompt_read": True}, {"prompt_read": None}, {"prompt_read": 0}, {}):
        assert find_cut(made, 600, told) is not None


def test_few_missing_tokens_are_no_cut():
    """A short prompt differs by more than its tokenizer."""
    made = prompt(ENGLISH * 28)

    assert 0 < made.tokens - 256 < 200
    assert find_cut(made, 256, {}) is None


@given(st.integers(1, 20_000), st.integers(0, 5_000), st.integers(0, 400))
def test_more_seen_is_never_worse(reported, more, times):
    """Whoever counts more, or says more of a cache, is not found where fewer is not."""
    made = prompt(ENGLISH * times)
    if find_cut(made, reported, {}) is None and reported >= 256:
        assert find_cut(made, reported + more, {}) is None
        assert find_cut(made, reported, {"cached_tokens": more}) is None


def test_the_record_gives_the_cut_back():
    """What was found is a fact of the answer; records without it tell of none."""
    cut = InputCut(counted=3000, seen=512)

    assert cut == recorded_cut({FACT: cut.to_dict()})
    assert None is recorded_cut(None) is recorded_cut({"prompt_tokens_actual": 512})


def test_a_reply_is_not_accepted_whatever_its_text_says():
    """No result, no lawful refusal: it may rest on a part."""
    result = Result(name="r", value={}, digest="d")
    accepted = Weighed(
        accepted=True,
        findings=(),
        result=result,
        verdict=Verdict(findings=(), output={"a": 1}),
        outcome=Outcome.no_evidence(),
    )
    left = accepted.with_findings([InputCut(counted=3000, seen=512).finding()])

    assert (False, None, None) == (left.accepted, left.result, left.outcome)
    assert [CODE] == [finding.code for finding in left.findings]
    assert (False, None) == (left.verdict.accepted, left.verdict.output)
    assert accepted == accepted.with_findings([])
