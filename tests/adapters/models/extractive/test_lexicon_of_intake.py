"""The intake lexicon: well formed, complete, and not copied from the mails it is measured on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from assay.adapters.models.extractive.lexicon import Lexicon, fold, words
from assay.gate.labels import LexiconEntry

FILE = Path(__file__).parents[4] / "src" / "assay" / "packs" / "intake" / "lexicon.yaml"
LITERAL = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)+")


def entries() -> dict[str, dict[str, LexiconEntry]]:
    def entry(content) -> LexiconEntry:
        content = {"phrases": content} if isinstance(content, list) else content
        return LexiconEntry(**{key: tuple(value) for key, value in content.items()})

    document = yaml.safe_load(FILE.read_text("utf-8"))
    return {
        name: {label: entry(content) for label, content in labels.items()}
        for name, labels in document.items()
    }


def gold_texts(cases: Path) -> list[str]:
    """Subjects, bodies and attachments of the mails that the figures are made on."""
    folder = cases / "intake"
    mails = [json.loads(path.read_text("utf-8")) for path in (folder / "normalised").glob("*.json")]
    texts = [mail[key] for mail in mails for key in ("subject", "body_text")]
    return texts + [path.read_text("utf-8") for path in (folder / "attachments").glob("*.txt")]


def test_no_phrase_of_the_gold_mails_longer_than_one_word_is_in_it(cases):
    """Neither as a phrase, compared the way phrases are, nor word for word within a pattern."""
    texts = [words(text) for text in gold_texts(cases)]
    running = [" " + " ".join(word.folded for word in text) + " " for text in texts]
    copied = []
    for name, labels in entries().items():
        for label, entry in labels.items():
            for phrase in entry.phrases:
                alone = Lexicon(name, {label: LexiconEntry(phrases=(phrase,))})
                if len(words(phrase)) > 1 and any(any(alone.phrase_hits(text)) for text in texts):
                    copied.append((label, phrase))
            for pattern in entry.patterns:
                for literal in LITERAL.findall(pattern):
                    told = " " + " ".join(fold(word) for word in literal.split()) + " "
                    if any(told in text for text in running):
                        copied.append((label, literal))

    assert len(texts) > 10
    assert [] == copied


def test_every_label_that_words_can_show_has_an_entry(cases):
    """Of the sets that the intake contracts ask for, none is left out."""
    known = yaml.safe_load((cases / "intake" / "labels.yaml").read_text("utf-8"))
    wanted = {name: set(known[name]["labels"]) for name in ("intent", "product_line", "urgency")}
    wanted["risk_flag"] = set(known["risk_flag"]["labels"])
    wanted["entity_type"] = set(known["entity_type"]["labels"])
    wanted["key_type"] = set(known["identity"]["key_type"])

    assert wanted == {name: set(labels) for name, labels in entries().items()}


@pytest.mark.parametrize("name", sorted(entries()))
def test_every_pattern_compiles(name):
    """RE2 takes each of them; `Lexicon` refuses what it does not."""
    lexicon = Lexicon(name, entries()[name])

    assert name == lexicon.name


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("intent", "INTENT_GENERAL_INQUIRY"),
        ("product_line", "PROD_UNKNOWN"),
        ("urgency", "URG_NORMAL"),
        ("risk_flag", None),
    ],
)
def test_what_holds_where_nothing_is_found(name, label):
    """Sets that must be answered have a default; risk flags have none."""
    assert label == Lexicon(name, entries()[name]).default
