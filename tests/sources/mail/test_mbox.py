"""Mail is told from other files by its first lines, and mailboxes fall into their mails."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.mail.mbox import looks_like_message, split_mbox


@pytest.mark.parametrize(
    "head",
    [
        b"From: a@example.org\nSubject: Storm\n\nHello",
        b"Return-Path: <>\r\nReceived: from x\r\n",
        b"Received: by x\n\tfor y\n",
        b"Subject: Storm\n\nHello",
        b"From a@example.org Sat Jan  3 01:05:34 2026\nFrom: a@example.org\nTo: b\n",
        b"From -\nFrom: a@example.org\nSubject: x\n",
        b"\xef\xbb\xbf\n \nSubject: x\nTo: b\n",
        b"MIME-Version: 1.0\rContent-Type: text/plain\r\rx",
        b"Content-Type: text/plain; charset=utf-16le\n\na\x00b\x00",
        b"X-Odd: y\nSubject: s\n",
    ],
)
def test_a_mail_is_known_by_its_first_lines(head):
    """Fields that only mail programs write, or two that people know."""
    assert looks_like_message(head)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"MIT License\n\nCopyright (c) 2012: somebody\n",
        b"# README\n\nSubject: none\n",
        b'{"path": "a", "from": "b"}\n',
        b"<html><head><title>Subject: x</title>",
        b"<!DOCTYPE html>\n",
        b"Subject to change, read: twice\n",
        b"name: x\nversion: 1\n",
        b"Hello\nFrom: a\nTo: b\n",
        b"Title: On mail\nAuthor: somebody\n\nText",
        b"%PDF-1.4\n",
        b"From the start it was clear\nthat nothing: fits\n",
        b"Subject: a\x00b\nFrom: x\n",
    ],
)
def test_other_files_are_none(head):
    """Licences, READMEs, data and pages are not mail because they name a field somewhere."""
    assert not looks_like_message(head)


BOX = (
    b"From a@example.org Sat Jan  3 01:05:34 2026\nSubject: one\n\nfirst\n>From here on\n\n"
    b"From -\nSubject: two\n\nFrom Russia with love\n\nFrom 3 to 5: closed\n\n"
    b"From MAILER-DAEMON  Sat Oct  4 08:00:09 2025\nReturn-Path: <>\n\nthird\n"
)


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_a_mailbox_falls_into_its_mails(ends):
    """A line that begins with `From ` separates only where fields follow it."""
    mails = list(split_mbox(BOX.replace(b"\n", ends)))

    assert [b"Subject: one", b"Subject: two", b"Return-Path: <>"] == [
        mail.splitlines()[0] for mail in mails
    ]
    assert b"\nFrom here on" in mails[0].replace(b"\r", b"")


def test_a_file_without_separators_is_one_mail():
    """So that a caller may split whatever it is given."""
    assert [b"Subject: x\n\nFrom a@b 12:00\nhello"] == list(
        split_mbox(b"Subject: x\n\nFrom a@b 12:00\nhello")
    )


@settings(deadline=None)
@given(st.lists(st.sampled_from([b"From -\n", b"Subject: x\n", b"\n", b">From y\n", b"text\n"])))
def test_splitting_keeps_every_other_line(lines):
    """Only separators and the marks of escaped lines go."""
    data = b"".join(lines)

    kept = b"".join(split_mbox(data)).replace(b">", b"")
    assert kept.count(b"text") == data.count(b"text")
    assert kept.count(b"Subject") == data.count(b"Subject")
    assert kept.count(b"From y") == data.count(b"From y")
