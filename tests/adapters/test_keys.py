"""Master keys: how they are written, what they wrap, what is said when they are wrong."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from assay.adapters.keys import MasterKeys, keyring_from
from assay.errors import InputError, IntegrityError, MasterKeyError

KEY = bytes(range(32))
OTHER = b"o" * 32


@pytest.mark.parametrize(
    "text",
    [
        KEY.hex(),
        KEY.hex().upper(),
        base64.b64encode(KEY).decode(),
        base64.urlsafe_b64encode(KEY).decode().rstrip("="),
        f"  {KEY.hex()}\n",
        f"# made in January\n{KEY.hex()}\n# the old one\n{OTHER.hex()}\n",
        f"{KEY.hex()} {OTHER.hex()}",
    ],
)
def test_a_key_is_read_as_it_is_usually_written(text: str) -> None:
    """Hex or Base64, in a variable or a file with comments; the first one wraps."""
    ring = MasterKeys.parse(text)

    assert MasterKeys([KEY]).key_id == ring.key_id
    assert b"d" * 32 == MasterKeys([KEY]).unwrap(ring.key_id, ring.wrap(b"d" * 32))


@pytest.mark.parametrize("text", ["", "# nothing", "secret", KEY.hex()[:-2], "é" * 64, "z" * 64])
def test_what_is_no_key_is_refused_unquoted(text: str) -> None:
    """The message says what is wrong and holds nothing of what was given."""
    with pytest.raises(InputError) as caught:
        MasterKeys.parse(text)

    assert text == "" or text not in str(caught.value) + caught.value.hint


def test_rotation_keeps_what_was_wrapped() -> None:
    """The new key wraps, the old one still unwraps; without it, the error names its id."""
    old, new = MasterKeys([KEY]), MasterKeys([OTHER, KEY])
    wrapped = old.wrap(b"d" * 32)

    assert old.key_id != new.key_id
    assert b"d" * 32 == new.unwrap(old.key_id, wrapped)
    with pytest.raises(MasterKeyError, match=old.key_id):
        MasterKeys([OTHER]).unwrap(old.key_id, wrapped)


def test_a_changed_wrap_is_found() -> None:
    """Any byte, any cut; also under the name of another key."""
    ring = MasterKeys([KEY, OTHER])
    wrapped = ring.wrap(b"d" * 32)
    for at in range(len(wrapped)):
        bent = wrapped[:at] + bytes([wrapped[at] ^ 1]) + wrapped[at + 1 :]
        with pytest.raises(IntegrityError):
            ring.unwrap(ring.key_id, bent)
        with pytest.raises(IntegrityError):
            ring.unwrap(ring.key_id, wrapped[:at])
    with pytest.raises(IntegrityError):
        ring.unwrap(MasterKeys([OTHER]).key_id, wrapped)


def test_the_environment_may_name_a_key_or_a_file(tmp_path: Path) -> None:
    """None when nothing is set; a file that cannot be read or both at once is refused."""
    file = tmp_path / "key"
    file.write_text(KEY.hex())
    ring = MasterKeys([KEY])

    assert None is keyring_from({"ASSAY_MASTER_KEY": ""})
    for environ in ({"ASSAY_MASTER_KEY": KEY.hex()}, {"ASSAY_MASTER_KEY_FILE": str(file)}):
        found = keyring_from(environ)
        assert found is not None
        assert ring.key_id == found.key_id
    for environ in (
        {"ASSAY_MASTER_KEY": KEY.hex(), "ASSAY_MASTER_KEY_FILE": str(file)},
        {"ASSAY_MASTER_KEY_FILE": str(tmp_path / "missing")},
        {"ASSAY_MASTER_KEY": "password"},
    ):
        with pytest.raises(InputError):
            keyring_from(environ)
