"""`assay.toml`: where it is found, who wins, and what is refused."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.wiring.settings import Settings, environment, own_variables
from assay.wiring.settings_file import (
    HOMES,
    known_variables,
    parse_settings,
    read_settings_file,
    show_value,
)

SOURCE = Path(__file__).parents[2] / "src" / "assay"
HERE = Path("assay.toml")


def assay(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name != "ASSAY_CONFIG"}
    return subprocess.run(
        [sys.executable, "-m", "assay.cli.main", *words],
        cwd=folder,
        env={**environ, "HOME": str(folder / "home"), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.clause("006-M8")
def test_keys_are_the_variables_in_small_letters_and_those_of_a_provider_in_its_table():
    """Numbers and booleans are written as TOML writes them."""
    found = parse_settings(
        'model = "openai:x"\nretry_attempts = 2\nstrict_templates = true\nca_file = "a.pem"\n'
        'https_proxy = "http://p:1"\nopenai_api = "responses"\n\n[openai]\nbase_url = "http://h"\n',
        HERE,
        own_variables(),
    )

    assert {
        "ASSAY_MODEL": "openai:x",
        "ASSAY_RETRY_ATTEMPTS": "2",
        "ASSAY_STRICT_TEMPLATES": "true",
        "ASSAY_CA_FILE": "a.pem",
        "HTTPS_PROXY": "http://p:1",
        "ASSAY_OPENAI_API": "responses",
        "OPENAI_BASE_URL": "http://h",
    } == found.values
    assert 9 == found.lines["OPENAI_BASE_URL"]
    settings = Settings.from_environment(found.values)
    assert (2, True) == (settings.retry_attempts, settings.strict_templates)


@pytest.mark.clause("006-M8")
@pytest.mark.parametrize(
    "written", ["temperature = true", "retry_attempts = false", "retry_total_s = inf"]
)
def test_a_value_of_another_kind_is_refused(written):
    """True is no number, and no wait is without end."""
    found = parse_settings(written, HERE, own_variables())

    with pytest.raises(UsageError):
        Settings.from_environment(found.values)


@pytest.mark.clause("006-M8")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\nmodle = "x"', ("assay.toml:2", "did you mean model?")),
        ('[openai]\nbase_ulr = "x"', ("assay.toml:2", "did you mean openai.base_url?")),
        ('ASSAY_MODEL = "x"', ("assay.toml:1", "model?")),
        ('base_url = "x"', ("assay.toml:1", "openai.base_url?")),
        ('a = 1\nopenai.key = "x"', ("assay.toml:1", "'a'")),
        ("model = [1]", ("assay.toml:1: model", "true or false")),
        ("model = 2020-01-01", ("assay.toml:1: model", "true or false")),
        ("[openai.api_key]", ("assay.toml:1", "openai.api_key")),
        ("model = ", ("assay.toml", "no TOML")),
        ("a" * 5000, ("assay.toml", "no TOML")),
        ('[openai]\napi_key = "s3cret"\napi_key_file = "f"', ("assay.toml:2", "only one")),
    ],
)
def test_what_is_no_setting_is_refused_with_line_and_nearest_name(text, said):
    """A mistyped key must not quietly leave the default in force; no value is repeated."""
    with pytest.raises(UsageError) as refused:
        parse_settings(text, HERE, own_variables())

    message = f"{refused.value} {refused.value.hint}"
    assert all(part in message for part in said), message
    assert "s3cret" not in message


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    """Nothing but a UsageError leaves the reader."""
    try:
        found = parse_settings(text, HERE, own_variables())
    except UsageError:
        return
    assert set(found.values) <= set(known_variables(own_variables()))


@pytest.mark.clause("006-M8")
def test_the_command_line_wins_over_the_environment_and_that_over_the_file(tmp_path):
    """Each alone is used; none leaves the default."""
    (tmp_path / "assay.toml").write_text('store = "sqlite:///file.db"\n')
    seen = []
    for words, variables in [
        ((), {}),
        ((), {"ASSAY_STORE": "sqlite:///variable.db"}),
        (("--store", "sqlite:///word.db"), {"ASSAY_STORE": "sqlite:///variable.db"}),
        ((), {"ASSAY_CONFIG": ""}),
    ]:
        done = assay(tmp_path, "calls", "list", *words, **variables)
        assert 10 == done.returncode
        seen.append(next(n for n in ("file", "variable", "word", "assay.db") if n in done.stderr))

    assert ["file", "variable", "word", "assay.db"] == seen


@pytest.mark.clause("006-M8")
def test_the_file_is_looked_for_here_then_among_the_users_own(tmp_path, monkeypatch):
    """ASSAY_CONFIG names another, and empty it names none; the first found is the only one."""
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "cfg" / "assay" / "assay.toml"
    own.parent.mkdir(parents=True)
    own.write_text('model = "own:x"')
    (tmp_path / "other.toml").write_text('model = "other:x"')
    base = {"XDG_CONFIG_HOME": str(tmp_path / "cfg")}

    assert "own:x" == environment(base)["ASSAY_MODEL"]
    assert "ASSAY_MODEL" not in environment({**base, "ASSAY_CONFIG": ""})
    (tmp_path / "assay.toml").write_text('index = "here"')
    assert ("here", None) == (
        environment(base)["ASSAY_INDEX"],
        environment(base).get("ASSAY_MODEL"),
    )
    assert "other:x" == environment({**base, "ASSAY_CONFIG": "other.toml"})["ASSAY_MODEL"]
    with pytest.raises(UsageError, match="cannot be read"):
        environment({"ASSAY_CONFIG": "absent.toml"})


def test_a_file_that_others_could_have_written_is_refused(tmp_path):
    """Who writes the addresses gets the keys."""
    file = tmp_path / "assay.toml"
    file.write_text('model = "x"')
    file.chmod(0o646)

    with pytest.raises(UsageError, match="another user"):
        read_settings_file({"ASSAY_CONFIG": str(file)}, ())


@pytest.mark.clause("006-M8")
def test_a_secret_of_the_environment_puts_the_files_other_form_out_of_force(tmp_path):
    """A key in the environment and a key file in the settings file do not clash."""
    file = tmp_path / "assay.toml"
    file.write_text('[openai]\napi_key_file = "f"\n')
    environ = {"ASSAY_CONFIG": str(file)}

    assert "f" == environment(environ)["OPENAI_API_KEY_FILE"]
    assert "OPENAI_API_KEY_FILE" not in environment({**environ, "OPENAI_API_KEY": "k"})


@pytest.mark.clause("006-M8")
def test_doctor_says_where_each_setting_came_from_and_shows_no_secret(tmp_path):
    """A file with a secret that all may read is warned about."""
    file = tmp_path / "assay.toml"
    file.write_text('retry_attempts = 3\n[openai]\napi_key = "s3cret-in-file"\n')
    file.chmod(0o644)
    done = assay(
        tmp_path,
        "doctor",
        "--json",
        ANTHROPIC_API_KEY="s3cret-here",
        OPENAI_BASE_URL="https://me:s3cret-pass@host/v1?key=s3cret-q",
        https_proxy="http://me:s3cret-pass@proxy:1",
        ASSAY_STORE="postgresql://me:s3cret-pass@127.0.0.1:9/x",
    )

    assert "s3cret" not in done.stdout + done.stderr
    for row in (
        "3 (assay.toml:1)",
        "set (assay.toml:3)",
        "set (environment)",
        "postgresql://127.0.0.1:9/x (environment)",
        "https://host/v1 (environment)",
        "http://proxy:1 (environment)",
        "assay.toml holds secrets",
    ):
        assert row in done.stdout


def test_every_variable_of_an_adapter_may_stand_in_the_file():
    """A module that reads variables of its own is one of HOMES."""
    read = {
        str(file.relative_to(SOURCE.parent).with_suffix(""))
        .replace("/", ".")
        .removesuffix(".__init__")
        for file in (SOURCE / "adapters").rglob("*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == "VARIABLES"
    }

    assert read == set(HOMES)


def test_no_secret_is_shown():
    """What ends in a word for a secret, or holds a password, is not printed."""
    assert "set" == show_value("OPENAI_API_KEY", "abc")
    assert "a/b.pem" == show_value("OPENAI_API_KEY_FILE", "a/b.pem")
    assert "set" == show_value("HTTPS_PROXY", "http://[")
