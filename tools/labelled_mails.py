"""The labelled mails that tools/quality_intake.py asks about, in four sets.

`gold`: the seven public mails. `own`, `dev`, `held`: invented, in tools/quality_mails*.yaml; what
each is for stands at its head. Whatever is written down as a subject and a body becomes a mail
first and is read as one, so that language and signs of a machine are found as in a run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import yaml
from public_data import ROOT

from assay.contract.contract import Contract
from assay.contract.material import Material
from assay.sources.mail.message import Message, read_message

FILES = {
    "own": ROOT / "tools/quality_mails.yaml",
    "dev": ROOT / "tools/quality_mails_dev.yaml",
    "held": ROOT / "tools/quality_mails_held.yaml",
}
"""The invented sets; the public one is in the folder of the cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A mail and what it should get; label sets that are absent are not scored."""

    name: str
    language: str
    material: Material
    wanted: Mapping[str, Any]


def gold_mails(cases: Path) -> Iterator[Labelled]:
    """The public mails, their attachments put in as parts."""
    folder = cases / "intake"
    for file in sorted((folder / "mails").glob("*.eml")):

        def read(kind: str, file: Path = file) -> Any:
            return json.loads((folder / "gold" / f"{file.stem}.{kind}.json").read_bytes())

        normalised = json.loads((folder / "normalised" / f"{file.stem}.json").read_bytes())
        found = read("classification")
        yield Labelled(
            name=file.stem[:8],
            language=normalised["language"],
            material=material_of(with_attachments(file, normalised["attachment_ids"], folder)),
            wanted={
                "intent": {each["label"] for each in found["intents"]},
                "primary_intent": found["primary_intent"]["label"],
                "product_line": found["product_line"]["label"],
                "urgency": found["urgency"]["label"],
                "risk_flag": {each["label"] for each in found["risk_flags"]},
                "entity_type": {each["entity_type"] for each in read("extraction")["entities"]},
            },
        )


def with_attachments(file: Path, attachments: Sequence[str], folder: Path) -> bytes:
    """The mail as it came; with the attachments that it names as parts of it."""
    if not attachments:
        return file.read_bytes()
    old = message_from_bytes(file.read_bytes(), policy=policy.default)
    new = EmailMessage()
    for name in ("From", "To", "Subject", "Message-ID"):
        new[name] = old[name]
    new.set_content(old.get_content())
    for number in attachments:
        meta = json.loads((folder / "attachments" / f"{number}.meta.json").read_bytes())
        text = (folder / "attachments" / f"{number}.txt").read_text(encoding="utf-8")
        new.add_attachment(text, filename=meta["filename"])
    return new.as_bytes()


def invented_mails(name: str, contract: Contract) -> Iterator[Labelled]:
    """The mails of the set *name*; their primary intent follows from the set's priority."""
    order = priority(contract)
    for index, mail in enumerate(yaml.safe_load(FILES[name].read_bytes())):
        yield Labelled(
            name=f"{name}-{index:02}",
            language=mail["language"],
            material=material_of(written(mail["subject"], mail["body"])),
            wanted={
                "intent": set(mail["intent"]),
                "primary_intent": min(mail["intent"], key=order.index),
                "product_line": mail["product_line"],
                "urgency": mail["urgency"],
                "risk_flag": set(mail["risk_flag"]),
            },
        )


def priority(contract: Contract) -> Sequence[str]:
    """The intents in the order in which one becomes the primary one."""
    (order,) = {
        rule.set.priority for rule in contract.labels if rule.pattern.text == "/primary_intent"
    }
    return order


def written(subject: str, body: str) -> bytes:
    """A mail of a subject and a body."""
    mail = EmailMessage()
    mail["From"] = "sender@example.com"
    mail["To"] = "service@example.org"
    mail["Subject"] = subject
    mail.set_content(body)
    return mail.as_bytes()


def material_of(data: bytes) -> Material:
    """What a run makes of a mail."""
    message = read_message(data)
    assert isinstance(message, Message)
    return Material(texts=message.texts, signals=message.automatic, input=message.facts)
