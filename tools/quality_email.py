"""Score mail reading, quoting and the signs of machines on the public mails; no pass marks.

    python tools/quality_email.py [--cases FOLDER] [--names]

Scored as the README beside the cases says. `--names` lists the files behind each shortfall.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from time import perf_counter
from typing import Any

from public_data import CASES

from assay.contract.attempts import shorten
from assay.sources.mail.message import Message, read_message
from assay.sources.mail.quoting import blocks

CARRIED = ("Aenean quis diam urna.", "Unicum iter ad supremum.")
NOTE = "Praesent suscipit egestas hendrerit."
MACHINES = ("bounce", "feedback", "autoreply")
PEOPLE = ("forward_body", "reply_body", "html_body", "mbox", "not_bounce")
BOUNCES_ELSEWHERE = ("bounce", "complaint", "dsn", "report", "delivery", "feedback", "notification")


class Table:
    """Lines of figures, with the names of what fell short."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, int, int, list[str]]] = []

    def add(self, name: str, rows: list[tuple[str, bool]]) -> None:
        """One line: how many of *rows* (file, is it right?) are right."""
        short = [file for file, right in rows if not right]
        self.lines.append((name, len(rows) - len(short), len(rows), short))

    def show(self, *, names: bool) -> None:
        """Print the table."""
        for name, right, total, short in self.lines:
            share = f"{right / total:7.1%}" if total else "      –"
            print(f"{name:<58} {right:>4} of {total:<4} {share}")
            if names:
                for file in short:
                    print(f"    {file}")


def own(text: str, *kinds: str) -> str:
    """The sender's words in *text*, and blocks of other *kinds*."""
    return "".join(text[b.start : b.stop] for b in blocks(text) if b.kind in ("own", *kinds))


def bare(text: str) -> str:
    """*text* without white space."""
    return "".join(text.split())


def score(folder: Path, *, names: bool) -> None:
    """Read all mails of *folder* and print the figures."""
    rows = [json.loads(line) for line in (folder / "index.jsonl").read_text("utf-8").splitlines()]
    read: dict[str, Any] = {}
    times: list[float] = []
    size = 0
    for row in rows:
        data = (folder / row["path"]).read_bytes()
        before = perf_counter()
        read[row["path"]] = read_message(data)
        times.append(perf_counter() - before)
        size += len(data)
    outcomes = Counter(type(outcome).__name__ for outcome in read.values())
    notes = Counter(n.code for m in read.values() if isinstance(m, Message) for n in m.notes)
    reasons = Counter(m.reason for m in read.values() if not isinstance(m, Message))
    unread = Counter(u.why for m in read.values() if isinstance(m, Message) for u in m.unread)
    second = sum(
        any(name.startswith("body:") for name in m.texts)
        for m in read.values()
        if isinstance(m, Message)
    )
    times.sort()
    print(f"{len(rows)} files, {size / 1e6:.1f} MB: {dict(outcomes)}, none raised")
    print(
        f"{sum(times):.2f} s, p50 {times[len(times) // 2] * 1e3:.2f} ms,"
        f" p99 {times[len(times) * 99 // 100] * 1e3:.1f} ms"
    )
    print("unreadable: " + "; ".join(f"{why} {n}" for why, n in reasons.most_common()))
    print("unread parts: " + "; ".join(f"{why} {n}" for why, n in unread.most_common()))
    print(f"bodies whose forms say different things: {second}")
    print("notes: " + ", ".join(f"{code} {count}" for code, count in notes.most_common()) + "\n")
    table = Table()
    parsed(table, folder, rows, read)
    quoted(table, folder, rows, read)
    machines(table, rows, read)
    table.show(names=names)


def parsed(table: Table, folder: Path, rows: list[dict[str, Any]], read: dict[str, Any]) -> None:
    """Against stalwart: subjects, and bodies whose parts are plain text."""
    subjects, bodies = [], []
    for row in rows:
        file = folder / row.get("expected", "-")
        if not file.is_file():
            continue
        texts = getattr(read[row["path"]], "texts", {"subject": "", "body": ""})
        wanted = json.loads(file.read_text("utf-8"))
        found = [h["value"] for h in wanted["parts"][0]["headers"] if h["name"] == "subject"]
        subject = found[0]["Text"] if found else ""
        subjects.append((row["path"], bare(subject) == bare(texts["subject"])))
        parts = [wanted["parts"][number]["body"] for number in wanted["text_body"]]
        if all("Html" not in part for part in parts):
            body = "".join(part.get("Text", "") for part in parts)
            bodies.append((row["path"], bare(body) == bare(texts["body"])))
    table.add("stalwart: subject equal up to white space", subjects)
    table.add("stalwart: plain text body equal up to white space", bodies)


def quoted(table: Table, folder: Path, rows: list[dict[str, Any]], read: dict[str, Any]) -> None:
    """talon's replies and crisp's forwards."""
    words, gone, kept, alone, shortened = [], [], [], [], []
    by_client: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        name = row["path"]
        if "own_words" in row:
            body = read[name].texts["body"]
            words.append((name, row["own_words"].strip() == own(body, "signature").strip()))
        if row["kind"] != "forward_body":
            continue
        body = (folder / name).read_bytes().decode("utf-8").replace("\r\n", "\n")
        mine = own(body)
        right = not any(text in mine for text in CARRIED)
        gone.append((name, right))
        by_client[Path(name).name.rpartition("_body")[0].rpartition("_")[0]].append(right)
        if row["forwarder_wrote"]:
            kept.append((name, NOTE in mine))
            shown = shorten({"body": body}, lambda views: len(views[0].text) <= 400)
            text = shown[0].text if shown else CARRIED[0]
            shortened.append((name, NOTE in text and CARRIED[0] not in text))
        elif row["quoted_body_present"]:
            alone.append((name, not mine.strip()))
    table.add("talon: own words of replies", words)
    table.add("crisp: forwarded or quoted part told from own words", gone)
    table.add("crisp: forwarder's own note kept", kept)
    table.add("crisp: nothing own where only forwarded", alone)
    table.add("crisp: second attempt shows the note without the forward", shortened)


def machines(table: Table, rows: list[dict[str, Any]], read: dict[str, Any]) -> None:
    """Recall on what machines wrote, precision on what people wrote."""
    for kind in MACHINES:
        flagged = [
            (row["path"], bool(getattr(read[row["path"]], "automatic", ())))
            for row in rows
            if row["kind"] == kind
        ]
        table.add(f"sisimai {kind}: flagged as automatic", flagged)
    for kind in PEOPLE:
        silent = [
            (row["path"], not getattr(read[row["path"]], "automatic", ()))
            for row in rows
            if row["kind"] == kind
        ]
        table.add(f"{kind}: not flagged", silent)
    ordinary = [
        (row["path"], not getattr(read[row["path"]], "automatic", ()))
        for row in rows
        if row["kind"] == "mail"
        and not any(word in row["path"] for word in BOUNCES_ELSEWHERE)
        and "report" not in getattr(read[row["path"]], "automatic", ())
    ]
    table.add("other mails that are no report: not flagged", ordinary)


def main() -> int:
    """Read the options, score, and say so when the data is absent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--names", action="store_true")
    options = parser.parse_args()
    folder = options.cases / "email"
    if not (folder / "index.jsonl").is_file():
        print("the public mails are absent; name their folder with --cases")
        return 1
    score(folder, names=options.names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
