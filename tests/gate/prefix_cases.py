"""What the tests of the growing text share: a contract's checks, texts, and ways to cut them."""

from __future__ import annotations

from itertools import pairwise

from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.core.text.spans import Shown
from assay.gate.gate import GateContext, judge, prefix_watch
from assay.gate.labels import LabelRule, LabelSet
from assay.gate.prefix import PrefixWatch
from assay.gate.scores import ScoreRule
from assay.gate.snippets import EvidenceRule
from assay.gate.verdict import Verdict

BODY = "There is water in the cellar. The pipe broke on Monday – “at night”."
CONTEXT = GateContext(shown=(Shown.of_text("body", BODY),))
SCHEMA = Schema.compile(
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["label", "quotes"],
        "properties": {
            "label": {"type": "string"},
            "quotes": {"$ref": "#/$defs/quotes"},
            "score": {"type": "number", "maximum": 1},
            "count": {"allOf": [{"type": "integer"}, {"minimum": 0}]},
            "kind": {"enum": ["urgent", "usual", None]},
            "note": {"type": "string", "maxLength": 12, "minLength": 1},
            "tags": {"type": "array", "maxItems": 3, "items": {"type": "string"}},
            "free": {"anyOf": [{"type": "string"}, {"type": "array", "maxItems": 1}]},
            "open": {"type": "object", "patternProperties": {"^x": {"type": "integer"}}},
        },
        "$defs": {
            "quotes": {"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 60}}
        },
    }
)
_KINDS = LabelSet(name="kind", labels={"water": "Water.", "wasp": "Wasps.", "fire": "Fire."})
_TAGS = LabelSet(name="tag", labels={"new": "", "old": "", "n/a": "", "größer": ""}, multi=True)
CHECKS = (
    LabelRule(pattern=PointerPattern.compile("/label"), set=_KINDS),
    LabelRule(pattern=PointerPattern.compile("/tags/*"), set=_TAGS),
    EvidenceRule(
        snippets=PointerPattern.compile("/quotes/*"), required=(PointerPattern.compile("/quotes"),)
    ),
    ScoreRule(pattern=PointerPattern.compile("/**/score")),
)
GOOD = (
    '{"label": "water", "quotes": ["water in the cellar"], "score": 0.90, "count": 3.0,'
    ' "kind": "urgent", "note": "a\\u00e4\\ud83d\\ude00\\n", "tags": ["new", "gr\\u00f6\\u00dfer"],'
    ' "free": ["x"], "open": {"x1": 1, "y": [null, true, -0.5e-3]}}'
)
PLAIN = '{"label":"wasp","quotes":["broke on Monday - \\"at  night\\""],"kind":null}'


def verdict_of(text: str | bytes, finish_reason: str | None = None) -> Verdict:
    """What the gate says of a text."""
    return judge(text, CONTEXT, CHECKS, schema=SCHEMA, finish_reason=finish_reason)


def new_watch() -> PrefixWatch:
    """A watch over one reply to the same question."""
    return prefix_watch(CONTEXT, CHECKS, schema=SCHEMA)


def cut_text(text: str, cuts: list[int]) -> list[str]:
    """The pieces of *text*, cut at each of *cuts*."""
    places = [0, *sorted({cut for cut in cuts if 0 < cut < len(text)}), len(text)]
    return [text[start:stop] for start, stop in pairwise(places)]


def heard_before_stop(watch: PrefixWatch, pieces: list[str]) -> str | None:
    """The prefix that had arrived when the watch said to stop; None when it never did."""
    heard = ""
    for piece in pieces:
        heard += piece
        if watch.hear(piece):
            return heard
    return None
