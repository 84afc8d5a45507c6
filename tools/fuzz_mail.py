"""Feed damaged mail to the readers: nothing may raise, hang, or grow faster than its input.

    python tools/fuzz_mail.py [--seconds N] [--seed N] [--cases FOLDER]

Mutates the public mails (cuts, swaps, repeats, other charsets and encodings, wrapped parts), and
adds random bytes. A crash prints the seed and writes the input; a reading that takes more than
SLOW seconds is printed. At the end a table: how the time grows for inputs built to be hard.
"""

from __future__ import annotations

import base64
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from fuzzing import Growth, make_parser, measure_growth, print_growth
from public_data import CASES

from assay.sources.document import read_document
from assay.sources.mail.message import Message, read_message
from assay.sources.mail.tnef import SIGNATURE

SLOW = 5.0
HEAD = b"From: a@example.org\nSubject: s\nMIME-Version: 1.0\n"
NAMES = (
    *("x.eml", "x.msg", "x.html", "x.pdf", "x.docx", "x.txt", "x.md", "x.rst", "x.csv"),
    *("x.xlsx", "x.pptx", "x.rtf", "x.py", "x.js", "x.ipynb"),
)
PIECES = (
    b"\n\n",
    b"\r",
    b"\x00",
    b"\xff\xfe",
    b"--",
    b"=",
    b"=?utf-8?b?",
    b"?=",
    b"\x1b$B",
    b"~{",
    b"+2AA-",
    b"Content-Type: multipart/alternative; boundary=b\n",
    b"Content-Type: message/rfc822\n\n",
    b"Content-Type: application/pkcs7-mime; name=smime.p7m\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: quoted-printable\n",
    b"Content-Type: application/ms-tnef\n",
    b"Content-Type: text/plain; format=flowed; delsp=yes; charset=iso-2022-jp\n",
    b"\n--b\n",
    b"<p>",
    b"<blockquote>",
    b"&nbsp;",
    b"-----BEGIN PGP MESSAGE-----\n",
    b"-----BEGIN PGP SIGNED MESSAGE-----\n",
    b"begin 644 a.txt\n",
    b"{\\rtf1 \\u",
    b"\\'e4",
    b"{\\*\\htmltag ",
    b"\x30\x80\x06\x09",
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02",
    SIGNATURE,
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"From x@y 1:2\n",
)


def mutate(chance: random.Random, mails: list[bytes]) -> bytes:
    """One damaged mail."""
    data = bytearray(chance.choice(mails)[:60_000])
    for _ in range(chance.randint(1, 8)):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(8)
        if kind == 0:
            del data[place : place + chance.randint(1, 400)]
        elif kind == 1:
            data[place:place] = chance.choice(PIECES)
        elif kind == 2 and data:
            data[min(place, len(data) - 1)] = chance.randrange(256)
        elif kind == 3:
            data[place:place] = data[place : place + 200] * chance.randint(1, 20)
        elif kind == 4:
            other = chance.choice(mails)
            start = chance.randrange(len(other) + 1)
            data[place:place] = other[start : start + 2_000]
        elif kind == 5:
            data[place:place] = chance.randbytes(chance.randint(1, 300))
        elif kind == 6:
            data[:] = data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n")))
        else:
            data[:] = wrap(chance, bytes(data))
    return bytes(data[:400_000])


def wrap(chance: random.Random, data: bytes) -> bytes:
    """*data* inside another mail, in a container that it may or may not be."""
    media = chance.choice(
        (
            "application/pkcs7-mime",
            "application/ms-tnef",
            "message/rfc822",
            "text/rtf",
            "text/html",
            "application/octet-stream",
            "text/plain; charset=utf-16",
            "text/calendar",
            "image/png",
        )
    )
    encoded = base64.encodebytes(data) if chance.random() < 0.5 else data
    how = b"base64" if encoded is not data else b"8bit"
    return HEAD + b"Content-Type: %s\nContent-Transfer-Encoding: %s\n\n%s" % (
        media.encode(),
        how,
        encoded,
    )


def fuzz(seconds: float, seed: int, mails: list[bytes]) -> int:
    """Read damaged mails for so long; how many readings failed."""
    chance = random.Random(seed)
    until = perf_counter() + seconds
    count = failed = unreadable = 0
    slowest = 0.0
    while perf_counter() < until:
        random_bytes = chance.random() < 0.1
        data = chance.randbytes(chance.randint(0, 3_000)) if random_bytes else mutate(chance, mails)
        begun = perf_counter()
        try:
            read = read_message(data)
            check(read)
            if count % 4 == 0:
                read_document(chance.choice(NAMES), data)
        except Exception as fault:
            failed += 1
            path = Path(tempfile.gettempdir()) / f"fuzz-mail-{seed}-{count}.eml"
            path.write_bytes(data)
            print(f"{type(fault).__name__} in reading {count} of seed {seed}: {path}")
        spent = perf_counter() - begun
        if spent > SLOW:
            print(f"{spent:.1f} s for {len(data)} bytes, reading {count} of seed {seed}")
        slowest = max(slowest, spent)
        unreadable += not isinstance(read, Message)
        count += 1
    print(f"{count} inputs, {unreadable} unreadable, {failed} failed, slowest {slowest:.2f} s")
    return failed


def check(read: object) -> None:
    """What holds of every answer."""
    if isinstance(read, Message):
        for name, text in read.texts.items():
            if set("\x00\r") & set(name + text):
                raise AssertionError("a text holds NUL or CR")
            (name + text).encode("utf-8")
        if not any(text.strip() for name, text in read.texts.items() if name != "subject"):
            raise AssertionError("a subject is judged alone")


def parts(kind: bytes, part: bytes, count: int) -> bytes:
    """A mail of many equal parts."""
    return (
        HEAD
        + b"Content-Type: multipart/%s; boundary=b\n\n" % kind
        + (b"--b\n" + part + b"\n") * count
        + b"--b--\n"
    )


BUILDERS: dict[str, tuple[Callable[[int], bytes], int]] = {
    "many parts": (lambda n: parts(b"mixed", b"Content-Type: text/plain\n\nhi", n), 400),
    "many attachments": (
        lambda n: parts(b"mixed", b"Content-Type: text/plain; name=a.txt\n\nhi", n),
        100,
    ),
    "many forms": (
        lambda n: parts(b"alternative", b"Content-Type: text/html\n\n<p>hi there", n),
        300,
    ),
    "nested": (
        lambda n: (
            HEAD
            + b"".join(
                b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(n)
            )
        ),
        40,
    ),
    "one long line": (lambda n: HEAD + b"\n" + b"word " * n, 60_000),
    "no blank": (lambda n: HEAD + b"\n" + b"a" * n, 300_000),
    "short lines": (lambda n: HEAD + b"\n" + b"> x\n" * n, 30_000),
    "flowed": (
        lambda n: HEAD + b"Content-Type: text/plain; format=flowed\n\n" + b"> x \n" * n,
        30_000,
    ),
    "entities": (lambda n: HEAD + b"Content-Type: text/html\n\n" + b"&nbsp;&amp;" * n, 30_000),
    "deep html": (lambda n: HEAD + b"Content-Type: text/html\n\n" + b"<div>x" * n, 20_000),
    "wide table": (
        lambda n: HEAD + b"Content-Type: text/html\n\n<table>" + b"<tr><td>x<td>y" * n,
        8_000,
    ),
    "huge header": (lambda n: HEAD + b"X: " + b"a, " * n + b"\n\nhi", 200_000),
    "many headers": (lambda n: HEAD + b"X-A: b\n" * n + b"\nhi", 20_000),
    "encoded words": (lambda n: HEAD + b"Subject: " + b"=?utf-8?q?a?= " * n + b"\n\nhi", 20_000),
    "stray header lines": (lambda n: b"garbage\n" * n + HEAD + b"\nhi", 20_000),
    "blanks before colons": (lambda n: HEAD + b"a :\n" * n + b"\nhi", 20_000),
    "one word that begins a phrase": (
        lambda n: parts(
            b"alternative",
            b"Content-Type: text/plain\n\n"
            + b"view" * n
            + b"\n--b\nContent-Type: text/html\n\n<p>x",
            1,
        ),
        20_000,
    ),
    "S/MIME of line ends": (
        lambda n: HEAD + b"Content-Type: application/pkcs7-mime\n\nM" + b"\n" * n + b"!",
        60_000,
    ),
    "S/MIME of frames": (
        lambda n: (
            HEAD + b"Content-Type: application/pkcs7-mime\n\n" + b"-----BEGIN PKCS7-----\n" * n
        ),
        20_000,
    ),
    "PGP begins": (
        lambda n: HEAD + b"\n" + b"-----BEGIN PGP SIGNED MESSAGE-----\n\nx\n" * n,
        4_000,
    ),
    "uuencode begins": (lambda n: HEAD + b"\n" + b"begin 644 x\n#86)C\n" * n, 6_000),
    "rtf groups": (lambda n: HEAD + b"Content-Type: text/rtf\n\n{\\rtf1 " + b"{\\b x}" * n, 30_000),
    "rtf bytes": (lambda n: HEAD + b"Content-Type: text/rtf\n\n{\\rtf1 " + b"\\'e4" * n, 60_000),
    "stub lines": (
        lambda n: parts(
            b"alternative",
            b"Content-Type: text/plain\n\n"
            + b"view a b c d\n" * n
            + b"\n--b\nContent-Type: text/html\n\n<p>x"
            + b"view e f g h<br>" * n,
            1,
        ),
        8_000,
    ),
    "brackets": (
        lambda n: parts(
            b"alternative",
            b"Content-Type: text/plain\n\n"
            + b"[cid:[image" * n
            + b"\n--b\nContent-Type: text/html\n\n<p>x",
            1,
        ),
        20_000,
    ),
    "foreign bytes": (
        lambda n: HEAD + b"Content-Type: text/plain; charset=us-ascii\n\n" + b"\xa4\xa2\xff" * n,
        60_000,
    ),
    "BER lengths left open": (
        lambda n: (
            HEAD
            + b"Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\n"
            + base64.encodebytes(
                b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02" + b"\xa0\x80\x30\x80" * n
            )
        ),
        20_000,
    ),
    "BER pieces": (
        lambda n: (
            HEAD
            + b"Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\n"
            + base64.encodebytes(
                b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80\x30\x80\x02\x01\x01\x31\x00\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01\xa0\x80\x24\x80"
                + b"\x04\x04text" * n
                + bytes(12)
            )
        ),
        20_000,
    ),
    "TNEF files": (
        lambda n: (
            HEAD
            + b"Content-Type: application/ms-tnef\nContent-Transfer-Encoding: base64\n\n"
            + base64.encodebytes(
                SIGNATURE
                + b"\x01\x00"
                + (
                    b"\x02\x02\x90\x06\x00\x00\x00\x00\x00\x00\x00"
                    + b"\x02\x0f\x80\x06\x00\x01\x00\x00\x00x\x00\x00"
                )
                * n
            )
        ),
        200,
    ),
    "messages in messages": (
        lambda n: HEAD + b"Content-Type: message/rfc822\n\nSubject: s\n" * n + b"\nx",
        40,
    ),
    "base64 footers": (
        lambda n: (
            HEAD
            + b"Content-Transfer-Encoding: base64\n\n"
            + b"aGVsbG8gd29ybGQh\n" * n
            + b"-- a word"
        ),
        20_000,
    ),
}
"""Inputs built to be hard, by what they repeat, and how often."""


def growths() -> Iterator[Growth]:
    """How the time grows where the input doubles."""
    for name, (build, count) in BUILDERS.items():
        yield measure_growth(name, read_message, build(count), build(2 * count))


def main() -> int:
    """Read the options, feed the readers, print the growth."""
    parser = make_parser(__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    options = parser.parse_args()
    folders = (
        options.cases / "email",
        options.cases / "intake",
        options.cases / "reports" / "mail",
    )
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    mails = [path.read_bytes() for path in files if path.suffix in (".eml", ".raw", ".txt")]
    failed = fuzz(
        options.seconds, options.seed, [mail for mail in mails if mail] or [HEAD + b"\nhi"]
    )
    print_growth(growths())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
