"""The index over files: what it finds, what it reads again, what it leaves out."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.retrievers import folder as folder_module
from assay.adapters.retrievers.folder import (
    PIECE_CHARS,
    WORDS_ONLY,
    FolderRetriever,
    find_documents,
    pieces,
)
from assay.adapters.retrievers.ranking import coverage, rarity, similarity
from assay.answers.assemble import assemble
from assay.answers.conditions import read_conditions
from assay.answers.evidence.bundle import RetrievalBundle, read_bundle
from assay.errors import InputError, ModelUnavailableError, StoreUnavailableError
from tests.parts import absent, require_part

FEES = "# Fees\n\nA new card costs 25 EUR. It is due within 14 days.\n"
HOURS = "# Opening hours\n\nThe library opens at nine and closes at six.\n"


@pytest.fixture
def docs(tmp_path):
    """Two documents, changed long ago."""
    place = tmp_path / "docs"
    place.mkdir()
    for name, text in (("fees.md", FEES), ("hours.txt", HOURS)):
        write(place / name, text)
    return place


def write(path: Path, content: str | bytes, *, age_s: int = 3600) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    past = time.time() - age_s
    os.utime(path, (past, past))


def words_only(tmp_path: Path) -> FolderRetriever:
    return FolderRetriever(tmp_path / "index", load=False)


def find(retriever: FolderRetriever, question: str, *docs: Path, top_k: int = 20):
    return asyncio.run(retriever.retrieve(question, [str(each) for each in docs], top_k=top_k))


@pytest.fixture
def reads(monkeypatch):
    """Names of the documents that were read, in order."""
    names: list[str] = []
    original = folder_module.read_document

    def spy(name, data):
        names.append(name)
        return original(name, data)

    monkeypatch.setattr(folder_module, "read_document", spy)
    return names


@pytest.mark.clause("004-A1")
def test_the_nearest_passage_comes_first_with_its_place(tmp_path, docs):
    """A bundle that assembly takes: ranks from 0, scores falling, each chunk with its span."""
    found = find(words_only(tmp_path), "When does the library open, for a card?", docs)
    bundle = read_bundle(found.bundle.to_dict())

    assert isinstance(bundle, RetrievalBundle)
    assert [0, 1] == [chunk.rank for chunk in bundle.results]
    assert f"{docs.as_posix()}/hours.txt" == bundle.results[0].source_reference
    place = found.places[bundle.results[0].chunk_id]
    assert bundle.results[0].chunk_text == HOURS[place.start : place.stop]
    scores = [chunk.similarity_score for chunk in bundle.results]
    assert sorted(scores, reverse=True) == scores
    assert WORDS_ONLY == bundle.embedding_model


def test_only_changed_files_are_read_again(tmp_path, docs, reads):
    """Unchanged files stay, changed and new ones are read, files that are gone are forgotten."""
    retriever = words_only(tmp_path)
    first = find(retriever, "card", docs).bundle
    assert ["fees.md", "hours.txt"] == reads

    find(retriever, "library", docs)
    assert ["fees.md", "hours.txt"] == reads

    write(docs / "fees.md", FEES.replace("25", "27"), age_s=1800)
    (docs / "hours.txt").unlink()
    write(docs / "new.md", "A library card is blue.")
    changed = find(retriever, "card", docs).bundle
    assert ["fees.md", "hours.txt", "fees.md", "new.md"] == reads
    assert {"A new card costs 27 EUR.", "A library card is blue."} == {
        text
        for text in ("A new card costs 27 EUR.", "A library card is blue.", "nine")
        if any(text in chunk.chunk_text for chunk in changed.results)
    }
    assert first.index_version != changed.index_version


def test_a_touched_file_is_read_but_not_indexed_again(tmp_path, docs, reads):
    """A new date with the old content changes nothing."""
    retriever = words_only(tmp_path)
    first = find(retriever, "card", docs).bundle
    write(docs / "fees.md", FEES, age_s=900)

    assert first == find(retriever, "card", docs).bundle
    assert ["fees.md", "hours.txt"] == reads


def test_a_file_changed_a_moment_ago_is_looked_at_again(tmp_path, docs):
    """Same size and same date do not hide a change within the clock's tick."""
    retriever = words_only(tmp_path)
    (docs / "fees.md").write_text("It costs 11 EUR.")
    dates = (docs / "fees.md").stat()
    find(retriever, "costs", docs)
    (docs / "fees.md").write_text("It costs 22 EUR.")
    os.utime(docs / "fees.md", ns=(dates.st_atime_ns, dates.st_mtime_ns))

    assert "It costs 22 EUR." == find(retriever, "costs", docs).bundle.results[0].chunk_text


def test_equal_documents_give_equal_bundles(tmp_path, docs):
    """Two indexes made apart and in another order of events say the same."""
    one = find(FolderRetriever(tmp_path / "one", load=False), "card library", docs)
    retriever = FolderRetriever(tmp_path / "two", load=False)
    write(docs / "zz.md", "card")
    find(retriever, "card", docs)
    (docs / "zz.md").unlink()
    write(docs / "fees.md", FEES, age_s=60)

    assert one == find(retriever, "card library", docs)


@pytest.mark.parametrize("damage", [b"no database at all", b""])
def test_a_damaged_index_is_made_anew(tmp_path, docs, damage):
    """The index is a cache: damage costs time, nothing else."""
    retriever = words_only(tmp_path)
    first = find(retriever, "card", docs)
    (file,) = (tmp_path / "index").glob("*.db")
    file.write_bytes(damage)

    assert first == find(retriever, "card", docs)


def test_an_index_of_another_make_is_made_anew(tmp_path, docs):
    """Vectors of other weights, or another format, are not mixed."""
    retriever = words_only(tmp_path)
    first = find(retriever, "card", docs)
    (file,) = (tmp_path / "index").glob("*.db")
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE meta SET make = 'other'")
    connection.close()

    assert first == find(retriever, "card", docs)


def test_what_gives_no_text_is_named_and_the_rest_goes_on(tmp_path, docs, monkeypatch):
    """Broken, empty, binary and huge files and empty folders are a line each, every time."""
    monkeypatch.setattr(folder_module, "MAX_INPUT_BYTES", 10_000)
    write(docs / "broken.pdf", b"%PDF-1.7 broken")
    write(docs / "empty.md", b"")
    write(docs / "binary.txt", bytes(range(256)) * 4)
    write(docs / "huge.txt", b"x" * 20_000)
    write(docs / "broken.docx", b"PK\x03\x04 broken")
    (tmp_path / "nothing").mkdir()
    write(tmp_path / "picture.png", b"\x89PNG\r\n\x1a\n\x00\x00")
    paths = (docs, tmp_path / "nothing", tmp_path / "picture.png")
    retriever = words_only(tmp_path)

    for _ in range(2):
        found = find(retriever, "What does a card cost?", *paths)
        names = sorted(Path(each.file).name for each in found.left_out)
        assert [
            "binary.txt",
            "broken.docx",
            "broken.pdf",
            "empty.md",
            "huge.txt",
            "nothing",
            "picture.png",
        ] == names
        assert all(each.reason for each in found.left_out)
        assert "25 EUR" in found.bundle.results[0].chunk_text


def test_nothing_to_read_is_no_evidence(tmp_path):
    """A folder without text gives a bundle that says so, and no failure."""
    (tmp_path / "docs").mkdir()
    found = find(words_only(tmp_path), "What?", tmp_path / "docs")

    assert found.bundle.no_evidence
    assert "NO_EVIDENCE" == assemble(found.bundle, "What?").status


def test_a_path_that_does_not_exist_is_an_error(tmp_path):
    """It is more likely a slip than a wish."""
    with pytest.raises(InputError, match="does not exist"):
        find(words_only(tmp_path), "What?", tmp_path / "nowhere")
    with pytest.raises(InputError):
        find_documents(["nul\0byte"])


def test_hidden_files_and_links_to_folders_are_passed_over(tmp_path, docs):
    """A walk ends, and does not read what a tool keeps for itself; a link is told."""
    (docs / ".git").mkdir()
    write(docs / ".git" / "notes.md", "hidden")
    write(docs / ".hidden.md", "hidden")
    (docs / "loop").symlink_to(docs, target_is_directory=True)
    files, left_out = find_documents([str(docs)])

    assert ["fees.md", "hours.txt"] == [file.path.name for file in files]
    assert ["is a link to a folder"] == [each.reason for each in left_out]


def test_the_same_file_named_twice_counts_once(tmp_path, docs):
    """A folder and a file in it do not give double passages."""
    found = find(words_only(tmp_path), "card library", docs, docs / "fees.md")

    assert 2 == len(found.bundle.results)


@pytest.mark.parametrize(
    "question", ["", '"', "* OR (", "NEAR/2 AND", "\x00", "\ud800", "ß" * 9000]
)
def test_no_question_breaks_the_search(tmp_path, docs, question):
    """Operators of the search language, controls and lone surrogates are words or nothing."""
    found = find(words_only(tmp_path), question, docs)

    assert len(found.bundle.results) <= 2


def test_progress_is_told(tmp_path, docs):
    """Each file is named before it is read; the end is told too."""
    told: list[tuple[int, int, str]] = []
    asyncio.run(
        words_only(tmp_path).retrieve(
            "card", [str(docs)], top_k=1, progress=lambda *each: told.append(each)
        )
    )

    assert [(0, 2, "fees.md"), (1, 2, "hours.txt"), (2, 2, "")] == [
        (done, total, Path(name).name if name else "") for done, total, name in told
    ]


# --- the score --------------------------------------------------------------------------------

shares = st.floats(min_value=0, max_value=1)
cosines = st.floats(min_value=-1, max_value=1)


@given(shares, st.one_of(st.none(), cosines))
def test_a_similarity_is_from_0_to_1(covered, cosine):
    """Whatever both halves say."""
    assert 0.0 <= similarity(covered, cosine) <= 1.0


@given(shares, shares, cosines, cosines)
def test_more_words_or_nearer_meaning_never_lower_it(one, other, first, second):
    """Monotone in both halves."""
    low = similarity(min(one, other), min(first, second))

    assert low <= similarity(max(one, other), max(first, second))


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 50), max_size=6))
def test_all_words_are_all_of_the_question(holders):
    """A passage with every word covers 1, one with none covers 0."""
    weights = rarity(holders, 50)

    assert pytest.approx(1.0 if holders else 0.0) == coverage(weights, set(holders))
    assert 0.0 == coverage(weights, set())


def test_words_alone_do_not_reach_the_upper_gate():
    """All words of a question beside an unrelated meaning are no answer."""
    assert similarity(1.0, 0.1) < 0.5


def test_an_index_that_cannot_be_kept_is_said(tmp_path, docs):
    """A file where the folder should be: a dependency is unavailable, nothing is guessed."""
    (tmp_path / "index").write_text("in the way")

    with pytest.raises(StoreUnavailableError):
        find(words_only(tmp_path), "card", docs)


def test_a_long_passage_is_as_near_as_its_nearest_piece():
    """Pieces are slices in order that miss no word, none longer than allowed but a sentence."""
    text = " ".join(f"Sentence {number} says something of its own." for number in range(40))
    found = pieces(text)

    assert text.split() == " ".join(found).split()
    assert all(len(piece) <= PIECE_CHARS for piece in found)
    assert len(found) > 1


@pytest.mark.clause("004-S3")
def test_the_gates_part_questions_with_real_vectors(tmp_path, docs):
    """Asked in other words an answer is found; a question about other things is stopped."""
    retriever = FolderRetriever(tmp_path / "index", real_vectors())
    passes = {
        question: assemble(find(retriever, question, docs).bundle, question).status
        for question in (
            "How much do I pay for a new card?",
            "At what time does the library close?",
            "Which planets have rings?",
            "Who wrote the ninth symphony?",
        )
    }

    assert ["OK", "OK", "NO_EVIDENCE", "NO_EVIDENCE"] == list(passes.values())


@pytest.mark.clause("008-R2")
def test_a_piece_keeps_to_its_paragraph_and_begins_with_its_heading():
    """Two subjects are two pieces, a heading stands with what follows it, rows are joined."""
    rules = "## Quiet\n\nQuiet is kept from ten o'clock at night until six in the morning.\n\n"
    keys = "## Keys\n\nWhoever loses a key tells the caretaker on the same day, without fail."
    assert [rules.strip(), keys] == pieces(rules + keys)

    rows = "\n\n".join(f"Zone: {name}; Price: {at} EUR." for at, name in enumerate("ABCDEF"))
    assert 1 < len(pieces(rows)) < 6


@pytest.mark.clause("008-R5")
def test_what_is_not_read_is_told_by_kind_and_by_reason(tmp_path, docs):
    """Endings that are not read are counted, office files of old say what to do, a part that was
    cut off is a line of its own, every time; what programs put there is passed over."""
    for name in ("a.bin", "b.bin", "c.xyz"):
        write(docs / name, b"\x00\x01")
    write(docs / "old.doc", b"\xd0\xcf")
    write(docs / "long.txt", "A card costs 25 EUR. " * 50_000)
    (docs / "node_modules").mkdir()
    write(docs / "node_modules" / "readme.md", "card")
    write(docs / "package-lock.json", "{}")
    retriever = words_only(tmp_path)

    for _ in range(2):
        told = {Path(each.file).name: each.reason for each in find(retriever, "x", docs).left_out}
        assert {"docs", "old.doc", "long.txt"} == told.keys()
        assert "2 .bin, 1 .xyz" in told["docs"]
        assert ".docx" in told["old.doc"]
        assert "1000000" in told["long.txt"].replace(",", "").replace("\u202f", "")


@pytest.mark.clause("008-R7")
def test_places_say_title_heading_and_metadata(tmp_path, docs):
    """What the file says of itself comes along with every passage."""
    write(docs / "mail.eml", MAIL)
    found = find(words_only(tmp_path), "When does the boiler check of the card take place?", docs)
    place = found.places[found.bundle.results[0].chunk_id]

    assert (f"{docs.as_posix()}/mail.eml", "Boiler check") == (place.file, place.title)
    assert "frida@example.org" in place.metadata["from"]
    fees = next(each for each in found.places.values() if each.file.endswith("fees.md"))
    assert ("Fees", "Fees", 0) == (fees.title, fees.heading, fees.start)
    assert "metadata" in fees.to_dict()


MAIL = (
    "From: Frida <frida@example.org>\nTo: all@example.org\nSubject: Boiler check\n"
    "Date: Mon, 6 May 2024 10:00:00 +0000\n\nThe boiler check takes place on Tuesday.\n"
)


@pytest.mark.clause("008-R7")
def test_only_passages_that_meet_the_conditions_are_found(tmp_path, docs):
    """By name, title, heading, page and metadata; a key that none has is told with those there
    are."""
    write(docs / "mail.eml", MAIL)

    def files(*where: str) -> set[str]:
        retriever = words_only(tmp_path)
        given = read_conditions(where)
        found = asyncio.run(
            retriever.retrieve("card library boiler", [str(docs)], top_k=20, where=given)
        )
        return {Path(place.file).name for place in found.places.values()}

    assert {"fees.md", "hours.txt", "mail.eml"} == files()
    assert {"fees.md"} == files("title=Fees")
    assert {"hours.txt", "mail.eml"} == files("title!=Fees")
    assert {"hours.txt"} == files("file=hours.txt")
    assert {"mail.eml"} == files("from=Frida <frida@example.org>")
    assert set() == files("title=Fees", "file=hours.txt")
    with pytest.raises(InputError, match="'pagina'") as caught:
        files("pagina=3")
    assert "title" in (caught.value.hint or "")


def real_vectors():
    (embeddings,) = require_part("embeddings", "assay.adapters.embeddings")
    try:
        return embeddings.SentenceEmbeddings.create()
    except ModelUnavailableError as error:
        absent("embeddings", str(error))


@pytest.mark.clause("008-R4")
def test_vectors_follow_the_index_through_every_change(tmp_path, docs):
    """Changed and changed back by others meanwhile, the numbers of passages are new: a retriever
    that was there before finds what one that begins anew finds."""
    vectors = real_vectors()
    old = FolderRetriever(tmp_path / "index", vectors)
    question = "What does a new card cost?"
    first = find(old, question, docs)
    other = FolderRetriever(tmp_path / "index", vectors)
    write(docs / "fees.md", "Nothing of the kind.", age_s=50)
    write(docs / "more.md", "More of something else.", age_s=40)
    find(other, question, docs)
    write(docs / "fees.md", FEES, age_s=30)
    (docs / "more.md").unlink()
    find(other, question, docs)

    assert first == find(old, question, docs)
    assert first == find(FolderRetriever(tmp_path / "anew", vectors), question, docs)
    for file in (tmp_path / "index").glob("*.near"):
        file.unlink()
    assert first == find(old, question, docs)


HOUSE = {
    "hausordnung.md": """# Hausordnung

## Ruhezeiten
Zwischen 22 Uhr und 6 Uhr sowie von 13 bis 15 Uhr ist Ruhe zu halten.

## Haustiere
Hunde und Katzen dürfen nur mit Zustimmung der Verwaltung gehalten werden.

## Müll
Der Restmüll wird dienstags abgeholt, Papier jeden zweiten Freitag.

## Schlüssel
Der Verlust eines Schlüssels ist sofort zu melden. Ein neuer Schlüssel kostet 45 Euro.
""",
    "client.py": '''def backoff_seconds(attempt: int) -> float:
    """Doubles with every attempt and never exceeds thirty seconds."""
    return min(30.0, 0.5 * 2**attempt)
''',
}


@pytest.mark.clause("008-R3")
@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("Wann muss es in der Nacht leise sein?", "OK"),
        ("Darf ich einen Hund halten?", "OK"),
        ("Wann kommt die Müllabfuhr?", "OK"),
        ("Was muss ich bei Schlüsselverlust tun?", "OK"),
        ("How much does a replacement key cost?", "OK"),
        ("Combien coûte une nouvelle clé ?", "OK"),
        ("How long does it wait between attempts at most?", "OK"),
        ("What is the capital of Mongolia?", "NO_EVIDENCE"),
        ("Wie backe ich Sauerteigbrot?", "NO_EVIDENCE"),
        ("Gibt es einen Aufzug?", "NO_EVIDENCE"),
        ("Does the client support proxies?", "NO_EVIDENCE"),
    ],
)
def test_the_gate_lets_answers_pass_in_other_words_and_languages(tmp_path, question, status):
    """House rules in German and source code in English, asked as people ask."""
    for name, text in HOUSE.items():
        write(tmp_path / name, text)
    paths = [tmp_path / name for name in HOUSE]
    found = find(FolderRetriever(tmp_path / "index", real_vectors()), question, *paths)

    assert status == assemble(found.bundle, question).status
