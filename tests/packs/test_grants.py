"""The grants pack: planner, writer, formatter, and the documents that come of it."""

from __future__ import annotations

import asyncio
import json
from io import BytesIO

import docx
import pypdf
import pytest

from assay.errors import PackError
from assay.pack.pack import Pack
from assay.pack.read import read_pack
from assay.pack.verify import verify_pack
from assay.runtime.calls.earlier_results import as_text
from assay.runtime.reviews.decision import Decision
from assay.wiring import aopen, load_pack
from tests.command import assay
from tests.packs.grants_script import CALL, DOCUMENT, DRAFT, INPUT, NOTES, PLAN, changed
from tests.parts import require_part

GRANTS = load_pack("grants")


def run(folder, *replies, data=None, environ=None, model=None, pack=GRANTS):
    """The outcome of the grants flow on one input, its calls, and the requests sent."""
    file = folder / "replies.jsonl"
    file.write_text(
        "".join(
            json.dumps({"text": reply if isinstance(reply, str) else json.dumps(reply)}) + "\n"
            for reply in replies
        )
    )
    log = folder / "log.jsonl"

    async def go():
        async with aopen(
            f"sqlite:///{folder / 'grants.db'}",
            model or f"scripted:{file}",
            pack=pack,
            script_log=None if model else str(log),
            environ=environ or {},
        ) as runtime:
            given = json.dumps(INPUT if data is None else data).encode()
            (outcome,) = [o async for o in runtime.run(pack, [given])]
            replays = [await runtime.replay(call.call, pack) for call in outcome.calls]
        return outcome, replays

    outcome, replays = asyncio.run(go())
    sent = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return outcome, replays, sent


@pytest.mark.clause("002-N4", "002-B1", "002-B2", "002-B3")
def test_from_call_and_notes_to_a_document(tmp_path):
    """Three calls in order; each sees what the one before delivered; the last is the document."""
    outcome, _, (planner, writer, formatter) = run(tmp_path, PLAN, DRAFT, DOCUMENT)

    assert ("accepted", None) == (outcome.outcome.status, outcome.outcome.reason)
    assert {"plan": PLAN, "draft": DRAFT, "document": DOCUMENT} == outcome.result
    assert CALL in planner["prompt"]
    assert NOTES in planner["prompt"]
    assert "summary: Who asks for what." in writer["prompt"]
    assert "need: Au has 340 people. Its one well fell dry in 2025." in formatter["prompt"]
    assert CALL not in formatter["prompt"]
    blueprint = "\n\nSTRUCTURE BLUEPRINT INSTRUCTIONS\nOne object with title and sections."
    assert blueprint in formatter["prompt"]
    assert '\n\nSCHEMA JSON:\n{"$defs":' in formatter["prompt"]
    assert "SCHEMA JSON" not in planner["prompt"] + writer["prompt"]


@pytest.mark.clause("002-N3")
def test_a_settled_flow_is_answered_from_the_record_alone(tmp_path):
    """Later contracts are shown what the record holds, byte for byte: nothing is sent again."""
    backwards = dict(reversed(PLAN.items()))
    first, _, sent = run(tmp_path, backwards, DRAFT, DOCUMENT)
    again, _, sent_in_all = run(tmp_path, backwards, DRAFT, DOCUMENT)

    assert 3 == len(sent) == len(sent_in_all)
    assert json.dumps(first.to_dict()) == json.dumps(again.to_dict())
    assert again.reused


def test_every_role_replays_with_what_it_was_handed(tmp_path):
    """Results of earlier roles are kept with the call that took them, so all three replay."""
    environ = {"ASSAY_MASTER_KEY": "cd" * 32}
    _, replays, _ = run(tmp_path, PLAN, DRAFT, DOCUMENT, environ=environ)

    assert [("identical", "same", "same")] * 3 == [
        (again.prompt, again.verdict, again.result) for again in replays
    ]


def test_a_plan_in_review_stops_the_roles_after_it(tmp_path):
    """Nobody writes to a plan that a person has yet to look at: no second role is asked."""
    wrong = changed(PLAN, ["Applicants must be banks."], "requirements", 0, "evidence_snippets")
    outcome, _, sent = run(tmp_path, wrong, wrong)

    assert ("needs_review", "gate.rejected") == (outcome.outcome.status, outcome.outcome.reason)
    assert {"plan": None, "draft": None, "document": None} == outcome.result
    assert (1, 2) == (len(outcome.calls), len(sent))


def test_the_roles_go_on_with_what_a_person_accepted(tmp_path):
    """A plan corrected by a person is what the writer gets when the same input is run again."""
    wrong = changed(PLAN, ["Applicants must be banks."], "requirements", 0, "evidence_snippets")
    script = [wrong, wrong, DRAFT, DOCUMENT]
    (tmp_path / "s.jsonl").write_text(
        "".join(json.dumps({"text": json.dumps(reply)}) + "\n" for reply in script)
    )
    given = json.dumps(INPUT).encode()

    async def go():
        environ = {"ASSAY_MASTER_KEY": "cd" * 32}
        store, model = f"sqlite:///{tmp_path / 'g.db'}", f"scripted:{tmp_path / 's.jsonl'}"
        async with aopen(store, model, pack=GRANTS, environ=environ) as runtime:
            (first,) = [o async for o in runtime.run(GRANTS, [given])]
            (review,) = await runtime.reviews()
            decision = Decision(
                accept=True, reviewer="ada", reason="read it", output=json.dumps(PLAN).encode()
            )
            await runtime.decide(review.id, decision, pack=GRANTS)
            (second,) = [o async for o in runtime.run(GRANTS, [given])]
            return first, second

    first, second = asyncio.run(go())

    assert ("needs_review", "accepted") == (first.outcome.status, second.outcome.status)
    assert {"plan": PLAN, "draft": DRAFT, "document": DOCUMENT} == second.result


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (
            changed(
                DOCUMENT, ["Au gets 90,000 euro."], "sections", "resources", "blocks", 0, "text"
            ),
            "evidence.not_found",
        ),
        (changed(DOCUMENT, [], "sections", "summary", "blocks"), "schema.minItems"),
        (changed(DOCUMENT, "Resumé", "sections", "summary", "heading"), "schema.const"),
        (changed(DOCUMENT, "table", "sections", "summary", "blocks", 0, "kind"), "schema.enum"),
    ],
)
def test_a_formatter_that_adds_or_rearranges_is_rejected(tmp_path, wrong, code):
    """What is not word for word in the draft, or not in the layout, never becomes a document."""
    outcome, replays, _ = run(tmp_path, PLAN, DRAFT, wrong, wrong)

    assert ("needs_review", None) == (outcome.outcome.status, outcome.result["document"])
    assert code in [finding.code for finding in replays[2].findings]


@pytest.mark.parametrize("gap", ["Costs are TBD in the next weeks.", "[Insert the costs here.]"])
def test_a_draft_with_gaps_is_rejected(tmp_path, gap):
    """A writer that leaves a gap to be filled is asked again, then a person is."""
    wrong = changed(DRAFT, gap, "resources", "text")
    outcome, replays, _ = run(tmp_path, PLAN, wrong, wrong)

    assert "needs_review" == outcome.outcome.status
    assert ["rule.no_gaps_left"] == [finding.code for finding in replays[1].findings]


@pytest.mark.clause("002-B2", "002-B4")
def test_the_formatter_is_held_to_its_blueprint(tmp_path):
    """A template whose blueprint asks for more than the contract's schema binds the output."""
    file = "templates/formatter.md"
    stricter = GRANTS.files[file].replace(b'"maxLength": 90', b'"maxLength": 9')
    pack = read_pack(dict(GRANTS.files) | {file: stricter})
    outcome, replays, _ = run(tmp_path, PLAN, DRAFT, DOCUMENT, DOCUMENT, pack=pack)

    assert "needs_review" == outcome.outcome.status
    assert ["schema.maxLength"] == [finding.code for finding in replays[2].findings]


@pytest.mark.clause("002-B4")
def test_a_blueprint_that_is_no_schema_is_found_when_the_pack_is_read():
    """It is an error of the pack with its file, not something swallowed at render time."""
    file = "templates/formatter.md"
    broken = GRANTS.files[file].replace(b'"type": "string"', b'"type": "text"')

    with pytest.raises(PackError) as caught:
        read_pack(dict(GRANTS.files) | {file: broken})
    assert file == caught.value.file
    assert b'"type": "text"' in broken.splitlines()[caught.value.line - 1]


@pytest.mark.clause("002-N4")
def test_blueprint_and_schema_say_the_same():
    """The bundled formatter shows exactly what the gate judges by."""
    contract = GRANTS.contract("document")

    assert contract.schema.document == dict(contract.template.blueprint_schema)


def test_a_role_cannot_take_what_comes_later():
    """`earlier` names results of contracts before it in the flow, checked when a pack is read."""
    files = dict(GRANTS.files)
    files["pack.yaml"] = files["pack.yaml"].replace(
        b"[plan, draft, document]", b"[draft, plan, document]"
    )
    with pytest.raises(PackError) as caught:
        read_pack(files)
    assert "'plan'" in str(caught.value)


def test_the_golden_cases_on_public_calls_hold():
    """Real funding calls, summarised in facts, go through all three roles as expected."""
    verification = verify_pack(GRANTS.files)

    assert () == verification.faults
    assert 15 == verification.golden


def test_strings_of_a_result_stay_quotable():
    """A result as text holds every one of its strings character for character."""
    text = as_text({"a": {"text": 'Said "no".'}, "b": ["x: y", {"c": 1, "d": None}], "e": True})

    assert 'a: Said "no".\nb:\n- x: y\n- c: 1\nd: none\ne: yes' == text


# --- documents ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder in which `assay run grants --documents` has written twice, from fresh stores."""
    place = tmp_path_factory.mktemp("grants")
    (place / "au.json").write_text(json.dumps(INPUT))
    lines = [json.dumps({"text": json.dumps(reply)}) + "\n" for reply in (PLAN, DRAFT, DOCUMENT)]
    (place / "s.jsonl").write_text("".join(lines))
    for name in ("one", "two"):
        words = ("--store", f"sqlite:///{name}.db", "--model", "scripted:s.jsonl", "--json")
        done = assay(place, "run", "grants", "au.json", "--documents", name, *words)
        assert 0 == done.code, done.err
        assert "accepted" == done.document["outcome"]
    return place


@pytest.mark.clause("002-N4")
def test_the_command_writes_four_formats_and_the_same_bytes_twice(written):
    """Markdown, HTML, DOCX and PDF; equal inputs give equal bytes in every one of them."""
    first = {file.name: file.read_bytes() for file in (written / "one").iterdir()}
    second = {file.name: file.read_bytes() for file in (written / "two").iterdir()}

    assert {"au.md", "au.html", "au.docx", "au.pdf"} == set(first)
    assert first == second


@pytest.mark.clause("002-N4")
def test_a_reader_finds_the_layout_in_the_docx(written):
    """python-docx reads title, headings with their levels, paragraphs and the list."""
    document = docx.Document(BytesIO((written / "one" / "au.docx").read_bytes()))
    lines = [(paragraph.style.name, paragraph.text) for paragraph in document.paragraphs]

    assert ("Title", "A new well for Au") == lines[0]
    assert [
        "1 Summary",
        "2 The project",
        "2.1 Need",
        "2.2 Approach",
        "2.3 Impact",
        "3 Resources",
    ] == [text for style, text in lines if style.startswith("Heading")]
    assert ["Drilling: 14,000 euro.", "Pump: 3,500 euro."] == [
        text for style, text in lines if style == "List Bullet"
    ]
    assert "A new well for Au" == document.core_properties.title
    assert 2000 == document.core_properties.created.year


@pytest.mark.clause("002-N4")
def test_a_reader_finds_the_text_and_the_outline_in_the_pdf(written):
    """pypdf reads the text in order, the outline, and metadata without a real date."""
    reader = pypdf.PdfReader(BytesIO((written / "one" / "au.pdf").read_bytes()))
    text = "\n".join(page.extract_text() for page in reader.pages)

    assert text.index("1 Summary") < text.index("2.1 Need") < text.index("Pump: 3,500 euro.")
    assert "A new well for Au" == reader.metadata.title
    assert 2000 == reader.metadata.creation_date.year
    assert ["A new well for Au"] == [e.title for e in reader.outline if not isinstance(e, list)]


def test_a_pack_without_a_document_says_so(written):
    """`--documents` with a pack that delivers none is wrong usage, told before anything runs."""
    (written / "m.eml").write_bytes(b"From: a@example.org\nSubject: x\n\ny\n")
    done = assay(written, "run", "intake", "m.eml", "--documents", "out")

    assert 2 == done.code
    assert "delivers no document" in done.err
    assert not (written / "out").exists()


# --- a real model ---------------------------------------------------------------------------


def brief() -> Pack:
    """The pack with shorter texts: what is proven is the way, and a small model is slow."""
    files = dict(GRANTS.files)
    for name, cuts in {
        "contracts/plan.schema.json": {b'"maxItems": 12': b'"maxItems": 1', b"200}}": b"40}}"},
        "contracts/draft.schema.json": {b'"maxLength": 2400': b'"maxLength": 40'},
        "contracts/document.schema.json": {b'"maxItems": 2,': b'"maxItems": 1,'},
        "templates/formatter.md": {b'"maxItems": 2,': b'"maxItems": 1,'},
    }.items():
        for old, new in cuts.items():
            assert old in files[name]
            files[name] = files[name].replace(old, new)
    return read_pack(files)


def test_the_embedded_model_goes_the_whole_way(tmp_path):
    """The small model is held to plan, draft and layout, and what it writes is judged as any."""
    require_part("embedded", "xllamacpp")
    data = {"call": "Grants for wells.", "notes": "We drill a well in Au."}
    outcome, replays, _ = run(tmp_path, model="embedded", pack=brief(), data=data)

    assert 3 == len(outcome.calls), outcome.to_dict()
    assert "accepted" == outcome.outcome.status, [again.to_dict() for again in replays]
    assert ["summary", "project", "resources"] == list(outcome.result["document"]["sections"])
