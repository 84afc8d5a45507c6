"""Conversations: any graph, every crash, two at once, edits, and what is on record."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from assay.errors import InputError, IntegrityError, ModelUnavailableError, NotFoundError
from assay.protocols import ModelReply, ModelRequest
from assay.runtime.conversations.turn import converse
from assay.runtime.runtime import Runtime
from assay.wiring import aopen
from tests import postgres
from tests.packs.talk import SESSION, prompts, services, talking
from tests.processes import run_python
from tests.runtime.conversations.cafe import (
    HEAR,
    NOTHING,
    SERVE,
    STAGES,
    WHOLE,
    cafe,
    order,
    prepare,
)
from tests.runtime.conversations.talker import talk


def chat(folder: Path, *replies: Any, message: str = "Un café", pack: Any = None, **how: Any):
    async def run() -> Any:
        async with talking(folder, *replies) as runtime:
            return await runtime.chat(pack or cafe(), SESSION, message, **how)

    return asyncio.run(run())


# --- any graph ------------------------------------------------------------------------------


@pytest.mark.clause("003-T2", "003-E1", "003-C5")
def test_another_pack_with_a_loop_and_another_language(tmp_path):
    """Nothing of the services pack is in the code: other stages, fields, tables, words."""
    ended = chat(tmp_path, *WHOLE)

    assert (ended.outcome.status, ended.reply) == ("accepted", "Aquí tiene.")
    assert [step.stage for step in ended.stages] == [
        "escuchar",
        "ordenar",
        "preparar",
        "ordenar",
        "preparar",
        "servir",
    ]
    assert ended.cached_state == {
        "session_id": SESSION,
        "escuchar": {"local": "centro"},
        "ordenar": {"platos": [{"nombre": "Café solo"}, {"nombre": "Chocolate"}]},
        "preparar": {"minutos": 9},
        "servir": SERVE,
        "nextStep": "servir",
    }
    menu = prompts(tmp_path)[1].partition("carta: ")[2]
    assert '{"nombre": "Chocolate", "precio": "2.50"}' in menu
    assert "Horchata" not in menu


def test_a_guard_keeps_a_stage_shut(tmp_path):
    """What must hold before a stage is entered does not: no model is asked, a person looks."""
    ended = chat(tmp_path, HEAR, order())

    assert (ended.outcome.status, ended.outcome.reason) == ("needs_review", "gate.rejected")
    assert ended.reply == "Un momento, por favor."
    assert [step.stage for step in ended.stages] == ["escuchar", "ordenar", "preparar"]
    assert "preparar" not in ended.cached_state
    assert len(prompts(tmp_path)) == 2


def test_a_rule_of_the_stage_is_enforced(tmp_path):
    """Rules beside those of the contract reject and are told in the correction."""
    ended = chat(tmp_path, HEAR, order("Chocolate"), prepare(90), prepare(10), SERVE)

    assert ended.outcome.status == "accepted"
    assert "Corrige esto:\n- rule.minutos at /: menos de una hora" in prompts(tmp_path)[3]


def test_what_another_place_offers_is_unknown(tmp_path):
    """Membership follows the state."""
    ended = chat(tmp_path, HEAR, order("Horchata"), order("Horchata"))

    assert ["label.unknown"] == [finding["code"] for finding in ended.findings]


def test_a_loop_ends(tmp_path):
    """More stages than the pack allows end in review."""
    loop = [order("Chocolate"), prepare(5, "otra")]
    ended = chat(tmp_path, HEAR, *(loop * 4))

    assert (ended.outcome.status, ended.outcome.reason) == ("needs_review", "gave_up")
    assert [finding["code"] for finding in ended.findings] == ["turn.too_long"]
    assert len(ended.stages) == 6


def test_a_skeleton_in_the_middle_of_the_way_is_the_reply(tmp_path):
    """A pack whose sketching stage is not the last: what it sketched is what the user gets."""
    schema = json.dumps(
        {
            "type": "object",
            "required": ["platos", "siguiente", "huecos", "texto"],
            "properties": {
                "platos": {"type": "array"},
                "siguiente": {"const": "listo"},
                "huecos": {"type": "object"},
                "texto": {"type": "string"},
            },
        }
    ).encode()
    pack = cafe(
        stages__yaml=STAGES.replace(
            "field: /respuesta,", "field: /nota, skeleton: ordenar,"
        ).encode(),
        contracts__ordenar__yaml=(
            b"template: ordenar\n"
            b"placeholders:\n"
            b"  at: /huecos\n  text: /texto\n  table: plato\n  key: {nombre: /platos/0/nombre}\n"
            b"  values: {plato: nombre, precio: precio}\n"
            b"  spare: '{plato}'\n"
        ),
        **{"contracts__ordenar.schema__json": schema},
    )
    sketched = order("Chocolate") | {"huecos": {"plato": "{plato}"}, "texto": "{plato}: {precio}"}
    ended = chat(tmp_path, HEAR, sketched, prepare(5), SERVE, pack=pack)

    assert (ended.outcome.status, ended.reply) == ("accepted", "Chocolate: 2.50")


# --- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message", ["", "  \n\t", "\u200b \u2060\u00a0", "\ud800", "x" * ((4 << 20) + 1)]
)
def test_messages_that_cannot_be_used_are_refused(tmp_path, message):
    """Nothing is recorded and nothing asked."""
    with pytest.raises(InputError):
        chat(tmp_path, NOTHING, message=message)
    assert [] == prompts(tmp_path)


def test_ids_that_cannot_be_used_are_refused(tmp_path):
    """No UUID, or the id of another pack's session."""

    async def run() -> None:
        async with talking(tmp_path, NOTHING) as runtime:
            with pytest.raises(InputError, match="no UUID"):
                await runtime.chat(cafe(), "", "hola")
            with pytest.raises(InputError, match="no UUID"):
                await runtime.chat(cafe(), "1; DROP TABLE sessions", "hola")
            await runtime.chat(cafe(), SESSION, "hola")
            with pytest.raises(InputError, match="another pack"):
                await runtime.chat(services(), SESSION, "hello")
            with pytest.raises(NotFoundError):
                await runtime.session("22222222-2222-4333-8444-555555555555")

    asyncio.run(run())


def test_a_pack_without_stages_holds_no_conversation(tmp_path):
    """An ordered flow is for `assay run`."""
    from tests.runtime.tiny import tiny_pack

    with pytest.raises(InputError, match="no stages"):
        chat(tmp_path, NOTHING, pack=tiny_pack())


# --- crashes --------------------------------------------------------------------------------

POINTS = [*(f"step:{n}" for n in range(7)), *(f"asked:{n}" for n in range(4))]


def kill(folder: Path, point: str) -> None:
    """Talk in *folder* in a process that does not come back."""
    child = run_python("-m", "tests.runtime.conversations.talker", str(folder), point)
    assert child.returncode == -signal.SIGKILL, child.stderr


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_turn_is_taken_up_where_it_stood(tmp_path, point):
    """Killed at any point and resumed: the same end, nothing stored asked twice, all verifies."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    expected, _ = asyncio.run(talk(whole))
    kill(killed, point)
    ended, verified = asyncio.run(talk(killed))

    assert expected.cached_state == ended.cached_state
    assert (expected.outcome, expected.reply, expected.turn) == (
        ended.outcome,
        ended.reply,
        ended.turn,
    )
    assert [s.stage for s in expected.stages] == [s.stage for s in ended.stages]
    assert verified == "unanchored"
    asked = (killed / "asked.txt").read_text().splitlines()
    once = (whole / "asked.txt").read_text().splitlines()
    if point.startswith("asked"):  # no answer came: the same bytes are sent again
        place = int(point.partition(":")[2])
        once.insert(place, once[place])
    assert once == asked


def test_a_turn_killed_after_its_last_commit_is_whole(tmp_path):
    """Nothing is left to do: the session stands between turns with its reply."""
    kill(tmp_path, "step:7")

    async def run() -> Any:
        async with aopen(f"sqlite:///{tmp_path / 'assay.db'}", "none", environ={}) as runtime:
            return await runtime.session(SESSION)

    found = asyncio.run(run())
    assert (found["session"]["status"], found["turn"]["outcome"]) == ("idle", "accepted")
    assert found["turn"]["reply"] == "Have a look at Medicaid: https://www.medicaid.gov/"


def test_a_turn_whose_model_was_gone_is_taken_up(tmp_path):
    """The model fails for good in the middle; the same message goes on with the stage due."""
    with pytest.raises(ModelUnavailableError):
        chat(tmp_path, HEAR, {"error": "server"})
    ended = chat(tmp_path, *WHOLE[1:])

    assert (ended.turn, ended.outcome.status) == (1, "accepted")
    assert len(ended.stages) == 6
    assert "Etapa ordenar." in prompts(tmp_path)[2]


def test_another_message_first_ends_what_stands_still(tmp_path):
    """A turn that nobody took up is brought to its end before the next one begins."""
    with pytest.raises(ModelUnavailableError):
        chat(tmp_path, HEAR, {"error": "server"})

    async def run() -> Any:
        async with talking(tmp_path, *WHOLE[1:], NOTHING) as runtime:
            return await converse(
                runtime.context, cafe(), "Nada más", session=SESSION, patience_s=0.0
            )

    ended = asyncio.run(run())
    assert (ended.turn, ended.reply) == (2, "Hasta luego.")
    summed = prompts(tmp_path)[-1].partition("chat_context_summary: ")[2].strip()
    assert json.loads(summed) == {"turn": 1, "user": "Un café", "reply": "Aquí tiene."}


# --- two at once ----------------------------------------------------------------------------


class Gate:
    """A model that answers when it is let."""

    name = "gate:fixed"
    needs_plan = False
    identity: ClassVar[dict[str, Any]] = {}

    def __init__(self, *replies: dict[str, Any]) -> None:
        self._replies = iter(replies)
        self.asked = asyncio.Event()
        self.let = asyncio.Event()

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.set()
        await self.let.wait()
        return ModelReply(text=json.dumps(next(self._replies)), finish_reason="stop")

    async def aclose(self) -> None:
        return None


@asynccontextmanager
async def with_models(folder: Path, *models: Any) -> AsyncIterator[list[Runtime]]:
    """A runtime of its own for each model, all on one store."""
    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(
                aopen(f"sqlite:///{folder / 'assay.db'}", "none", environ={})
            )
            for _ in models
        ]
        yield [
            Runtime(context=replace(each.context, model=model))
            for each, model in zip(opened, models, strict=True)
        ]


async def two_at_once(runtime: Runtime, *messages: str) -> list[Any]:
    """The turns of both messages; no model answers before one of them has ended."""
    turns = [asyncio.create_task(runtime.chat(cafe(), SESSION, said)) for said in messages]
    await asyncio.wait(turns, return_when=asyncio.FIRST_COMPLETED)
    gate: Any = runtime.context.model
    gate.let.set()
    return await asyncio.gather(*turns)


def test_a_message_into_a_running_turn_is_a_conflict(tmp_path):
    """The first proceeds; the second is told so, asks nothing and changes nothing."""

    async def run() -> None:
        model, other = Gate(NOTHING), Gate(NOTHING)
        async with with_models(tmp_path, model, other) as (first, second):
            running = asyncio.create_task(first.chat(cafe(), SESSION, "uno"))
            await model.asked.wait()
            refused = await second.chat(cafe(), SESSION, "dos")
            model.let.set()
            ended = await running
            session = await first.session(SESSION)

        assert (ended.outcome.status, ended.turn) == ("accepted", 1)
        assert (refused.outcome.status, refused.outcome.reason) == (
            "needs_review",
            "session.conflict",
        )
        assert refused.reply == "Ya le atiendo."
        assert [finding["code"] for finding in refused.findings] == ["session.conflict"]
        assert not other.asked.is_set()
        assert session["turn"]["message"] == "uno"
        assert session["session"]["turn"] == 1

    asyncio.run(run())


def test_of_two_that_take_up_one_turn_the_second_conflicts(tmp_path):
    """Both were asked; only the outcome that is stored first counts."""

    async def run() -> None:
        slow, quick = Gate(NOTHING | {"respuesta": "tarde"}), Gate(NOTHING)
        async with with_models(tmp_path, slow, quick) as (first, second):
            running = asyncio.create_task(first.chat(cafe(), SESSION, "uno"))
            await slow.asked.wait()
            quick.let.set()
            ended = await second.chat(cafe(), SESSION, "uno")
            slow.let.set()
            late = await running
            session = await first.session(SESSION)
            verified = await first.verify()

        assert (ended.outcome.status, ended.reply) == ("accepted", "Hasta luego.")
        assert late.outcome.reason == "session.conflict"
        assert session["turn"]["reply"] == "Hasta luego."
        assert len(session["summary"]) == 1
        assert verified.status == "unanchored"

    asyncio.run(run())


def test_two_that_begin_at_once(tmp_path):
    """Of two first messages of one session one is answered, the other conflicts."""

    async def run() -> list[Any]:
        async with with_models(tmp_path, Gate(NOTHING)) as (runtime,):
            return await two_at_once(runtime, "uno", "dos")

    reasons = [turn.outcome.reason for turn in asyncio.run(run())]
    assert sorted(reasons, key=str) == [None, "session.conflict"]


# --- the record -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE sessions SET turn = 7",
        "UPDATE sessions SET stage = 'servir', status = 'turning'",
        "UPDATE sessions SET state_digest = 'sha256:' || lower(hex(randomblob(32)))",
        "UPDATE sessions SET vouched_by = vouched_by - 1",
        "UPDATE sessions SET vouched_by = 'x'",
        "UPDATE sessions SET updated_at = '2020-01-01'",
        "UPDATE sessions SET id = '22222222-2222-4333-8444-555555555555'",
        "DELETE FROM sessions",
        "UPDATE payloads SET content = CAST(replace(CAST(content AS TEXT), 'centro', 'playa!')"
        " AS BLOB) WHERE name = 'session'",
        "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), 'turn.ended', 'turn.closed')"
        " AS BLOB)",
    ],
)
def test_an_edited_session_is_refused(tmp_path, statement):
    """Row, content or event: whatever was edited, loading names the session and stops."""
    chat(tmp_path, NOTHING)
    with sqlite3.connect(tmp_path / "assay.db") as database:
        database.execute(statement)
    database.close()

    with pytest.raises(IntegrityError, match=SESSION):
        chat(tmp_path, NOTHING, message="otra vez")


def test_a_row_that_is_put_back_is_refused(tmp_path):
    """An older state, with the event that vouched for it, is not where the session stands."""
    chat(tmp_path, NOTHING)
    with sqlite3.connect(tmp_path / "assay.db") as database:
        names = [column[1] for column in database.execute("PRAGMA table_info(sessions)")]
        older = database.execute("SELECT * FROM sessions").fetchone()
    database.close()
    chat(tmp_path, NOTHING, message="otra vez")
    with sqlite3.connect(tmp_path / "assay.db") as database:
        database.execute(f"UPDATE sessions SET {', '.join(f'{name} = ?' for name in names)}", older)
    database.close()

    with pytest.raises(IntegrityError, match=SESSION):
        chat(tmp_path, NOTHING, message="y ahora")


LATER = "(SELECT seq FROM events WHERE seq > :seq)"
LAST = "(SELECT {} FROM events WHERE run = runs.run ORDER BY n DESC LIMIT 1)"
TRACES = {
    "run": f"UPDATE runs SET events = {LAST.format('n + 1')}, head = {LAST.format('digest')}",
    "notes": "DELETE FROM log_pending",
    "log": "DELETE FROM log WHERE seq > :seq",
    "numbers": "UPDATE sqlite_sequence SET seq = :seq WHERE name = 'events'",
}


@pytest.mark.clause("005-R20")
@pytest.mark.parametrize("left", TRACES)
def test_a_session_whose_newer_events_were_deleted_is_refused(tmp_path, left):
    """Its row is put back and what came after is taken away: one trace that was left tells."""
    chat(tmp_path, NOTHING)
    with sqlite3.connect(tmp_path / "assay.db") as database:
        names = [column[1] for column in database.execute("PRAGMA table_info(sessions)")]
        older = database.execute("SELECT * FROM sessions").fetchone()
        calls = database.execute("SELECT count(*) FROM calls").fetchone()[0]
    database.close()
    chat(tmp_path, NOTHING, message="otra vez")
    with sqlite3.connect(tmp_path / "assay.db") as database:
        seq = {"seq": older[names.index("vouched_by")]}
        database.execute(f"UPDATE sessions SET {', '.join(f'{name} = ?' for name in names)}", older)
        database.execute("DELETE FROM calls WHERE position > ?", (calls,))
        database.execute(f"DELETE FROM payloads WHERE seq IN {LATER}", seq)
        database.execute("DELETE FROM events WHERE seq > :seq", seq)
        for trace, statement in TRACES.items():
            if trace != left:
                database.execute(statement, seq if ":seq" in statement else ())
    database.close()

    with pytest.raises(IntegrityError, match=SESSION):
        chat(tmp_path, NOTHING, message="y ahora")


def test_verification_finds_an_edited_row(tmp_path):
    """A session's row is vouched for by an event like a call's."""
    chat(tmp_path, NOTHING)
    with sqlite3.connect(tmp_path / "assay.db") as database:
        database.execute("UPDATE sessions SET turn = 7")
    database.close()

    async def run() -> Any:
        async with talking(tmp_path) as runtime:
            return await runtime.verify()

    assert asyncio.run(run()).status == "broken"


def test_what_was_said_can_be_erased(tmp_path):
    """All payloads of a session go with its id; the record still verifies."""

    async def run() -> None:
        async with talking(tmp_path, NOTHING) as runtime:
            await runtime.chat(cafe(), SESSION, "Me llamo Ana Ruiz")
            await runtime.erase(SESSION, reason="asked for", actor="test")
            with pytest.raises(NotFoundError, match="erased"):
                await runtime.session(SESSION)
            assert (await runtime.verify()).status == "unanchored"

    asyncio.run(run())
    assert b"Ana Ruiz" not in (tmp_path / "assay.db").read_bytes()


def test_merge_outcome_and_events_are_one_transaction(tmp_path):
    """The event that ends a stage vouches for the call's row and the session's together."""

    async def run() -> list[Any]:
        async with talking(tmp_path, *WHOLE) as runtime:
            await runtime.chat(cafe(), SESSION, "Un café")
            return [event async for event in runtime.store.events(run=1)]

    events = asyncio.run(run())
    merged = [event for event in events if event.kind in ("stage.merged", "turn.ended")]
    assert len(merged) == 6
    for event in merged:
        tables = {name.partition("/")[0] for name in json.loads(event.body)["rows"]}
        assert tables == {"calls", "sessions"}
    assert all("centro" not in json.dumps(dict(event.facts)) for event in events)


def test_what_a_slot_leaves_out_is_on_record(tmp_path):
    """The context snapshot names the rows that did not fit."""
    small = cafe(
        stages__yaml=cafe().files["stages.yaml"].replace(b"max_tokens: 60", b"max_tokens: 20")
    )

    async def run() -> list[Any]:
        async with talking(tmp_path, HEAR, order("Chocolate"), prepare(1), SERVE) as runtime:
            await runtime.chat(small, SESSION, "algo dulce")
            return [e async for e in runtime.store.events(run=1, kind="prompt.built")]

    slots = [event.facts["slots"] for event in asyncio.run(run())]
    assert slots[1] == {"carta": {"rows": 2, "shown": 1, "omitted": ["a"]}}
    assert slots[0] == {}


@pytest.mark.clause("003-I2")
def test_a_summary_over_its_tokens_loses_its_oldest_items(tmp_path):
    """In a script of many tokens a session goes on for ever, and the record says what it forgot."""
    words = "\u1001\u103b\u1004\u103a" * 60

    async def run() -> Any:
        replies = [NOTHING | {"respuesta": words}] * 4
        async with talking(tmp_path, *replies) as runtime:
            pack = cafe(
                stages__yaml=STAGES.replace(
                    "{items: 3, max_chars: 40}", "{items: 3, max_chars: 40, max_tokens: 130}"
                ).encode()
            )
            for number in range(4):
                ended = await runtime.chat(pack, SESSION, f"{number} {words}")
            kept = await runtime.session(SESSION)
            built = [event async for event in runtime.store.events(kind="prompt.built")]
            return ended, kept, built[-1].facts["slots"]

    ended, kept, slots = asyncio.run(run())
    assert ended.outcome.status == "accepted"
    assert [item["turn"] for item in kept["summary"]] == [2, 3, 4]
    left_out = slots["chat_context_summary"]
    assert left_out["rows"] == 3
    assert left_out["omitted"] == [str(turn) for turn in range(1, 4 - left_out["shown"])]
    assert 0 < left_out["shown"] < 3
    told = prompts(tmp_path)[-1].partition("chat_context_summary: ")[2].strip().split("\n")
    assert [json.loads(line)["turn"] for line in told] == list(range(4 - left_out["shown"], 4))


def test_conversations_live_in_postgresql_too(tmp_path):
    """Turns, a conflict of two at once, and verification."""

    async def run(store: str) -> None:
        async with talking(tmp_path, *WHOLE, store=store) as runtime:
            first = await runtime.chat(cafe(), SESSION, "Un café")
            slow = Runtime(context=replace(runtime.context, model=Gate(NOTHING)))
            both = await two_at_once(slow, "uno", "dos")
            listed = await runtime.sessions()
            report = await runtime.verify()

        assert (first.outcome.status, first.reply) == ("accepted", "Aquí tiene.")
        reasons = [turn.outcome.reason for turn in both]
        assert sorted(reasons, key=str) == [None, "session.conflict"]
        assert [(row.id, row.turn, row.status) for row in listed] == [(SESSION, 2, "idle")]
        assert report.status == "unanchored"

    try:
        with postgres.running() as server, server.database() as url:
            asyncio.run(run(url))
    except postgres.NoServer as reason:
        reason.end_test()
