"""Every finding code and what it means.

In      nothing
Out     CODES: code -> meaning; EXAMPLES: code -> example; `document` writes the page
Pure    yes
Spec    interfaces.md, "The gate" and "Answers" (finding codes)

Codes that end in `.` and a name in capitals stand for a family: `schema.KEYWORD` is
`schema.required`, `schema.type` and so on; `rule.ID` ends in the id of a rule of the pack.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        "output.empty": "The reply holds nothing, or nothing but white space.",
        "output.refusal": "The reply is no JSON and opens like a refusal.",
        "output.truncated": "The model stopped at its length limit, so the reply cannot be whole.",
        "output.filtered": "The provider held the reply back or cut it.",
        "output.stopped": (
            "The model stopped for a reason that is not known to mean a whole reply, or was "
            "stopped while its reply arrived, as no continuation would be accepted."
        ),
        "output.other_model": (
            "The contract lists models, and the provider reports that another one has answered:"
            " no name that the contract matches, not the one asked for and no dated snapshot"
            " of it."
        ),
        "json.invalid": "The reply is not JSON. Nothing is repaired.",
        "json.fenced": "The reply is wrapped in a Markdown fence.",
        "json.trailing": "One JSON value is there, and something follows it.",
        "json.not_object": "The reply is one JSON value but no object.",
        "json.duplicate_key": "An object has the same key twice, so readers would disagree.",
        "json.number": (
            "A number is NaN or Infinity, overflows a double, or is an integer beyond 2^53 - 1."
        ),
        "json.unicode": "The bytes are no UTF-8, or a string holds half a surrogate pair.",
        "json.too_deep": "More than 64 levels are nested.",
        "json.too_large": "The reply has more than 1 MiB.",
        "schema.KEYWORD": (
            "The JSON Schema of the contract refuses the value; KEYWORD is what failed, as in"
            " `schema.required`, `schema.additionalProperties`, `schema.maxLength`."
        ),
        "label.unknown": "A label is not one of the set, byte for byte.",
        "label.duplicate": (
            "The same label stands twice in one list of a set that does not repeat."
        ),
        "label.no_value": (
            "The place where labels should stand leads nowhere in an output that fits the schema,"
            " and neither an empty list, null nor an optional key explains it. A note: the pack's"
            " pointer is wrong, not the output."
        ),
        "label.primary_not_listed": (
            "The label chosen as the main one is not among those listed. A rule of the pack."
        ),
        "evidence.missing": (
            "A place that needs evidence has none, or a snippet is too little to be evidence: fewer"
            " than two letters or digits."
        ),
        "evidence.not_found": "A snippet stands in no source that this attempt was shown.",
        "redaction.unknown_surrogate": (
            "A reply to a redacted prompt holds a surrogate that the prompt did not hold, a part of"
            " one, or one that was altered."
        ),
        "redaction.unseen_value": (
            "A reply to a redacted prompt holds a value that the prompt hides, or the name of its"
            " class in its place: the model cannot have read it."
        ),
        "score.precision": (
            "A score is not written with exactly two decimals, or has a sign or an exponent."
        ),
        "session.mismatch": (
            "The reply names another session, or touches state that is not its to change."
        ),
        "schema.class": "The schema fits, and the class of the contract cannot read the value.",
        "rule.failed": (
            "A validator of the contract's class refused the output, failed itself, or did not end."
        ),
        "rule.ID": (
            "A rule of the contract does not hold, could not be evaluated, or gave no yes or "
            "no; ID is the rule's. A rule may carry a code of its own instead."
        ),
        "placeholder.unresolved": "A reply skeleton uses a placeholder that nothing known fills.",
        "reply.unlisted": "A reply refers to something that it does not list as a source.",
        "reply.unmentioned": "A source is listed that the reply does not refer to.",
        "session.conflict": "Another turn of the session is under way, or was stored first.",
        "turn.too_long": "A turn went through more stages than its pack allows.",
        "turn.no_way": "An output names a next step that leads nowhere.",
        "input.cut": "A message is longer than its pack uses. A note; the rest was not looked at.",
        "prompt.cut": (
            "The model's server counted far fewer tokens than were sent: evidence from a part that "
            "was not seen is none."
        ),
        "check.error": (
            "A check failed itself. The output is rejected: a fault in a check is no pass."
        ),
        "findings.more": (
            "There are more findings than a verdict lists. A note; the output is judged by all."
        ),
        "result.schema": (
            "The output was in order, but the result made of it breaks the result's own schema."
        ),
        "refusal.not_exact": (
            "The answer refuses, but not with exactly the refusal string and nothing else."
        ),
        "citation.malformed": "Something reads as a marker but is not written `[C0]`.",
        "citation.unknown_anchor": "A marker names an anchor that the prompt did not offer.",
        "sentence.uncited": "A sentence that states something carries no marker.",
        "answer.metadata": "The answer names the id of a chunk or of its knowledge source.",
        "answer.meta_commentary": (
            "The answer speaks of the prompt, the context or the sources as such."
        ),
        "answer.reasoning_trace": "The answer shows its reasoning instead of its result.",
        "answer.empty": "The answer holds nothing, or nothing that states something.",
        "answer.unicode": "The answer is no UTF-8 text.",
        "grounding.number": "A number or amount stands in no chunk that its sentence cites.",
        "grounding.date": "A date stands in no chunk that its sentence cites.",
        "grounding.support": (
            "Too few content words of a sentence stand in the chunks that it cites. A note where"
            " it is in another language than they are."
        ),
        "grounding.negation": (
            "A negation, or another word that turns a claim round, stands in the sentence and not"
            " in the passage that carries it, or the other way round. A note where the policy"
            " says so."
        ),
        "grounding.entity": (
            "A name stands in no chunk that its sentence cites. Rejected only when the policy"
            " says so."
        ),
        "grounding.acronym": (
            "The expansion of an acronym stands in no chunk that its sentence cites. Rejected"
            " only when the policy says so."
        ),
    }
)
"""Code -> what was found, in the order in which an output is judged."""

EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "output.empty": "an empty reply",
        "output.refusal": "`I'm sorry, but I can't help.`",
        "output.truncated": "finish reason `length` or `max_tokens`",
        "output.filtered": "finish reason `content_filter`, `safety` or `refusal`",
        "output.stopped": "finish reason `tool_calls`",
        "output.other_model": "asked `gpt-4.1`, answered by `cheap-fallback-7b`",
        "json.invalid": '`{"amount": 82_461_110}`',
        "json.fenced": "a reply that opens with three back-ticks",
        "json.trailing": '`{"a": 1} {"a": 2}`',
        "json.not_object": "`[1, 2]`",
        "json.duplicate_key": '`{"a": 1, "a": 2}`',
        "json.number": '`{"n": 9007199254740993}`',
        "json.unicode": '`{"a": "\\ud800"}`',
        "json.too_deep": "65 opening brackets",
        "json.too_large": "a reply of 2 MiB",
        "schema.KEYWORD": "`{}` where a property is required",
        "label.unknown": "`Water` where the set has `WATER`",
        "label.duplicate": "two intents with one label",
        "label.no_value": "labels sought at `/intents/*/lable`",
        "label.primary_not_listed": "a primary intent that is no intent of the reply",
        "evidence.missing": '`"evidence_snippets": []`',
        "evidence.not_found": "a sentence that the model made up",
        "redaction.unknown_surrogate": "`[EMAIL_0123456789]` where no address was hidden",
        "redaction.unseen_value": "`John Smith` where the prompt holds `[SIMPLE_NAME_…]`",
        "score.precision": "`0.9` where `0.90` is asked for",
        "session.mismatch": "a `session_id` that is not the one sent",
        "schema.class": "a day that no calendar has, for a field of type `date`",
        "rule.failed": "a validator that raises `ValueError`",
        "rule.ID": "a rule `sum_is_right` over a wrong sum",
        "placeholder.unresolved": "`Dear {nobody}`",
        "reply.unlisted": "a reply that names two services and lists one",
        "reply.unmentioned": "a reply that names one service and lists two",
        "session.conflict": "two messages to one session at the same moment",
        "turn.too_long": "a loop that does not end",
        "turn.no_way": "a stage whose contract was changed under it",
        "input.cut": "a message of a megabyte",
        "prompt.cut": "512 tokens counted of a prompt of 3,000",
        "check.error": "a Python check that raises",
        "findings.more": "a reply with a thousand unknown labels",
        "result.schema": "a result schema that asks for a field which no output can fill",
        "refusal.not_exact": "the refusal string with a sentence after it",
        "citation.malformed": "`[C01]`, `[c1]`, `[C0, C1]`",
        "citation.unknown_anchor": "`[C3]` where the prompt has `C0` to `C2`",
        "sentence.uncited": "`The limit is 40 EUR.`",
        "answer.metadata": "a chunk id in the text",
        "answer.meta_commentary": "`According to the Evidence …`",
        "answer.reasoning_trace": "`Let me think step by step.`",
        "answer.empty": "an empty answer, or a heading alone",
        "answer.unicode": "bytes of another encoding",
        "grounding.number": "`50 EUR [C0]` where C0 says 40",
        "grounding.date": "`on 3 May [C0]` where C0 says 4 May",
        "grounding.support": "`The moon is made of cheese [C0].` where C0 says `Cats sleep.`",
        "grounding.negation": "`was approved [C0]` where C0 says `was not approved`",
        "grounding.entity": "a person whom no cited chunk names",
        "grounding.acronym": "`EDA (European Data Agency) [C0]`",
    }
)
"""Code -> a reply, or a situation, that gets it."""


def document() -> str:
    """The reference page of finding codes, as Markdown."""
    rows = [
        f"| `{code}` | {_cell(meaning)} | {_cell(EXAMPLES[code])} |"
        for code, meaning in CODES.items()
    ]
    return "\n".join([_HEAD, *rows, ""])


def is_documented(code: str) -> bool:
    """Whether *code* is listed, by itself or as one of a family."""
    family, dot, _ = code.partition(".")
    return code in CODES or (bool(dot) and family in ("schema", "rule"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_HEAD = """\
# Finding codes

Written from `assay.gate.codes`; a test compares this page with it. Every finding but one of
severity `note` rejects the output. A pack's rules may add codes of their own, and so may a
check written in Python. The first part are the codes of `assay gate`, those from
`refusal.not_exact` on the codes of `assay validate`.

| code | what was found | for example |
|---|---|---|"""
