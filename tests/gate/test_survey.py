"""One walk finds what the rules find one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.pointer import PointerPattern
from assay.core.text.spans import Shown
from assay.gate.gate import GateContext
from assay.gate.labels import LabelRule, LabelSet
from assay.gate.snippets import EvidenceRule
from assay.gate.survey import Survey, together

MAIL = GateContext(shown=(Shown.of_text("body", "ein Rohr ist ab. Rohr!"),))


def labels(pattern, **facts):
    known = LabelSet(name="kind", labels={"A": "", "B": "", "C": ""}, **facts)
    return LabelRule(pattern=PointerPattern.compile(pattern), set=known)


EVIDENCE = EvidenceRule(
    snippets=PointerPattern.compile("/**/quotes/*"),
    required=(PointerPattern.compile("/items/*"), PointerPattern.compile("/one")),
)
RULES = (labels("/items/*/label", multi=True), labels("/main"), labels("/**/label"), EVIDENCE)

label = st.sampled_from(["A", "B", "C", "A", "B", "x", 1, None])
quotes = st.lists(st.sampled_from(["Rohr", "ein Rohr", "ein  Rohr", "Dach", "", 3]), max_size=2)
item = st.fixed_dictionaries({}, optional={"label": label, "quotes": quotes})
outputs = st.fixed_dictionaries(
    {}, optional={"items": st.lists(item, max_size=4), "main": label, "one": item, "other": quotes}
)


@given(outputs)
def test_a_survey_finds_what_its_rules_find(output):
    """The same findings and spans, in the same order, faults or none."""
    (survey,) = together(RULES)

    assert isinstance(survey, Survey)
    assert [found for rule in RULES for found in rule(output, MAIL)] == list(survey(output, MAIL))


steps = st.sampled_from(["*", "**", "a", "0", "1", "b~1~0", "quotes"])
patterns = st.lists(steps, max_size=4).map(lambda taken: "".join(f"/{step}" for step in taken))
leaves = st.sampled_from(["A", "B", "A", "Rohr", "ein  Rohr", "x", 1, None])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "0", "b/~", "quotes", "c"]), inner, max_size=3),
    ),
    max_leaves=12,
)


@given(
    st.lists(st.tuples(patterns, st.booleans()), max_size=3),
    patterns,
    st.lists(patterns, max_size=2),
    st.dictionaries(st.sampled_from(["a", "0", "b/~", "quotes", "c"]), trees, max_size=4),
)
def test_a_survey_agrees_with_its_rules_on_any_patterns(named, snippets, required, output):
    """Whatever the patterns name: the root, indices, keys that must be escaped, each other."""
    compiled = [PointerPattern.compile(pattern) for pattern in (snippets, *required)]
    evidence = EvidenceRule(snippets=compiled[0], required=tuple(compiled[1:]))
    rules = (*(labels(pattern, multi=multi) for pattern, multi in named), evidence)
    (survey,) = together(rules)

    assert [found for rule in rules for found in rule(output, MAIL)] == list(survey(output, MAIL))


def test_other_checks_keep_their_order():
    """Labels and evidence come first; without evidence nothing is put together."""

    def one(output, context):
        return []

    def two(output, context):
        return []

    assert (one, two) == together([one, RULES[0], EVIDENCE, two])[1:]
    assert (one, RULES[0], two) == together([one, RULES[0], two])
    assert () == together([])
