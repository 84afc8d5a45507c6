"""The version of the rules goes up whenever equal output is judged otherwise."""

import json

import pytest

from assay.answers.assemble import assemble, validate
from assay.contract.contract import judge
from assay.core.json.canonical import digest_json
from assay.gate.gate import RULES_VERSION
from tests.answers.bundles import QUESTION, bundle
from tests.runtime.tiny import GOOD, TEXT, tiny_pack

OUTPUTS = [
    GOOD,
    f" {GOOD}\n",
    f"```json\n{GOOD}\n```",
    f"\ufeff{GOOD}",
    f"{GOOD} {GOOD}",
    f"Here it is: {GOOD}",
    "I cannot help with that.",
    "I'm sorry, but I can't answer this.",
    "Es tut mir leid, das kann ich nicht beantworten.",
    "",
    "[]",
    "null",
    '{"label": "water", "label": "fire", "evidence_snippets": []}',
    '{"label": "water", "evidence_snippets": []}',
    '{"label": "water", "evidence_snippets": [""]}',
    '{"label": "water", "evidence_snippets": ["water  in\\tthe cellar"]}',
    '{"label": "water", "evidence_snippets": ["Water in the cellar"]}',
    '{"label": "water", "evidence_snippets": ["water in the attic"]}',
    '{"label": "WATER", "evidence_snippets": ["water in the cellar"]}',
    '{"label": "water", "evidence_snippets": ["water in the cellar"], "more": 1}',
    '{"label": "water", "evidence_snippets": ["water in the cellar", NaN]}',
    '{"label": "water", "evidence_snippets": ["\\ud800"]}',
    '{"label": 9007199254740993, "evidence_snippets": ["water in the cellar"]}',
    "[" * 70 + "]" * 70,
]
ANSWERS = [
    "The yearly fee is 40 EUR [C0].",
    "The yearly fee is 40 EUR. [C0]",
    "The yearly fee is 40 EUR.",
    "The yearly fee is 41 EUR [C0].",
    "The yearly fee is €40 [C0].",
    "The yearly fee is forty euros [C0].",
    "It is due on 5 March 2024 [C0].",
    "It is due on 2024-03-05 [C0].",
    "It is due on 6 March 2024 [C0].",
    "Whoever pays late owes 12.5 % interest [C1].",
    "Whoever pays late owes 12,5 percent interest [C1].",
    "Whoever pays late owes 12.5 % interest [C0].",
    "The fee is 40 EUR [C01].",
    "The fee is 40 EUR [C9].",
    "The fee is 40 EUR [C0, C1].",
    "According to the context, the fee is 40 EUR [C0].",
    "Evidence says that the fee is 40 EUR [C0].",
    "fees-0 says that the fee is 40 EUR [C0].",
    "NO_EVIDENCE",
    "NO_EVIDENCE: The provided evidence does not contain sufficient information "
    "to answer this question.",
    "Let me think step by step. The fee is 40 EUR [C0].",
    "Fees:\n- The yearly fee is 40 EUR [C0].\n- Students pay half [C2].",
    "",
]
PINNED = (3, "sha256:07539da25d21d74d6a825ecc7f9f9cf4aff4545a2bfc2233af8fbdbf07c283c8")
"""Version of the rules, and the digest of what they find in the texts above."""


@pytest.mark.clause("002-N3")
def test_whoever_changes_what_the_rules_find_raises_their_version():
    """A verdict that turns under the same version would be told as unexplained by a replay.

    When this fails because a rule was changed on purpose, raise `RULES_VERSION` and pin anew.
    """
    contract, body = tiny_pack().contract("triage"), TEXT.decode()
    assembly = assemble(bundle(), QUESTION)
    verdicts = [judge(contract, output, sources={"text": body}) for output in OUTPUTS]
    results = [validate(assembly, answer) for answer in ANSWERS]
    found = [
        [[finding.code, finding.severity] for finding in judged.findings]
        for judged in (*verdicts, *results)
    ]

    assert PINNED == (RULES_VERSION, digest_json(found)), json.dumps(found)
