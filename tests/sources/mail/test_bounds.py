"""The work of reading a mail grows with the mail, not with its square."""

from __future__ import annotations

import pytest

from tests.processes import run_python

HEAD = b"From: a@example.org\nSubject: s\nMIME-Version: 1.0\n"
SMIME = HEAD + b"Content-Type: application/pkcs7-mime; name=smime.p7m\n\n"


def two_forms(plain: bytes) -> bytes:
    """A mail with *plain* and another form beside it."""
    return (
        HEAD
        + b"Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n"
        + plain
        + b"\n--b\nContent-Type: text/html\n\n<p>I cancel my policy.\n--b--\n"
    )


# A limit of the system, not a clock of ours: whoever goes over the same bytes again is stopped.
LIMITED = """
import resource, sys
from assay.sources.mail.message import read_message
data = sys.stdin.buffer.read()
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
print(type(read_message(data)).__name__)
"""

LONG = {
    "blanks before colons": (HEAD + b"a :\n" * 60_000 + b"\nI cancel my policy.", "Message"),
    "one word that begins a phrase": (two_forms(b"view" * 200_000), "Message"),
    "one word of a phrase in Polish": (two_forms(b"wersj" * 150_000), "Message"),
    "full stops": (two_forms(b"." * 300_000 + b"a"), "Message"),
    "S/MIME of line ends": (SMIME + b"M" + b"\n" * 300_000 + b"!", "Unreadable"),
    "S/MIME of frames": (SMIME + b"-----BEGIN PKCS7-----\n" * 30_000, "Unreadable"),
}


@pytest.mark.clause("005-M8")
@pytest.mark.parametrize(("data", "kind"), LONG.values(), ids=LONG)
def test_a_long_mail_costs_what_its_length_says(data, kind):
    """A few hundred kilobytes, built to be gone over again and again, take a moment."""
    done = run_python("-c", LIMITED, stdin=data)

    assert 0 == done.returncode, done.stderr
    assert done.stdout.decode().strip() == kind
