"""Any GGUF file as a model: its own template, its own context, its own facts on record.

The files are the installed weights under other names and with other entries. Without the
weights' package these tests are skipped, loudly.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Iterator, Mapping
from importlib import util
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from assay.adapters.models.embedded import file_model as module
from assay.adapters.models.embedded import weights_file
from assay.adapters.models.embedded.file_model import FileModel, FileSettings, open_file
from assay.adapters.models.embedded.model import EmbeddedModel
from assay.adapters.models.embedded.weights_file import read_weights
from assay.adapters.models.registry import open_model
from assay.contract.decoding.plan import DecodingPlan, LabelSlot, quotables
from assay.core.json.canonical import digest
from assay.core.text.spans import Shown
from assay.errors import InputError, ModelUnavailableError, NotFoundError, UsageError
from assay.gate.labels import LabelSet
from assay.protocols import ModelFault, ModelReply, ModelRequest, Parameters
from assay.templates.template import Part
from tests.gguf_files import TEXT, U32, changed, gguf, rewrite, small_model
from tests.parts import absent

SMALL = small_model()
if util.find_spec("xllamacpp") is None or SMALL is None:
    absent("embedded", module.INSTALL)

pytestmark = pytest.mark.clause("006-M7")

SYSTEM_REFUSED = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
    "{% endfor %}<|im_start|>assistant\n<think>\n"
)
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("weights")


@pytest.fixture(scope="module")
def small(folder: Path) -> Path:
    """The weights under a name of their own."""
    assert SMALL is not None
    path = folder / "any name.gguf"
    path.symlink_to(SMALL)
    return path


@pytest.fixture(scope="module")
def model(small: Path) -> Iterator[FileModel]:
    opened = open_file(str(small), environ={})
    yield opened
    asyncio.run(opened.aclose())


@pytest.fixture
def other(folder: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The weights with other entries, opened."""
    made: list[FileModel] = []
    files: list[Path] = []

    def build(
        changes: Mapping[str, tuple[int, Any] | None], spell: Mapping[str, str] | None = None
    ) -> FileModel:
        assert SMALL is not None
        target = folder / f"other{len(files)}.gguf"
        files.append(rewrite(SMALL, target, changes, spell=spell or {}))
        made.append(open_file(str(files[-1]), environ={}))
        return made[-1]

    yield build
    for each in made:
        asyncio.run(each.aclose())
    for file in files:
        file.unlink()


def asked(
    prompt: str, plan: DecodingPlan | None = None, *, most: int = 60, **more: Any
) -> ModelRequest:
    parameters = Parameters(temperature=more.pop("temperature", 0.0), max_output_tokens=most)
    return ModelRequest(
        prompt=prompt, prompt_sha256=digest(prompt), parameters=parameters, plan=plan, **more
    )


def ask(model: FileModel, request: ModelRequest) -> ModelReply:
    return asyncio.run(model.complete(request))


def colours(text: str) -> DecodingPlan:
    schema = {
        "type": "object",
        "required": ["colour", "share", "quote", "open"],
        "properties": {
            "colour": {"type": "string", "enum": ["red", "blue"]},
            "share": {"type": "number", "minimum": 0, "maximum": 1},
            "quote": {"type": "string"},
            "open": {"type": "boolean"},
        },
    }
    labels = LabelSet(name="colour", labels={"red": "like blood", "blue": "like the sky"})
    return DecodingPlan(
        schema=schema,
        labels=(LabelSlot(pattern="/colour", set=labels),),
        scores=("/share",),
        quotes=("/quote",),
        texts={"text": text},
        sentences=tuple(quotables([Shown.of_text("text", text)])),
    )


# --- what is on record ------------------------------------------------------------------------


def test_a_file_is_named_by_what_is_in_it(model: FileModel, small: Path) -> None:
    """Digest, context and template are in the identity; the path is in the name alone."""
    embedded = EmbeddedModel.create()
    identity = model.identity

    assert model.name == f"embedded:{small}"
    assert identity["weights_sha256"] == embedded.identity["weights_sha256"]
    assert (identity["context_tokens"], identity["architecture"]) == (8192, "llama")
    assert (identity["quantisation"], identity["licence"]) == ("Q4_1", "apache-2.0")
    assert identity["template_sha256"].startswith("sha256:")
    assert str(small) not in json.dumps(dict(identity))


def test_the_prompt_as_it_was_given_is_on_record(model: FileModel) -> None:
    """The template's own words around the message, by digest; roles and tokens with it."""
    reply = ask(model, asked("Say hi.", most=2))

    rendered = (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
        "Face<|im_end|>\n<|im_start|>user\nSay hi.<|im_end|>\n<|im_start|>assistant\n"
    )
    assert reply.details["rendered_sha256"] == digest(rendered)
    assert reply.details["roles"] == "user"
    assert reply.input_tokens == reply.details["context_tokens"] + (reply.output_tokens or 0)


def test_parts_go_out_in_their_roles(model: FileModel) -> None:
    """A system part replaces what the template would say in its place."""
    prompt = "Be brief.Say hi."
    parts = (Part(role="system", start=0, stop=9), Part(role="user", start=9, stop=16))

    reply = ask(model, asked(prompt, most=2, parts=parts))

    rendered = (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nSay hi.<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert (reply.details["rendered_sha256"], reply.details["roles"]) == (
        digest(rendered),
        "system, user",
    )


def test_a_template_without_a_system_role_gets_one_message(other: Any) -> None:
    """Nothing of the prompt is lost, it is said so, and a thought is over before it begins."""
    model = other({"tokenizer.chat_template": (TEXT, SYSTEM_REFUSED)})
    parts = (Part(role="system", start=0, stop=9), Part(role="user", start=9, stop=16))

    reply = ask(model, asked("Be brief.Say hi.", most=2, parts=parts))

    rendered = (
        "<|im_start|><|im_start|>user\nBe brief.\n\nSay hi.<|im_end|>\n<|im_start|>assistant\n"
        "<think>\n\n</think>\n\n"
    )
    assert reply.details["rendered_sha256"] == digest(rendered)
    assert reply.details["roles"] == "user, for want of others"


def test_a_base_model_gets_the_prompt_as_it_stands(other: Any) -> None:
    """No template, no roles: raw completion, and the record says so."""
    model = other({"tokenizer.chat_template": None})

    reply = ask(model, asked("The capital of France is", most=2))

    assert model.identity["template_sha256"] is None
    assert reply.text.startswith(" Paris")
    assert "roles" not in reply.details


def test_control_strings_in_a_message_are_text(model: FileModel) -> None:
    """A forged turn costs as many tokens as its letters do: it is none."""

    def tokens(text: str) -> int:
        return int(ask(model, asked(text, most=1)).details["context_tokens"])

    for control in ("<|im_end|>", "<|im_start|>", "<|endoftext|>", "<file_sep>"):
        assert tokens(f"a{control}") - tokens("a") > 1, control


# --- what it writes ---------------------------------------------------------------------------


def test_replies_conform(small: Path) -> None:
    """The reply fits the schema and quotes the text."""
    model = open_file(str(small), environ={})
    plan = colours("The ball is red. The sea is <|im_end|> [INST] blue.")
    try:
        reply = ask(model, asked("Which colour? JSON:", plan, temperature=None))
        again = ask(model, asked("Which colour? JSON:", plan, temperature=None))
    finally:
        asyncio.run(model.aclose())

    output = json.loads(reply.text)
    assert jsonschema_rs.is_valid(plan.schema, output)
    assert output["quote"] in {quote.text for quote in plan.sentences}
    assert "label_decoding+constrained_decoding" == reply.details["method"]
    assert reply == again


def test_a_thought_does_not_begin(other: Any) -> None:
    """Its mark may be a token that leaves no trace in the text: so it is never written."""
    # The likeliest word here, in a vocabulary in which it would begin a thought.
    model = other({"tokenizer.chat_template": None}, spell={"ĠParis": "[THINK]"})

    reply = ask(model, asked("The capital of France is", most=3))

    assert reply.output_tokens == 3
    assert "[THINK]" not in reply.text


def test_two_files_at_once(model: FileModel, other: Any) -> None:
    """Each has a process of its own; one answers between two answers of the other."""
    second = other({"tokenizer.chat_template": None})

    first = ask(model, asked("Say hi.", most=3))
    between = ask(second, asked("Say hi.", most=3))

    assert first == ask(model, asked("Say hi.", most=3))
    assert between.details["evaluated_sha256"] != first.details["evaluated_sha256"]


# --- limits and faults ------------------------------------------------------------------------


@pytest.mark.parametrize(("words", "most"), [(400, 10), (10, 300)])
def test_prompt_and_allowance_fit_the_context_or_are_not_sent(
    other: Any, words: int, most: int
) -> None:
    """The file's own context is the limit; over it is a fault of the input."""
    model = other({"llama.context_length": (U32, 300)})

    with pytest.raises(ModelFault) as fault:
        ask(model, asked("word " * words, most=most))

    assert (fault.value.kind, fault.value.transient) == ("too_large", False)
    assert ask(model, asked("word", most=2)).output_tokens == 2


def test_a_template_without_end_is_a_fault_of_the_set_up(
    other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ended, and no input is blamed for it."""
    model = other({"tokenizer.chat_template": (TEXT, ENDLESS + "{{ messages[0].content }}")})

    with pytest.raises(ModelFault) as fault:
        ask(model, asked("Hi", most=2))

    assert fault.value.kind == "setup"
    assert "it does not end" in fault.value.hint


def test_a_file_that_changes_is_not_the_one_on_record(folder: Path) -> None:
    """Between the digest and the loading nobody can put other weights in its place."""
    path = folder / "changing.gguf"
    assert SMALL is not None
    shutil.copyfile(SMALL, path)
    model = open_file(str(path), environ={})
    path.unlink()
    path.write_bytes(gguf())

    with pytest.raises(ModelFault) as fault:
        ask(model, asked("Hi", most=1))

    assert (fault.value.kind, fault.value.transient) == ("setup", False)


def test_a_model_that_the_engine_cannot_load_is_a_fault_of_the_set_up(folder: Path) -> None:
    """A header alone is no model: the child dies, this process does not, no input is blamed."""
    path = folder / "hollow.gguf"
    path.write_bytes(gguf())
    model = open_file(str(path), environ={})

    with pytest.raises(ModelFault) as fault:
        ask(model, asked("Hi", most=1))

    assert (fault.value.kind, fault.value.transient) == ("setup", False)
    assert model.child.pid is None


def test_a_model_that_dies_after_it_was_loaded_is_a_crash(small: Path) -> None:
    """Of one call; the next has a fresh process."""
    model = open_file(str(small), environ={})
    try:
        first = ask(model, asked("Hi", most=1))
        pid = model.child.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ModelFault) as fault:
            ask(model, asked("Hi", most=1))
        again = ask(model, asked("Hi", most=1))
    finally:
        asyncio.run(model.aclose())

    assert (fault.value.kind, fault.value.transient) == ("crash", True)
    assert first == again


# --- what is given ----------------------------------------------------------------------------


def test_a_name_decides_which_model_it_is(small: Path) -> None:
    """`embedded` alone is the installed model, as ever; with a file it is the file's."""
    assert isinstance(open_model("embedded", environ={}), EmbeddedModel)
    assert isinstance(open_model(f"embedded:{small}", environ={}), FileModel)


@pytest.mark.parametrize(
    ("content", "error", "why"),
    [
        (None, NotFoundError, "there is no file"),
        (b"", InputError, "does not begin like a GGUF file"),
        (b"GGUF\0\0\0\3", InputError, "big-endian"),
        (gguf()[:-1], InputError, "cut off"),
    ],
)
def test_what_is_no_model_is_refused_before_anything_starts(
    tmp_path: Path, content: bytes | None, error: type[InputError], why: str
) -> None:
    """Error 10 with the reason, whether or not the engine is installed."""
    path = tmp_path / "x.gguf"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(error, match=why) as caught:
        open_model(f"embedded:{path}", environ={})

    assert 10 == caught.value.exit_code


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ASSAY_EMBEDDED_CONTEXT", "0"),
        ("ASSAY_EMBEDDED_CONTEXT", "-1"),
        ("ASSAY_EMBEDDED_CONTEXT", "9" * 5000),
        ("ASSAY_EMBEDDED_THREADS", "two"),
        ("ASSAY_EMBEDDED_THREADS", "٣"),
    ],
)
def test_a_wrong_setting_is_named(variable: str, value: str) -> None:
    """By the variable, never by its value."""
    with pytest.raises(UsageError, match=variable):
        FileSettings.from_environment({variable: value})


def test_a_missing_engine_says_how_to_install_it(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra alone: the weights are there."""
    monkeypatch.setattr(module, "LIBRARY", "no_such_package_of_assay")

    with pytest.raises(ModelUnavailableError) as error:
        open_file(str(small), environ={})

    assert 'pip install "assay[embedded]"' == error.value.hint


def test_large_models_with_a_template_answer_in_their_own_words(tmp_path: Path) -> None:
    """Small models and base models choose among the sentences of the evidence."""
    path = tmp_path / "x.gguf"

    def answers(numbers: int, **changes: Any) -> bool:
        # A kind of tensor that is not measured: no gigabyte has to be written.
        path.write_bytes(gguf(changed(**changes), [("t", (numbers,), 99, 0)]))
        weights = read_weights(str(path), {})
        return module.FileModel("x", weights, FileSettings())._way.follows

    assert not answers(999_999_999)
    assert answers(1_000_000_000)
    assert not answers(1_000_000_000, tokenizer__chat_template=None)


# --- digests that are kept --------------------------------------------------------------------


def test_a_digest_is_kept_only_while_the_file_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file at rest is read once; touched, replaced, or examined it is read again."""
    monkeypatch.setattr(weights_file, "KEPT_FROM_BYTES", 0)
    monkeypatch.setattr(weights_file, "_AT_REST_NS", -(10**12))
    environ = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    path = tmp_path / "x.gguf"
    path.write_bytes(gguf())
    read: list[Path] = []
    whole = weights_file.file_digest
    monkeypatch.setattr(weights_file, "file_digest", lambda p: read.append(p) or whole(p))

    first = read_weights(str(path), environ)
    second = read_weights(str(path), environ)
    read_weights(str(path), environ, anew=True)
    path.write_bytes(gguf(data=b"\1" * 32))
    third = read_weights(str(path), environ)

    assert 3 == len(read)
    assert first.sha256 == second.sha256 == digest(gguf())
    assert third.sha256 == digest(gguf(data=b"\1" * 32))
    assert not first.is_unchanged()


@pytest.mark.parametrize("harm", ["mode", "text", "shape"])
def test_a_kept_digest_that_others_could_have_written_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    """Nor one in a file that is no longer what was written."""
    monkeypatch.setattr(weights_file, "KEPT_FROM_BYTES", 0)
    monkeypatch.setattr(weights_file, "_AT_REST_NS", -(10**12))
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    path = tmp_path / "x.gguf"
    path.write_bytes(gguf())
    right = read_weights(str(path), environ).sha256
    store = tmp_path / "assay" / "weights.json"
    forged = store.read_text().replace(right, "sha256:" + "0" * 64)
    store.write_text({"mode": forged, "text": "{", "shape": '{"a": 1}'}[harm])
    store.chmod(0o666 if harm == "mode" else 0o600)

    assert right == read_weights(str(path), environ).sha256


def test_a_digest_of_a_file_just_written_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within one tick of the clock a file could change and look the same."""
    monkeypatch.setattr(weights_file, "KEPT_FROM_BYTES", 0)
    path = tmp_path / "x.gguf"
    path.write_bytes(gguf())

    read_weights(str(path), {"XDG_CACHE_HOME": str(tmp_path)})

    assert not (tmp_path / "assay").exists()
