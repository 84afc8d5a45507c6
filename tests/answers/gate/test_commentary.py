"""What an answer must not say about itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.assemble import assemble, validate
from assay.answers.gate.citations import markers, read_sentences
from assay.answers.gate.cited import CitedTexts
from assay.answers.gate.commentary import check_commentary, check_metadata, refusal_place

IDS = ("doc-12#3", "KB7", "42", "fees", "é|x")
REFUSAL = (
    "NO_EVIDENCE: The provided evidence does not contain sufficient information to answer "
    "this question."
)


@pytest.mark.clause("004-P10")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See doc-12#3 [C0].", ["doc-12#3"]),
        ("See DOC-12#3 and kb7.", ["DOC-12#3", "kb7"]),
        ("It costs 42 EUR, not 420.", ["42"]),
        ("The fees rose; Fees rose.", ["fees"]),
        ("xdoc-12#34 KB70 fees_2 feesx", []),
        ("[C42] is a marker.", []),
        ("chunk_id=x and Knowledge ID", ["chunk_id", "Knowledge ID"]),
        ("é|x", ["é|x"]),
    ],
)
def test_ids_are_seen_as_whole_words(text, expected):
    """An id of letters alone counts as spelt, any other in every case; markers are no ids."""
    assert expected == sorted(
        (text[item.start : item.stop] for item in check_metadata(text, IDS)), key=text.index
    )


META = [
    "Evidence shows it.",
    "According to the provided context, it is 40.",
    "The sources do not say so.",
    "Based on the sources, it is 40.",
    "It is 40, as the given passages state.",
    "The information provided says so.",
    "As an AI, I think so.",
    "My instructions forbid it.",
    "The prompt says 40.",
    "I cannot answer that.",
    "Laut den bereitgestellten Quellen sind es 40.",
    "Im Prompt steht es.",
    "Als KI weiß ich es.",
    "Según el contexto proporcionado, son 40.",
    "Como modelo de lenguaje, lo sé.",
    "Laut Kontext sind es 40.",
    "Gemäß Kontext sind es 40.",
    "Selon le contexte fourni, c'est 40.",
    "Les informations fournies le disent.",
    "Je ne peux pas répondre à cela.",
    "Secondo il contesto fornito sono 40.",
    "Come modello linguistico lo so.",
    "De acordo com o contexto fornecido, são 40.",
    "Não consigo encontrar isso.",
    "\u0415vidence shows it.",
    "Evi\u200bdence shows it.",
    "According to the pro\u200bvided con\u00adtext, it is 40.",
]
TRACES = [
    "<think>It says 40.</think>",
    "<Reasoning>",
    "<|im_start|>",
    "Let's think step by step.",
    "Let me think about it.",
    "Okay, so the user is asking about fees.",
    "First, I need to find the fee.",
    "Reasoning: the text says 40.",
    "**Final answer:** 40",
    "Denken wir Schritt für Schritt nach.",
    "Lass mich kurz überlegen.",
    "Pensemos paso a paso.",
    "Razonamiento: son 40.",
    "Step 1: Think about the fee.",
    "Réfléchissons étape par étape.",
    "Ragioniamo passo per passo.",
    "Raciocínio: são 40.",
    "Let's th\u200bink.",
]
FINE = [
    "There is clinical evidence for it.",
    "Der Kontext der Regel ist klar; nach Quellen wird gefragt.",
    "The following documents are required.",
    "In this context the fee is 40.",
    "Energy sources and the source of the river differ.",
    "Submit the documents provided by your employer.",
    "According to the sources of the law, it is so.",
    "Follow these instructions step by step.",
    "The user guide has ten pages.",
    "Los documentos son necesarios.",
    "Die Quellen des Flusses liegen hoch.",
    "A prompt payment is due; the prompt reply came.",
    "Think of the fee.",
    "La source du fleuve est loin; les documents fournis par l'assuré suffisent.",
    "Le fonti di reddito sono due.",
    "As fontes de água são duas.",
    "Step 1: Fill in the form.",
]


@pytest.mark.clause("004-P10")
@pytest.mark.parametrize("text", META)
def test_talk_of_the_sources_is_meta_commentary(text):
    """Prompt, context, sources and system, in three languages."""
    assert {"answer.meta_commentary"} == {item.code for item in check_commentary(text)}


@pytest.mark.clause("004-P10")
@pytest.mark.parametrize("text", TRACES)
def test_reasoning_is_seen(text):
    """Tags, phrases and labels of thinking aloud, in three languages."""
    assert "answer.reasoning_trace" in {item.code for item in check_commentary(text)}


@pytest.mark.parametrize("text", FINE)
def test_words_of_the_subject_are_no_commentary(text):
    """The same words mean other things in other phrases."""
    assert [] == list(check_commentary(text))


@pytest.mark.clause("004-V5")
@pytest.mark.parametrize(
    "text",
    [
        REFUSAL + " Sorry.",
        "Sorry. " + REFUSAL,
        REFUSAL.lower(),
        REFUSAL.removesuffix("."),
        REFUSAL.replace("_", " "),
        REFUSAL.replace(" ", "  "),
        REFUSAL.removeprefix("NO_EVIDENCE: "),
        "**" + REFUSAL + "**",
        "NO_EVIDENCE: nothing is known.",
        "no_evidence [C0].",
        "It is 40 [C0]. NO_EVIDENCE",
    ],
)
def test_a_refusal_in_other_words_is_seen(text):
    """The string with anything changed or added."""
    assert refusal_place(text, REFUSAL)


@pytest.mark.parametrize(
    "text", ["There is no evidence of that.", "Set no_evidence_flag.", "It is 40.", ""]
)
def test_other_answers_are_no_refusals(text):
    """The words alone do not refuse."""
    assert refusal_place(text, REFUSAL) is None


def judged(chunk: str, answer: str) -> set[str]:
    """Codes about commentary for *answer*, where `[C0]` cites *chunk*."""
    read = read_sentences(answer, markers(answer))
    cited = CitedTexts(read, {"C0": chunk, "C1": "The river rises in May."})
    return {
        item.code
        for item in (*check_commentary(answer, cited), *check_metadata(answer, IDS, cited))
    }


SPOKEN_OF = [
    ("System prompts set Claude's role.", "The system prompt sets the role [C0]."),
    ("Write the instructions into your prompt.", "The prompt holds the instructions [C0]."),
    ("A shell prompt ends in a dollar sign.", "The prompt ends in a dollar sign [C0]."),
    (
        "Der System-Prompt gibt die Rolle vor; schreib in den Prompt, was gilt.",
        "Im Prompt steht die Rolle [C0].",
    ),
    ("El prompt define el papel.", "El papel se define en el prompt [C0]."),
    ("Le prompt définit le rôle.", "Le prompt définit le rôle [C0]."),
    ("Il prompt definisce il ruolo.", "Il prompt definisce il ruolo [C0]."),
    ("O prompt define o papel.", "O prompt define o papel [C0]."),
    ("Split each text into chunks of 500 tokens.", "The chunks have 500 tokens [C0]."),
    (
        "The model answers from the retrieved documents.",
        "It answers from the retrieved documents [C0].",
    ),
    ("Both sources provide water.", "The sources provide water [C0]."),
    ("Applicants keep the documents provided.", "They keep the documents provided [C0]."),
    ("The system instructions are kept apart.", "The system instructions are kept apart [C0]."),
    ("Say “I cannot find it” where it is missing.", "It says “I cannot find it” then [C0]."),
    ("Put it into <thinking> tags.", "The reasons go into <thinking> tags [C0]."),
    ("Put it into <thinking></thinking> tags.", "Use <thinking></thinking> tags [C0]."),
    ("Let the model think step by step.", "Step-by-step thinking helps [C0]."),
    ("Chain of thought prompting helps.", "A chain of thought helps [C0]."),
    ("Each row has a chunk_id.", "The chunk_id is in each row [C0]."),
    ("Form KB7 is due in May.", "It is form KB7 [C0]."),
    ("It is 42 EUR.", "It costs 42 EUR [C0]."),
]


@pytest.mark.clause("005-A5")
@pytest.mark.parametrize(("chunk", "answer"), SPOKEN_OF)
def test_what_the_cited_chunk_speaks_of_is_no_commentary(chunk, answer):
    """Prompts, chunks, tags and ids are subjects like others; without the chunk they are not."""
    assert set() == judged(chunk, answer)
    assert set() != judged(chunk, answer.replace("[C0]", "[C1]"))
    assert set() != judged(chunk, answer.replace(" [C0]", ""))


@pytest.mark.clause("005-A5")
@pytest.mark.parametrize(
    ("chunk", "answer"),
    [
        (
            "The context window has 200,000 tokens.",
            "According to the provided context, it is 40 [C0].",
        ),
        ("In the context of a move, ask early.", "The context does not say so [C0]."),
        ("The river has two sources.", "The sources do not mention it [C0]."),
        ("The river has two sources.", "According to the sources, it is 40 [C0]."),
        ("Die Quellen des Flusses liegen hoch.", "Laut den Quellen sind es 40 [C0]."),
        ("Las fuentes de agua son dos.", "Según las fuentes, son 40 [C0]."),
        ("Le contexte du projet est clair.", "Selon le contexte fourni, c'est 40 [C0]."),
        ("Il contesto del progetto è chiaro.", "Secondo il contesto fornito sono 40 [C0]."),
        ("O contexto do projeto é claro.", "De acordo com o contexto fornecido, são 40 [C0]."),
        ("A prompt payment is due.", "The prompt asks for 40 [C0]."),
        ("System prompts set the role.", "The system prompt says that it is 40 [C0]."),
        ("Hand in all documents.", "According to the provided documents, it is 40 [C0]."),
        ("The text of the law is long.", "The provided text is long [C0]."),
        ("There is clinical evidence for it.", "Evidence shows it [C0]."),
        ("Evidence is kept.", "Evidence is kept [C0]."),
        ("I was told by a doctor.", "I was told so [C0]."),
        ("Put it into <thinking> tags.", "<thinking>It is 40 [C0].</thinking> It is 40 [C0]."),
        ("Put it into <thinking> tags.", "So it goes: <thinking>It is 40 [C0].\n</thinking>"),
        ("Say: let me think.", "Let me think: it is 40 [C0]."),
        ("Each row has an id.", "The chunk_id is in each row [C0]."),
        ("Form KB70 is due.", "It is form KB7 [C0]."),
    ],
)
def test_a_chunk_with_the_same_word_excuses_no_commentary(chunk, answer):
    """The phrase counts, not the word in it."""
    assert set() != judged(chunk, answer)


@pytest.mark.clause("005-A5", "005-A6")
@pytest.mark.parametrize(
    "shown", ["d\u043ec-12#3", "ｄｏｃ－１２＃３", "doc\u200b-12\u00ad#3", "\u039a\u03927"]
)
def test_look_alike_letters_hide_no_id(shown):
    """Nor do width and characters without width."""
    assert [shown] == [
        text[item.start : item.stop]
        for text in [f"See {shown}."]
        for item in check_metadata(text, IDS)
    ]


@pytest.mark.clause("005-A5")
def test_an_answer_about_prompts_passes_whole():
    """From the bundle to the verdict, and from the document as from the value."""
    result = {"chunk_id": "zz-1", "knowledge_id": "zz", "rank": 0, "similarity_score": 0.9}
    bundle = {
        "request_id": "r",
        "index_version": "i",
        "embedding_model": "m",
        "retrieval_top_k": 1,
        "results": [{**result, "chunk_text": "System prompts set the role of the model."}],
    }
    assembly = assemble(bundle, "What does a system prompt do?")

    for given_assembly in (assembly, assembly.to_dict()):
        assert validate(given_assembly, "The system prompt sets the role [C0].").accepted


@given(st.text(max_size=80))
def test_any_text_is_taken(text):
    """No text raises, and places lie within it."""
    for item in (*check_commentary(text), *check_metadata(text, IDS)):
        assert 0 <= item.start < item.stop <= len(text)
