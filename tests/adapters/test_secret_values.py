"""Secrets from variables, files and the system's key store."""

from __future__ import annotations

import sys

import pytest

from assay.adapters.keys import keyring_from
from assay.adapters.models.anthropic import AnthropicModel
from assay.adapters.models.openai import OpenAIModel
from assay.adapters.secret_values import open_to_all, read_provider_key, read_secret
from assay.errors import ModelUnavailableError, UsageError
from assay.wiring.settings import Settings


@pytest.fixture
def file(tmp_path):
    found = tmp_path / "key"
    found.write_bytes(b"k-123\n")
    found.chmod(0o600)
    return found


@pytest.mark.clause("006-M8")
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_file_is_read_without_the_line_end_after_it(file, end):
    """As Docker and an editor write it; spaces are the secret's own."""
    file.write_bytes(b" k-123" + end)

    assert " k-123" == read_secret({"A_KEY_FILE": str(file)}, "A_KEY")
    assert "" == read_secret({}, "A_KEY")
    assert "x" == read_secret({"A_KEY": "x"}, "A_KEY")


@pytest.mark.clause("006-M8")
@pytest.mark.parametrize("raw", [b"", b"\n", b"  ", b"a\nb", b"\xff", b"a\0", b"x" * 70_000])
def test_a_file_without_one_secret_is_refused(file, raw):
    """The variable is named; nothing of the file is repeated."""
    file.write_bytes(raw)

    with pytest.raises(UsageError, match="A_KEY_FILE"):
        read_secret({"A_KEY_FILE": str(file)}, "A_KEY")


@pytest.mark.clause("006-M8")
def test_two_forms_of_one_secret_are_refused(file):
    """Neither is preferred in silence; leaves with 2."""
    with pytest.raises(UsageError, match="both set") as refused:
        read_secret({"A_KEY": "x", "A_KEY_FILE": str(file)}, "A_KEY")
    assert 2 == refused.value.exit_code


def test_a_file_that_is_absent_a_folder_or_open_to_changes_is_refused(file, tmp_path):
    """Who may change a key decides whose account is used."""
    for name in (str(tmp_path / "absent"), str(tmp_path), "a\0b"):
        with pytest.raises(UsageError, match="A_KEY_FILE"):
            read_secret({"A_KEY_FILE": name}, "A_KEY")
    file.chmod(0o602)
    with pytest.raises(UsageError, match="everybody"):
        read_secret({"A_KEY_FILE": str(file)}, "A_KEY")
    file.chmod(0o604)
    assert open_to_all(str(file))


@pytest.mark.clause("006-M8")
def test_both_providers_and_the_redaction_take_keys_from_files(file):
    """The key arrives at the SDK; the surrogates are made under it."""
    environ = {f"{name}_FILE": str(file) for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")}

    assert "k-123" == OpenAIModel.create("x", environ=environ)._client.api_key
    assert "k-123" == AnthropicModel.create("x", environ=environ)._client.api_key
    settings = Settings.from_environment({"ASSAY_REDACTION_KEY_FILE": str(file)})
    assert "k-123" == settings.redaction_key
    assert "k-123" not in repr(settings)


class TestKeyStore:
    """With a key store in memory, which is how `keyring` lets one be chosen."""

    @pytest.fixture(autouse=True)
    def store(self):
        keyring = pytest.importorskip("keyring")
        from keyring.backend import KeyringBackend

        class Memory(KeyringBackend):
            priority = 1

            def get_password(self, service, username):
                if username == "LOCKED":
                    raise RuntimeError("the secret k-stored is locked")
                entries = {("assay", "OPENAI_API_KEY"): "k-stored", ("other", "me"): "k-mine"}
                return entries.get((service, username))

            def set_password(self, service, username, password):
                raise AssertionError

            def delete_password(self, service, username):
                raise AssertionError

        before = keyring.get_keyring()
        keyring.set_keyring(Memory())
        yield
        keyring.set_keyring(before)

    @pytest.mark.clause("006-M8")
    def test_an_entry_is_found_by_the_variables_name_or_by_its_own(self):
        """`keyring:` is the service `assay`; another may be named."""
        assert "k-stored" == read_secret({"OPENAI_API_KEY": "keyring:"}, "OPENAI_API_KEY")
        assert "k-mine" == read_secret({"OPENAI_API_KEY": "keyring:other/me"}, "OPENAI_API_KEY")

    def test_what_is_not_there_is_an_error_that_says_how_to_put_it_there(self):
        """Never an empty key."""
        with pytest.raises(UsageError, match="no such entry") as refused:
            read_secret({"A_KEY": "keyring:"}, "A_KEY")
        assert "keyring set assay A_KEY" == refused.value.hint
        with pytest.raises(UsageError):
            keyring_from({"ASSAY_MASTER_KEY": "keyring:"})

    def test_a_store_that_cannot_be_asked_is_out_of_reach(self):
        """Leaves with 40; its own words are not repeated."""
        with pytest.raises(ModelUnavailableError, match="RuntimeError") as refused:
            read_secret({"A_KEY": "keyring:assay/LOCKED"}, "A_KEY")
        assert "k-stored" not in f"{refused.value}{refused.value.hint}"

    def test_without_the_package_the_hint_names_it(self, monkeypatch):
        """It is an extra."""
        monkeypatch.setitem(sys.modules, "keyring", None)

        with pytest.raises(ModelUnavailableError) as refused:
            read_secret({"A_KEY": "keyring:"}, "A_KEY")
        assert "assay[keyring]" in refused.value.hint


@pytest.mark.clause("006-M8")
@pytest.mark.parametrize(
    "key",
    ["sk-\N{EN DASH}1", "\ufeffsk-1", "\u201csk-1\u201d", "sk-1\n", " sk-1", "sk\n1", "sk\x001"],
)
def test_a_key_that_no_header_can_carry_is_told_before_anything_is_sent(key):
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as told:
        read_provider_key({"OPENAI_API_KEY": key}, "OPENAI_API_KEY")
    assert "sk" not in str(told.value)


@pytest.mark.clause("006-M8")
def test_a_key_of_a_file_is_named_by_the_variable_of_the_file(file):
    file.write_text("sk-\N{EN DASH}1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="OPENAI_API_KEY_FILE"):
        read_provider_key({"OPENAI_API_KEY_FILE": str(file)}, "OPENAI_API_KEY")
    file.write_text("sk-1\n", encoding="utf-8")
    assert read_provider_key({"OPENAI_API_KEY_FILE": str(file)}, "OPENAI_API_KEY") == "sk-1"
    assert read_provider_key({}, "OPENAI_API_KEY") == ""
