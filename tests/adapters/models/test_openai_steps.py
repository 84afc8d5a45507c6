"""`openai:` against servers that refuse what goes beside the prompt, over the loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from assay.adapters.models.openai import OpenAIModel
from assay.contract.decoding.wire_schema import WireSchema
from assay.protocols import ModelFault
from assay.templates.template import Part
from tests import loopback
from tests.adapters.models import openai_shapes as shapes
from tests.adapters.models.openai_shapes import SCHEMA, Ear, ask, request

Body = dict[str, Any]
RESPONSES = {"ASSAY_OPENAI_API": "responses"}
OTHER = WireSchema(name="other", document={"type": "object"})


REDUCED = {"type": "object", "additionalProperties": False}
STRICT = WireSchema(name="mail_sort", document=SCHEMA.document, strict=REDUCED)


def picky(
    refuses: Callable[[Body], bool], body: Any, *, status: int = 400, stream: bool = False
) -> loopback.Behaviour:
    """Answers with *body* whatever it *refuses*, and well otherwise."""

    def play(handler: loopback.Handler) -> None:
        asked = handler.asked.body
        if refuses(asked):
            return loopback.answer(status, body)(handler)
        if "input" in asked:
            return loopback.answer(200, shapes.response("{}"))(handler)
        if stream and asked.get("stream"):
            return shapes.stream(shapes.events(*shapes.openai("{}")))(handler)
        return loopback.openai_text("{}")(handler)

    return play


def error(message: str, param: str | None = None, code: Any = None, **more: Any) -> Body:
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code, **more}}


def form(body: Body) -> str:
    """The output mode of a request, as a server sees it."""
    found = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    strict = (found.get("json_schema") or found).get("strict")
    return f"{found.get('type', 'text')}{'+strict' if strict else ''}"


def has(name: str) -> Callable[[Body], bool]:
    return lambda body: name in body


def is_form(*forms: str) -> Callable[[Body], bool]:
    return lambda body: form(body) in forms


# --- what is sent ------------------------------------------------------------------------------


@pytest.mark.clause("006-M1")
def test_the_schema_goes_out_as_each_api_calls_it():
    """With name, schema and strictness; the prompt has no byte more."""
    fields = {"name": "mail_sort", "schema": SCHEMA.document, "strict": False}
    with loopback.serving(loopback.openai_text("{}")) as server:
        (chat,) = ask(server.url, request(schema=SCHEMA))
    with loopback.serving(loopback.answer(200, shapes.response("{}"))) as other:
        (responses,) = ask(other.url, request(schema=SCHEMA), **RESPONSES)

    assert {"type": "json_schema", "json_schema": fields} == server.seen[0].body["response_format"]
    assert {"type": "json_schema", **fields} == other.seen[0].body["text"]["format"]
    assert [{"role": "user", "content": shapes.PROMPT}] == server.seen[0].body["messages"]
    for reply in (chat, responses):
        assert ("schema", False, SCHEMA.sha256) == tuple(
            reply.details[name] for name in ("output_mode", "strict", "schema_sha256")
        )


@pytest.mark.clause("006-M1")
def test_a_schema_with_a_strict_form_is_sent_in_it():
    """The reduced schema, marked strict."""
    with loopback.serving(loopback.openai_text("{}")) as server:
        (reply,) = ask(server.url, request(schema=STRICT))

    sent = server.seen[0].body["response_format"]["json_schema"]
    assert (REDUCED, True) == (sent["schema"], sent["strict"])
    assert ("schema", True) == (reply.details["output_mode"], reply.details["strict"])


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize("settings", [{}, RESPONSES], ids=["chat", "responses"])
@pytest.mark.parametrize(
    ("mode", "sent"), [("schema", "json_schema"), ("json", "json_object"), ("text", "text")]
)
def test_a_fixed_mode_is_sent_alone(mode, sent, settings):
    """And stands on record."""
    answer = shapes.response("{}") if settings else None
    behaviour = loopback.answer(200, answer) if answer else loopback.openai_text("{}")
    with loopback.serving(behaviour) as server:
        (reply,) = ask(server.url, request(schema=SCHEMA), ASSAY_OUTPUT_MODE=mode, **settings)

    assert (sent, mode) == (form(server.seen[0].body), reply.details["output_mode"])
    assert (mode == "schema") is ("schema_sha256" in reply.details)


@pytest.mark.clause("006-M2")
def test_effort_goes_out_by_the_name_of_each_api_and_no_temperature_means_none():
    """`reasoning_effort`, `reasoning.effort`; reasoning tokens count as output, once."""
    asked = request(effort="low", temperature=None)
    usage = {
        **shapes.USAGE,
        "completion_tokens_details": {"reasoning_tokens": 5},
        "prompt_tokens_details": {"cached_tokens": 2},
    }
    whole = {
        "choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}],
        "usage": usage,
    }
    with loopback.serving(loopback.answer(200, whole)) as server:
        (reply,) = ask(server.url, asked)
    with loopback.serving(loopback.answer(200, shapes.response("{}"))) as other:
        ask(other.url, asked, **RESPONSES)

    assert "low" == server.seen[0].body["reasoning_effort"]
    assert {"effort": "low"} == other.seen[0].body["reasoning"]
    for each in (server, other):
        assert "temperature" not in each.seen[0].body
    assert (11, 7, 5, 2) == (
        reply.input_tokens,
        reply.output_tokens,
        reply.details["reasoning_tokens"],
        reply.details["cached_tokens"],
    )


@pytest.mark.clause("006-M2")
def test_reasoning_that_a_server_leaves_out_of_the_output_is_counted():
    """Its own total gives it away."""
    usage = {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 64}
    whole = {"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}], "usage": usage}
    with loopback.serving(loopback.answer(200, whole)) as server:
        (reply,) = ask(server.url, request())

    assert (10, 54) == (reply.input_tokens, reply.output_tokens)


@pytest.mark.clause("006-M3")
@pytest.mark.parametrize("settings", [{}, RESPONSES], ids=["chat", "responses"])
def test_parts_go_out_in_their_roles(settings):
    """Their slices and nothing of what lies between; a shared beginning splits nothing then."""
    prompt = "=== system ===\nBe 🦊 brief.\n=== user ===\nSort this."
    parts = (Part(role="system", start=15, stop=27), Part(role="user", start=40, stop=50))
    asked = request(prompt=prompt, parts=parts, prefix_chars=15)
    behaviour = (
        loopback.answer(200, shapes.response("{}")) if settings else loopback.openai_text("{}")
    )
    with loopback.serving(behaviour) as server:
        (reply,) = ask(server.url, asked, **settings)

    body = server.seen[0].body
    assert [
        {"role": part.role, "content": prompt[part.start : part.stop]} for part in parts
    ] == body["input" if settings else "messages"]
    assert "system, user" == reply.details["prompt_as"]
    assert "cache_prefix_chars" not in reply.details


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    ("name", "status", "body"),
    [
        ("temperature", 400, error("Unsupported value: 'temperature'.", "temperature", "x")),
        ("temperature", 400, error("Unsupported parameter: temperature is not supported")),
        ("temperature", 400, {"error": "`temperature` is deprecated for this model."}),
        (
            "temperature",
            422,
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "temperature"], "msg": "no"}]},
        ),
        ("seed", 400, error("Unrecognized request argument supplied: seed")),
        ("seed", 400, error("Unknown name 'seed': Cannot find field.", None, 400)),
        ("reasoning_effort", 400, error("no", "reasoning_effort", "unsupported_parameter")),
        ("reasoning_effort", 400, error("This model does not support reasoning_effort.")),
        ("stream_options", 400, error("Validation error at #/stream_options: Extra inputs are")),
        (
            "stream_options",
            422,
            {
                "object": "error",
                "message": {
                    "detail": [
                        {
                            "loc": ["body", "stream_options", "include_usage"],
                            "msg": "Extra inputs are not permitted",
                        }
                    ]
                },
                "type": "invalid_request_error",
            },
        ),
        (
            "stream_options",
            400,
            {"error": {"message": "Extra inputs are not permitted, field: 'stream_options'"}},
        ),
        ("stream", 400, error("Your organization must be verified.", "stream", "unsupported")),
    ],
)
def test_a_parameter_that_is_refused_is_left_out_from_then_on(name, status, body):
    """Refused once, however the server says so; the second request knows."""
    asked = request(seed=5, effort="low", listener=Ear(), schema=SCHEMA)
    refuses = picky(has(name), body, status=status, stream=True)
    with loopback.serving(refuses) as server:
        first, second = ask(server.url, asked, asked)

    assert [True, False, False] == [name in each.body for each in server.seen]
    assert ("{}", "{}") == (first.text, second.text)
    assert [name] == first.details["not_applied"] == second.details["not_applied"]
    assert name == first.details["refused"][0]["parameter"].split(".")[0]
    assert "refused" not in second.details
    assert "schema" == second.details["output_mode"]


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    ("old", "new", "home"),
    [
        ("max_tokens", "max_completion_tokens", "/v1"),
        ("max_completion_tokens", "max_tokens", "/openai/deployments/tiny"),
    ],
)
@pytest.mark.parametrize("inside", [False, True], ids=["400", "200"])
def test_the_limit_has_two_names(old, new, home, inside):
    """Whichever a server refuses, also in an answer with status 200."""
    body = error(f"Unsupported parameter: '{old}'. Use '{new}'.", old, "unsupported_parameter")
    with loopback.serving(picky(has(old), body, status=200 if inside else 400)) as server:
        first, second = ask(server.url, request(), request(), path=home)

    assert [old, new, new] == [
        next(name for name in (old, new) if name in each.body) for each in server.seen
    ]
    assert {old: new} == first.details["renamed"] == second.details["renamed"]
    assert new == second.details["limit_as"]


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    ("refuses", "param"),
    [
        (lambda body: True, "max_tokens"),
        (lambda body: True, "top_k"),
        (lambda body: True, "temperature"),
    ],
)
def test_what_cannot_be_left_out_ends_with_the_set_up(refuses, param):
    """The limit under one name again, what was not sent, what was left out already."""
    with (
        loopback.serving(picky(refuses, error("no", param, "unsupported_parameter"))) as server,
        pytest.raises(ModelFault) as caught,
    ):
        ask(server.url, request())

    assert ("setup", False, param) == (
        caught.value.kind,
        caught.value.transient,
        caught.value.parameter,
    )
    assert "unsupported_parameter" == caught.value.code
    assert len(server.seen) <= 2


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("'response_format' of type 'json_schema' is not supported", "response_format")),
        (400, error("This response_format type is unavailable now")),
        (400, error("This model does not support response format `json_schema`.")),
        (400, error('Either "json_schema" or "grammar" can be specified, but not both')),
        (
            422,
            {
                "detail": [
                    {
                        "loc": ["body", "response_format", "type"],
                        "msg": "Input should be 'text' or 'json_object'",
                        "input": "json_schema",
                    }
                ]
            },
        ),
        (404, error("No endpoints found that support the requested parameters", None, 404)),
        (500, error("failed to load model vocabulary required for format: response_format")),
        (400, error("something went wrong")),
        (400, {}),
        (422, {"detail": "bad"}),
        (400, {"object": "error", "message": "The grammar backend is off", "code": 400}),
    ],
)
def test_a_mode_that_is_refused_is_stepped_down_and_remembered(status, body):
    """Named, told in words, or not told at all: one level a refusal."""
    with loopback.serving(picky(is_form("json_schema"), body, status=status)) as server:
        first, second = ask(server.url, request(schema=SCHEMA), request(schema=SCHEMA))

    assert ["json_schema", "json_object", "json_object"] == [
        form(each.body) for each in server.seen
    ]
    assert "json" == first.details["output_mode"] == second.details["output_mode"]
    assert 1 == len(first.details["refused"])
    assert "schema_sha256" not in second.details


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize("settings", [{}, RESPONSES], ids=["chat", "responses"])
def test_a_server_that_takes_no_mode_gets_the_prompt_alone(settings):
    """From schema over JSON to text, and the next input starts there."""
    body = error("Unsupported", "text.format" if settings else "response_format", "unsupported")
    refuses = picky(lambda each: form(each) != "text", body)
    with loopback.serving(refuses) as server:
        first, second = ask(server.url, request(schema=STRICT), request(schema=OTHER), **settings)

    assert ["json_schema+strict", "json_object", "text", "text"] == [
        form(each.body) for each in server.seen
    ]
    assert 2 == len(first.details["refused"])
    assert ("text", False) == (second.details["output_mode"], second.details["strict"])


@pytest.mark.clause("006-M1")
def test_a_schema_that_strict_mode_does_not_take_is_sent_without():
    """This schema alone: another is still sent in its strict form."""
    body = error("Invalid schema for response_format 'mail_sort'", "response_format")
    other = WireSchema(name="other", document={"type": "object"}, strict=REDUCED)
    refuses = picky(
        lambda each: (
            form(each) == "json_schema+strict"
            and each["response_format"]["json_schema"]["name"] == "mail_sort"
        ),
        body,
    )
    with loopback.serving(refuses) as server:
        ask(server.url, request(schema=STRICT), request(schema=other), request(schema=STRICT))

    assert [
        "json_schema+strict",
        "json_schema",
        "json_schema+strict",
        "json_schema",
    ] == [form(each.body) for each in server.seen]


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize("mode", ["schema", "json"])
def test_a_fixed_mode_that_is_refused_is_a_fault_of_the_set_up(mode):
    """One request, the parameter named, whichever way the server says it."""
    for body in (
        error("Unsupported", "response_format", "unsupported_value"),
        error("This response_format type is unavailable now", None, "unsupported_value"),
    ):
        with (
            loopback.serving(loopback.answer(400, body)) as server,
            pytest.raises(ModelFault) as caught,
        ):
            ask(server.url, request(schema=SCHEMA), ASSAY_OUTPUT_MODE=mode)

        assert ("setup", "response_format") == (caught.value.kind, caught.value.parameter)
        assert ("unsupported_value", 1) == (caught.value.code, len(server.seen))


@pytest.mark.clause("006-M1")
def test_a_400_that_stays_is_the_inputs_and_teaches_nothing():
    """No mode helps this input; the next is held to the schema again."""
    poison = "Poison"
    refuses = picky(lambda each: poison in str(each["messages"]), error("bad"))
    with loopback.serving(refuses) as server:
        with pytest.raises(ModelFault) as caught:
            ask(server.url, request(schema=SCHEMA, prompt=poison))
        seen = len(server.seen)

        async def two() -> tuple[str, Any]:
            environ = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "k"}
            model = OpenAIModel.create("tiny", environ=environ)
            try:
                with pytest.raises(ModelFault):
                    await model.complete(request(schema=SCHEMA, prompt=poison))
                reply = await model.complete(request(schema=SCHEMA))
            finally:
                await model.aclose()
            return reply.details["output_mode"], reply.details.get("refused")

        assert ("schema", None) == asyncio.run(two())

    assert ("bad_request", 3) == (caught.value.kind, seen)


@pytest.mark.clause("006-M1")
def test_a_reply_that_missed_its_form_lowers_nothing_to_come():
    """A server that checks what its model wrote refuses the reply, not the mode."""
    failed = error("Failed to generate JSON.", None, "json_validate_failed", failed_generation="{")
    with loopback.serving(
        loopback.answer(400, failed), loopback.openai_text("{}"), loopback.openai_text("{}")
    ) as server:
        ask(server.url, request(schema=SCHEMA), request(schema=SCHEMA))

    assert ["json_schema", "json_object", "json_schema"] == [
        form(each.body) for each in server.seen
    ]


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, error("bad key"), "auth"),
        (400, error("API key not valid"), "auth"),
        (429, error("slow down"), "rate_limit"),
        (404, error("The model `tiny` does not exist", "model", "model_not_found"), "setup"),
        (
            400,
            error("maximum context length is 4096", None, "context_length_exceeded"),
            "too_large",
        ),
        (400, error("filtered", "prompt", "content_filter"), "content_filter"),
        (503, error("Loading model"), "server"),
    ],
)
def test_other_faults_are_met_once(status, body, kind):
    """Key, model, rate, size and filter have nothing to do with the mode."""
    with loopback.serving(loopback.answer(status, body)) as server:
        try:
            (reply,) = ask(server.url, request(schema=SCHEMA))
            ended = reply.finish_reason
        except ModelFault as fault:
            ended = fault.kind
    assert (1, kind) == (len(server.seen), ended)


@pytest.mark.clause("006-M1")
def test_requests_in_flight_share_what_is_learnt():
    """Four at once: each is refused at most once a parameter, and all end well."""
    body = error("no", "temperature", "unsupported_value")
    with loopback.serving(picky(has("temperature"), body)) as server:

        async def many() -> list[str]:
            environ = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "k"}
            model = OpenAIModel.create("tiny", environ=environ)
            try:
                replies = await asyncio.gather(*(model.complete(request()) for _ in range(4)))
                replies += [await model.complete(request())]
            finally:
                await model.aclose()
            return [str(reply.text) for reply in replies]

        assert ["{}"] * 5 == asyncio.run(many())

    assert len(server.seen) <= 4 * 2 + 1
    assert "temperature" not in server.seen[-1].body
