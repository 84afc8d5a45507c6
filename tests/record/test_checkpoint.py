"""Signed tree heads in the shared form of transparency logs."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, IntegrityError
from assay.record.checkpoint import Checkpoint, Signer, Verifier, add_signature, read_note, verify

OLD = Signer(name="log.example/a", seed=b"o" * 32)
NEW = Signer(name="log.example/a", seed=b"n" * 32)
OTHER = Signer(name="witness.example", seed=b"w" * 32)
HEAD = Checkpoint(origin="log.example/a", size=42, root=bytes(range(32)))

# The published example of the note format: keys and a text signed with them.
GO_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
GO_SIGNATURE = (
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
)


def test_keys_and_signatures_are_those_of_other_programs() -> None:
    """The published example keys have the published ids, and sign the published text alike."""
    signer = Signer.parse(GO_SECRET)
    key = signer.verifier
    signature = b64encode(key.key_id + signer.sign(GO_TEXT.encode())).decode()

    assert GO_PUBLIC == str(key)
    assert Verifier.parse(GO_PUBLIC) == key
    assert GO_SECRET == signer.secret_text()
    assert GO_SIGNATURE == signature


def test_a_checkpoint_has_the_shared_form() -> None:
    """Name, size and root a line each; an empty line; a signature line."""
    lines = HEAD.sign([OLD]).split("\n")

    assert ["log.example/a", "42", b64encode(bytes(range(32))).decode(), ""] == lines[:4]
    assert lines[4].startswith("— log.example/a ")
    assert ["", 6] == [lines[5], len(lines)]


def test_a_signed_head_is_read_back() -> None:
    """The one who trusts the key gets the head."""
    head = Checkpoint(origin="o", size=0, root=b"\0" * 32, extensions=("time 1", "x"))

    assert (head, (OLD.verifier,)) == verify(head.sign([OLD]), [OLD.verifier], origin="o")


def test_keys_are_rotated_by_signing_twice() -> None:
    """Old and new holders both accept; lines by unknown keys, witnesses say, mean nothing."""
    note = add_signature(HEAD.sign([OLD, NEW]), OTHER)

    for trusted in ([OLD], [NEW], [OTHER], [OLD, NEW, OTHER]):
        keys = [signer.verifier for signer in trusted]
        assert (HEAD, tuple(keys)) == verify(note, keys)


@pytest.mark.parametrize(
    "change",
    [
        lambda note: note.replace("42", "43"),
        lambda note: note.replace("log.example/a\n42", "log.example/b\n42"),
        lambda note: note.replace("AAEC", "AAED"),
        lambda note: note.replace("\n\n", "\nmore\n\n"),
    ],
)
def test_a_changed_checkpoint_is_found(change) -> None:
    """Every line is signed."""
    note = HEAD.sign([OLD])
    changed = change(note)

    assert changed != note
    with pytest.raises(IntegrityError):
        verify(changed, [OLD.verifier])


def test_only_known_keys_count() -> None:
    """Another key, another name for the same key, another log, a broken line of a known key."""
    note = HEAD.sign([OLD])
    renamed = Verifier(name="log.example/b", public=OLD.verifier.public)
    for keys in ([], [NEW.verifier], [renamed]):
        with pytest.raises(IntegrityError, match="no known key"):
            verify(note, keys)
    with pytest.raises(IntegrityError, match="another log"):
        verify(note, [OLD.verifier], origin="log.example/b")
    line = b64encode(OLD.verifier.key_id + b"\0" * 64).decode()
    with pytest.raises(IntegrityError, match="does not hold"):
        verify(HEAD.sign([NEW]) + f"— {OLD.name} {line}\n", [OLD.verifier, NEW.verifier])


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n\n",
        "o\n1\n\n",
        HEAD.body,
        HEAD.body + "\n",
        HEAD.body + "\nno signature\n",
        HEAD.sign([OLD])[:-1],
        HEAD.sign([OLD]).replace("42", "042"),
        HEAD.sign([OLD]).replace("42", "-1"),
        HEAD.sign([OLD]).replace("42", "٤٢"),
        HEAD.sign([OLD]).replace("42", "4_2"),
        HEAD.sign([OLD]).replace("\n42\n", "\n42\r\n"),
        HEAD.sign([OLD]).replace("— ", "- "),
        HEAD.sign([OLD]).replace("AAEC", "AAE"),
        HEAD.sign([OLD]) + "— x AAAA\n",
        HEAD.sign([OLD]) + "\n",
        HEAD.sign([OLD]) + "— x\n",
        HEAD.sign([OLD]) + "— x AAAAAA==\n",  # the id of a key, and no signature behind it
        HEAD.sign([OLD] * 101),
    ],
)
def test_what_is_no_checkpoint_is_refused(note: str) -> None:
    """Cut off, another spelling, another order: the caller's mistake, told as such."""
    with pytest.raises(InputError):
        read_note(note)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "a+b+c",
        GO_PUBLIC.replace("c74f20a3", "c74f20a4"),
        GO_PUBLIC.replace("PeterNeumann", "Peter Neumann"),
        GO_PUBLIC.replace("+AR", "+Ah"),
        GO_PUBLIC[:-4],
    ],
)
def test_what_is_no_key_is_refused(text: str) -> None:
    """A wrong id, name, kind or length; the same for secret keys, which are never quoted."""
    with pytest.raises(InputError):
        Verifier.parse(text)
    with pytest.raises(InputError) as caught:
        Signer.parse("PRIVATE+KEY+" + text)
    assert text == "" or text not in str(caught.value)
    assert "seed" not in repr(OLD)


@given(
    st.text(max_size=200) | st.builds(lambda a, b: a + "\n\n— " + b + "\n", st.text(), st.text())
)
def test_any_text_is_read_or_refused(note: str) -> None:
    """Nothing but InputError comes out of reading."""
    try:
        checkpoint, _ = read_note(note)
    except InputError:
        return
    assert note.startswith(checkpoint.body)


@given(st.integers(0, 2**63), st.binary(min_size=32, max_size=32))
def test_every_head_survives_the_round(size: int, root: bytes) -> None:
    """Signed, verified, the same."""
    head = Checkpoint(origin="o", size=size, root=root)

    assert head == verify(head.sign([OLD]), [OLD.verifier])[0]


def test_a_hundred_signatures_are_read() -> None:
    """As many witnesses as anybody has; one more is refused, so that no note costs without end."""
    _, signatures = read_note(HEAD.sign([OLD] * 100))

    assert 100 == len(signatures)


def test_base64_has_one_spelling() -> None:
    """Bits that fill up the last character are zero: a key, a root or a signature that is spelt
    otherwise is refused, or one note would have many texts."""
    encoded = str(OLD.verifier).rpartition("+")[2]
    assert encoded[-1] != "="
    root = b64encode(HEAD.root).decode()
    assert root.endswith("8=")
    note = HEAD.sign([OLD])

    with pytest.raises(InputError, match="no checkpoint"):
        read_note(note.replace(root, root[:-2] + "9="))
    line = note.splitlines()[-1]
    assert line.endswith("=")
    spelt = line.rstrip("=")
    other = chr(ord(spelt[-1]) + 1) + "=" * (len(line) - len(spelt))
    with pytest.raises(InputError, match="no checkpoint"):
        read_note(note.replace(line, spelt[:-1] + other))


@pytest.mark.clause("005-R20")
def test_a_key_vouches_once_and_every_line_of_it_must_hold() -> None:
    """A repeated line counts no second time; no true line makes a false one good, in any order."""
    twice = HEAD.sign([OLD, OLD, NEW])
    assert (HEAD, (OLD.verifier, NEW.verifier)) == verify(twice, [OLD.verifier, NEW.verifier])

    false = b64encode(OLD.verifier.key_id + b"\0" * 64).decode()
    body, _, signed = HEAD.sign([OLD]).rpartition("\n\n")
    with pytest.raises(IntegrityError, match="does not hold"):
        verify(f"{body}\n\n— {OLD.name} {false}\n{signed}", [OLD.verifier])
    with pytest.raises(IntegrityError, match="does not hold"):
        verify(f"{body}\n\n{signed}— {OLD.name} {false}\n", [OLD.verifier])
