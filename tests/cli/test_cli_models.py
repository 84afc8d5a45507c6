"""`assay models`: what can be asked here, and why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.adapters.models.availability import MOST_NAMES
from assay.adapters.models.registry import look_at_providers, open_model
from assay.errors import ModelUnavailableError, UsageError
from tests.command import assay
from tests.installed import install
from tests.loopback import answer, closed_port, serving

pytestmark = pytest.mark.clause("007-P1")

SECRET = "sk-4711-secret"
CODE = """
from assay.protocols import Availability, ModelProvider

def make(name, *, environ):
    raise AssertionError("opened")

def look(environ):
    return Availability(usable="SPOKEN" in environ, why="a licence", names=("a", "b"))

def stumble(environ):
    raise KeyError("sk-4711-secret")

def leave(*_, **__):
    raise SystemExit("sk-4711-secret")

def change(environ):
    environ["OPENAI_API_KEY"] = "sk-of-another"

def chat(environ):
    print("hello from a stranger")
    return Availability(usable=True, why="one\\ntwo \\x1b[31m", names=("a b", "", "c\\nd", "a b"))

def known(environ):
    return Availability(usable=True, why="here")

def bare(**said):
    return ModelProvider(open=make, look=known, **said)

speaks = ModelProvider(open=make, usage="speaks:NAME", extra=None, needs_key="SPOKEN", look=look)
fails = ModelProvider(open=make, usage="fails", look=stumble)
odd = ModelProvider(open=make, usage="odd", look=lambda environ: "yes")
leaves = ModelProvider(open=leave, look=leave)
leaves_late = bare(list_names=leave)
changes = ModelProvider(open=make, look=change)
chats = ModelProvider(open=make, usage="chats:NAME", look=chat)
words = bare(usage=5, extra=object(), needs_key=7, place="first")
unsaid = ModelProvider(open=make, look=lambda environ: Availability(usable="no", why=3))
many = bare(list_names=lambda environ: (str(at) for at in range(10**7)))
letters = bare(list_names=lambda environ: "abc")
number = 5
"""


def rows(place: Path, *words: str, **environ: str) -> dict[str, dict[str, Any]]:
    done = assay(place, "models", *words, "--json", **environ)
    assert 0 == done.code, done.err
    assert SECRET not in done.out + done.err
    return {row["provider"]: row for row in done.document["models"]}


def test_every_published_provider_is_listed_with_what_it_needs(tmp_path: Path):
    """In the order of other lists; a key that is missing is named."""
    found = rows(tmp_path)

    assert ["openai", "anthropic", "embedded", "extractive", "scripted", "recorded"] == [*found]
    assert all(
        {"provider", "name", "usable", "why", "extra", "needs_key"} <= row.keys()
        for row in found.values()
    )
    for provider, key in (("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")):
        row = found[provider]
        assert (False, key, provider) == (row["usable"], row["needs_key"], row["extra"])
        assert f"{key} is not set" in row["why"]
    assert all(found[name]["usable"] for name in ("extractive", "scripted", "recorded"))


def test_a_key_makes_it_usable_and_only_the_host_is_shown(tmp_path: Path):
    """No key, no password of an address, no path."""
    address = f"https://user:{SECRET}@models.example.org:8443/private/v1"
    found = rows(tmp_path, OPENAI_API_KEY=SECRET, OPENAI_BASE_URL=address)["openai"]

    assert (True, "models.example.org:8443") == (found["usable"], found["host"])
    assert "private" not in str(found)
    shown = assay(tmp_path, "models", OPENAI_API_KEY=SECRET, OPENAI_BASE_URL=address)
    assert "asks models.example.org:8443" in shown.out
    assert SECRET not in shown.out + shown.err


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("OPENAI_BASE_URL", "models.example.org", "OPENAI_BASE_URL is no address"),
        ("OPENAI_API_KEY", f"'{SECRET}' ", "OPENAI_API_KEY: the key has blanks"),
        ("ASSAY_OPENAI_API", "telegraph", "ASSAY_OPENAI_API is not valid"),
    ],
)
def test_a_setting_that_is_wrong_is_named(tmp_path: Path, setting: str, value: str, words: str):
    """The judgement is the one that a run would come to; the list goes on."""
    found = rows(tmp_path, **{"OPENAI_API_KEY": SECRET, setting: value})

    assert (False, True) == (found["openai"]["usable"], words in found["openai"]["why"])
    assert found["extractive"]["usable"]


def test_gguf_files_of_the_folder_are_named(tmp_path: Path):
    """As they are written after `--model embedded:`; a folder of that name is none."""
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    (tmp_path / "folder.gguf").mkdir()
    found = rows(tmp_path)["embedded"]

    assert ["small.gguf"] == found["names"]
    assert "--model embedded:small.gguf" in assay(tmp_path, "models").out


@pytest.mark.parametrize(
    ("provider", "key", "address", "path"),
    [
        ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1"),
        ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", ""),
    ],
)
@pytest.mark.parametrize(
    ("status", "body", "usable", "words", "models"),
    [
        (200, {"data": [{"id": "b"}, {"id": "a"}], "has_more": False}, True, "asks", ["a", "b"]),
        (401, {"error": {"message": "no"}}, False, "refuses the key (401)", None),
        (404, {"error": "none"}, True, "it has no list of models", None),
        (500, {"error": "broken"}, False, "answers 500", None),
    ],
)
def test_a_server_is_asked_for_its_models(
    tmp_path: Path, provider, key, address, path, status, body, usable, words, models
):
    """Only with --reach: one request, with the key; what it answers is told in words."""
    with serving(answer(status, body)) as server:
        settings = {key: SECRET, address: server.url + path}
        assert rows(tmp_path, **settings)[provider]["models"] is None
        assert [] == server.seen
        found = rows(tmp_path, "--reach", **settings)[provider]

    assert (usable, models) == (found["usable"], found["models"])
    assert words in found["why"]
    assert ["/v1/models"] == [seen.path.partition("?")[0] for seen in server.seen]


def test_a_server_that_is_not_there_ends_no_list(tmp_path: Path):
    """It is told by its host; what needs no server is listed as ever."""
    where = f"http://127.0.0.1:{closed_port()}/v1"
    found = rows(tmp_path, "--reach", OPENAI_API_KEY=SECRET, OPENAI_BASE_URL=where)

    assert (False, True) == (
        found["openai"]["usable"],
        "127.0.0.1:" in found["openai"]["why"] and "cannot be reached" in found["openai"]["why"],
    )
    assert found["extractive"]["usable"]


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"data": 4}', b'{"data": [{"id": 7}, {}]}'])
def test_what_a_server_says_is_foreign(tmp_path: Path, body: bytes):
    """No list of models, or an odd one, is no fault of the program."""
    with serving(answer(200, body)) as server:
        settings = {"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": f"{server.url}/v1"}
        found = rows(tmp_path, "--reach", **settings)["openai"]

    assert not found["models"]
    assert "no list of models" in found["why"] or found["why"].endswith("lists no model")


def test_a_list_without_end_is_cut(tmp_path: Path):
    """Thousands of names fill no screen, and control characters move no cursor."""
    data = [{"id": f"m{at}\x1b[2J"} for at in range(3 * MOST_NAMES)]
    with serving(answer(200, {"data": data})) as server:
        settings = {"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": f"{server.url}/v1"}
        found = rows(tmp_path, "--reach", **settings)["openai"]
        shown = assay(tmp_path, "models", "--reach", **settings)

    assert MOST_NAMES == len(found["models"])
    assert "\x1b" not in shown.out
    assert len(shown.out.splitlines()) < 100


def test_a_stranger_may_say_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """By `look`; who says nothing, fails, or cannot be loaded is listed all the same."""
    points = {
        "speaks": "speaks",
        "silent": "make",
        "fails": "fails",
        "odd": "odd",
        "gone": "nobody",
    }
    install(tmp_path / "theirs", monkeypatch, "a_provider", CODE, {"assay.models": points})
    found = {one.provider: one.to_dict() for one in look_at_providers({"SPOKEN": "1"})}

    assert (True, "a licence", ["a", "b"], "SPOKEN") == tuple(
        found["speaks"][key] for key in ("usable", "why", "names", "needs_key")
    )
    assert (True, "installed; says nothing about itself") == (
        found["silent"]["usable"],
        found["silent"]["why"],
    )
    assert "fails to say (KeyError)" == found["fails"]["why"]
    assert "cannot be loaded (AttributeError)" == found["gone"]["why"]
    assert [False] * 3 == [found[name]["usable"] for name in ("fails", "odd", "gone")]
    assert "extractive" in found
    assert SECRET not in str(found)


def published(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    *,
    code: str = CODE,
    reach: bool = False,
) -> dict[str, dict[str, Any]]:
    """What is listed where one more provider is installed, its package not imported before."""
    package = "a_provider" if code == CODE else "another_provider"
    install(place / "theirs", monkeypatch, package, code, {"assay.models": {name: name}})
    return {one.provider: one.to_dict() for one in look_at_providers({}, reach=reach)}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("leaves", "fails to say (SystemExit)"),
        ("leaves_late", "the list of models cannot be read (SystemExit)"),
        ("changes", "fails to say (TypeError)"),
        ("unsaid", "says what nobody can read"),
        ("letters", "the list of models cannot be read (TypeError)"),
        ("number", "model provider 'number' is nothing that can be called"),
    ],
)
def test_no_provider_ends_the_list_or_changes_what_the_next_one_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, why: str
):
    """Not by leaving the process, by odd types, or by writing into the settings."""
    found = published(tmp_path, monkeypatch, name, reach=True)

    assert (False, why) == (found[name]["usable"], found[name]["why"])
    assert "extractive" in found
    assert SECRET not in str(found)


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "class P(BaseException): 0\nraise P"])
def test_a_package_that_leaves_while_it_is_imported_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
):
    """A panic of compiled code, too; opening a model of it is an error as any."""
    found = published(tmp_path, monkeypatch, "leaves", code=code)["leaves"]

    assert not found["usable"]
    assert found["why"].startswith("cannot be loaded (")
    with pytest.raises(ModelUnavailableError, match="'leaves' cannot be loaded"):
        open_model("leaves:x", environ={})
    with pytest.raises(UsageError, match="unknown model provider"):
        open_model("leave:x", environ={})


def test_opening_a_model_cannot_end_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`sys.exit` in a provider is a fault of the provider."""
    published(tmp_path, monkeypatch, "leaves")

    with pytest.raises(ModelUnavailableError, match=r"cannot be loaded \(SystemExit\)"):
        open_model("leaves:x", environ={})


def test_what_a_provider_says_badly_counts_as_not_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A number for its usage, an object for its extra: it can be asked all the same."""
    found = published(tmp_path, monkeypatch, "words")["words"]

    assert (True, "words:NAME", None, None) == tuple(
        found[key] for key in ("usable", "name", "extra", "needs_key")
    )


def test_a_provider_lists_no_more_names_than_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The limit is for everybody."""
    found = published(tmp_path, monkeypatch, "many", reach=True)["many"]

    assert MOST_NAMES == len(found["models"])


def test_words_of_strangers_stay_in_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What they print is not on standard output; a name is shown as a shell takes it."""
    install(
        tmp_path / "theirs", monkeypatch, "a_provider", CODE, {"assay.models": {"chats": "chats"}}
    )
    found = rows(tmp_path)["chats"]
    shown = assay(tmp_path, "models")
    fit = assay(tmp_path, "doctor", "--json")

    assert ["a b", "c\nd"] == found["names"]
    assert "one two" in shown.out
    assert "\x1b" not in shown.out
    assert "--model 'chats:a b'" in shown.out
    assert "hello" in shown.err
    assert "hello" not in shown.out
    assert fit.document["checks"]


def test_a_server_that_was_asked_is_not_called_untried(tmp_path: Path):
    """How many models it lists, each once."""
    data = [{"id": "a"}, {"id": "a"}, {"id": ""}, {"id": "b"}]
    with serving(answer(200, {"data": data})) as server:
        settings = {"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": f"{server.url}/v1"}
        found = rows(tmp_path, "--reach", **settings)["openai"]

    assert ["a", "b"] == found["models"]
    assert found["why"].endswith(", which lists 2 models")


def test_one_name_of_two_packages_is_no_end_of_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Nobody can say which of them would be asked, and that is what is said."""
    for package in ("a_provider", "b_provider"):
        groups = {"assay.models": {"speaks": "speaks"}}
        install(tmp_path / package, monkeypatch, package, CODE, groups)
    found = {one.provider: one for one in look_at_providers({})}

    assert not found["speaks"].found.usable
    assert "a_provider and by b_provider" in found["speaks"].found.why


def test_doctor_judges_by_the_same(tmp_path: Path):
    """Its rows of models say what the list says."""
    checks = assay(tmp_path, "doctor", "--json", OPENAI_API_KEY=SECRET).document["checks"]
    told = {row["what"]: row for row in checks if row["what"].startswith("model ")}
    found = rows(tmp_path, OPENAI_API_KEY=SECRET)

    assert {row["why"] for row in found.values()} == {row["detail"] for row in told.values()}
    assert ("ok", "warning") == (told["model openai:"]["state"], told["model anthropic:"]["state"])
