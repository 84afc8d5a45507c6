"""The signs of the intake: what is said in eight languages, and what only sounds like it."""

from __future__ import annotations

import json

import pytest
import yaml

from assay.contract.contract import judge
from assay.contract.signs import find_signs
from assay.core.text.spans import Shown
from assay.gate.gate import GateContext
from assay.sources.mail.message import Message, read_message
from assay.wiring import load_pack

CLASSIFY = load_pack("intake").contract("classify")
assert CLASSIFY.signs is not None
SIGNS = [sign for sign, _ in CLASSIFY.signs.signs]

SAID: dict[str, list[str]] = {
    "self_harm": [
        "Ich bringe mich um.",
        "Ich will nicht mehr leben.",
        "Ich werde mir das Leben nehmen",
        "ICH WILL NICHT MEHR LEBEN",
        "Ich möchte einfach nur noch sterben",
        "Ich denke an Selbstmord",
        "Ich denke an Suizid",
        "Ich habe schon überlegt, mich umzubringen.",
        "Dann tue ich mir etwas an",
        "Sonst tu ich mir was an!",
        "Ich setze meinem Leben ein Ende",
        "Ich sehe keinen Ausweg mehr",
        "ich kann und will nicht mehr leben",
        "Ich springe von der Brücke",
        "Ich werde mich umbringen",
        "Ich habe keine Kraft mehr, am liebsten wäre ich tot",
        "Wenn Sie nicht zahlen, hänge ich mich auf",
        "Ich werfe mich vor den Zug",
        "I will kill myself",
        "I want to end my life",
        "I don't want to live anymore",
        "I don’t want to live any more",
        "I no longer want to live",
        "I am suicidal",
        "thinking about suicide",
        "I have no reason to live",
        "I would be better off dead",
        "I'm going to hurt myself",
        "I want to die",
        "I can't go on like this",
        "everyone would be better off dead",
        "I'm going to end it all",
        "I wish I was dead",
        "I do not want to be alive",
        "I feel like killing my\u00adself",
        "life is not worth living",
        "Je vais me tuer",
        "Je veux mourir",
        "Je ne veux plus vivre",
        "Je vais mettre fin à mes jours",
        "Je pense au suicide",
        "Je vais me suicider",
        "j’ai envie d’en finir avec la vie",
        "Voy a suicidarme",
        "Quiero morir",
        "Me voy a matar",
        "No quiero vivir más",
        "Voy a quitarme la vida",
        "ya no tengo ganas de vivir",
        "Mi uccido",
        "Voglio morire",
        "Mi voglio suicidare",
        "Voglio farla finita",
        "Non voglio più vivere",
        "mi tolgo la vita",
        "Vou me matar",
        "Quero morrer",
        "Vou suicidar-me",
        "Não quero mais viver",
        "vou acabar com a minha vida",
        "Ik ga zelfmoord plegen",
        "Ik wil niet meer leven",
        "Ik wil dood",
        "Ik maak een einde aan mijn leven",
        "Ik zie het leven niet meer zitten",
        "ik ga mezelf van kant maken",
        "Zabiję się",
        "Popełnię samobójstwo",
        "Nie chcę już żyć",
        "Chcę umrzeć",
        "Odbiorę sobie życie",
        "skończę ze sobą",
    ],
    "violence": [
        "Ich bringe Sie um!",
        "Ich bringe euch alle um",
        "Ich werde Ihren Sachbearbeiter erschießen",
        "Ich komme mit einer Waffe vorbei",
        "Ich weiß, wo Sie wohnen",
        "Ich zünde euer Büro an",
        "Ich jage Ihr Büro in die Luft",
        "Sie werden sterben",
        "Ich steche euch ab",
        "Ich schlage Sie tot",
        "Ich werde jemanden verletzen",
        "I will kill you",
        "I'm going to shoot you all",
        "I know where you live",
        "I will burn your office down",
        "I'll come over with a gun",
        "I will kill the adjuster",
        "you are a dead man",
        "I am going to hurt someone",
        "I will blow up your office",
        "There will be a bomb in your lobby",
        "Je vais vous tuer",
        "Je sais où vous habitez",
        "je vais mettre le feu à vos bureaux",
        "Je vais te tuer",
        "Voy a matarlos",
        "Los voy a matar",
        "Sé dónde vive",
        "Voy a quemar su oficina",
        "te voy a matar",
        "Vi ammazzo",
        "So dove abitate",
        "Ti uccido",
        "vi ammazzerò tutti",
        "Vou matar vocês",
        "Sei onde mora",
        "vou matar-te",
        "Vou te matar",
        "Ik maak jullie af",
        "Ik vermoord je",
        "Ik weet waar u woont",
        "Ik steek jullie kantoor in brand",
        "Zabiję was",
        "Wiem, gdzie mieszkasz",
        "Zabiję cię",
    ],
    "legal_threat": [
        "Mein Anwalt wird sich bei Ihnen melden",
        "Ich werde Sie verklagen",
        "Wir werden Klage einreichen",
        "Ich werde rechtliche Schritte einleiten",
        "Ich übergebe die Sache meinem Anwalt",
        "Sie hören von meinem Anwalt",
        "Wir sehen uns vor Gericht",
        "Ich schalte einen Rechtsanwalt ein",
        "Namens und in Vollmacht unserer Mandantin",
        "Ich werde gerichtlich gegen Sie vorgehen",
        "Ich werde Sie ver-\nklagen",
        "Andernfalls erhebe ich Klage",
        "Dann geht das an meinen Anwalt",
        "My lawyer will sue you",
        "I will sue",
        "I will take you to court",
        "see you in court",
        "We will take legal action",
        "I have instructed my solicitor",
        "You will hear from my attorney",
        "my lawyer will be in touch and will act",
        "court proceedings will be issued without further notice",
        "I'm contacting a lawyer",
        "Mon avocat va vous contacter",
        "Je vais saisir le tribunal",
        "Je vous mets en demeure de payer",
        "je porterai l'affaire en justice",
        "Je vais engager des poursuites judiciaires",
        "Voy a demandarlos",
        "Mi abogado se pondrá en contacto",
        "Emprenderé acciones legales",
        "los demandaré",
        "Il mio avvocato vi contatterà",
        "Adirò le vie legali",
        "Vi denuncio",
        "farò causa",
        "O meu advogado vai contactá-los",
        "Vou processar vocês",
        "Vou avançar com uma ação judicial",
        "Vou recorrer ao tribunal",
        "Mijn advocaat neemt contact op",
        "Ik stap naar de rechter",
        "Ik onderneem juridische stappen",
        "Ik sleep u voor de rechter",
        "Mój adwokat się z wami skontaktuje",
        "Skieruję sprawę do sądu",
        "Złożę pozew",
        "Podam was do sądu",
        "Wystąpię na drogę sądową",
    ],
    "regulator": [
        "Ich wende mich an den Ombudsmann",
        "Beschwerde bei der BaFin",
        "Ich melde das der Finanzmarktaufsicht",
        "Ich gehe zur Verbraucherzentrale",
        "I will go to the ombudsman",
        "I will report you to the regulator",
        "I'll complain to the FCA",
        "Je vais saisir le médiateur de l'assurance",
        "Reclamaré ante la Dirección General de Seguros",
        "Scriverò all'IVASS",
        "Vou ao Provedor do Cliente",
        "Ik ga naar het Kifid",
        "Zgłoszę to do Rzecznika Finansowego",
    ],
    "deadline": [
        "Ich setze Ihnen eine Frist bis zum 15. März",
        "Wenn Sie bis Freitag nicht zahlen, hören Sie von mir",
        "Zahlen Sie bis zum 3.4.2026",
        "Ich fordere Sie auf, den Betrag bis zum 31.05. zu überweisen",
        "Das ist mein letztes Ultimatum",
        "Wir setzen eine Frist bis 2026-01-22",
        "binnen zehn Tagen zu zahlen",
        "Sollte ich bis Ende der Woche nichts hören, ...",
        "If you do not pay by Friday",
        "Unless you pay within 14 days",
        "This is my final deadline",
        "I expect payment by Monday",
        "you have 48 hours to pay",
        "If I hear nothing by Friday",
        "Je vous mets en demeure sous 8 jours",
        "Si vous ne payez pas avant vendredi",
        "dernier délai",
        "Si no pagan antes del viernes",
        "Tienen un plazo de 10 días",
        "Se non pagate entro venerdì",
        "entro e non oltre il 15",
        "Se não pagarem até sexta-feira",
        "Als u niet binnen 14 dagen betaalt",
        "uiterlijk vrijdag",
        "Jeśli nie zapłacicie do piątku",
        "w terminie 7 dni",
    ],
}

ONLY_SOUNDS_LIKE_IT = [
    "Meine Rechtsschutzversicherung läuft bis zum 31.12.",
    "Übernimmt die Rechtsschutz die Anwaltskosten?",
    "I could kill for a coffee, thanks for the quick reply!",
    "This is killing me, the heating is broken.",
    "Meine Mutter ist gestorben, ich möchte den Todesfall melden.",
    "My husband passed away. Please send me the claim form for his life insurance.",
    "Das Wasser hat das Parkett zerstört.",
    "Der Hund hat den Nachbarn gebissen, er will Schmerzensgeld.",
    "Bitte senden Sie mir eine Bestätigung bis zum 3. Mai. Danke!",
    "Der Vertrag läuft bis zum 31.12.2026.",
    "Ich bin bis zum 5. Juni im Urlaub.",
    "Ich bringe die Unterlagen um 10 Uhr vorbei.",
    "Wir spielen auf dem Tennisplatz, tennis court.",
    "I hurt myself when I fell on the ice.",
    "I cut myself on broken glass.",
    "The voltage regulator was destroyed by lightning.",
    "Der Spannungsregler ist defekt",
    "The deadline to apply for the early bird discount is Monday",
    "Die Kündigungsfrist beträgt drei Monate.",
    "Does my life insurance cover suicide?",
    "Enthält der Vertrag eine Selbstmordklausel?",
    "Je voudrais déclarer un sinistre",
    "Ich habe Anzeige bei der Polizei erstattet, der Dieb ist unbekannt.",
    "J'ai porté plainte au commissariat pour le vol.",
    "He presentado denuncia en comisaría.",
    "Ich bitte um Angebot für eine Anwaltshaftpflichtversicherung",
    "lawyers' professional indemnity insurance quote",
    "The loose tile could hurt someone",
    "Bitte um Rückruf bis Freitag.",
    "Could you let me know by Friday?",
    "Wir möchten bis Ende des Monats kündigen",
    "Der Sturm hat das Dach gekillt",
    "Mein Mann wurde im Krankenhaus operiert und will wieder leben",
    "Das Auto ist tot",
    "Mein Akku ist tot, ich hänge mich später dran",
    "I would kill the engine and wait",
    "Ich bringe mich um mein Geld, wenn ich das so abschließe",
    "Wir sterben vor Hitze",
    "Die Pflanzen sind erfroren und sterben",
    "Je meurs de faim",
    "Me muero de risa",
    "Bom dia, qual é o prazo?",
    "Please send me my insurance card before Friday",
]


def found(text: str) -> set[str]:
    return {sign.name for sign, _, _ in find_signs(SIGNS, [Shown.of_text("body", text)])}


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize(("sign", "text"), [(sign, text) for sign in SAID for text in SAID[sign]])
def test_what_nobody_would_forgive_missing_is_found(sign, text):
    """In every language that the intake meets, inflected and written as people write."""
    assert sign in found(text)
    assert sign in found(text.upper())
    assert sign in found(text.replace(" ", "\n"))


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize("text", ONLY_SOUNDS_LIKE_IT)
def test_what_only_sounds_like_it_holds_nobody_up(text):
    """Insurance of legal costs, end dates, idioms, deaths and accidents are no threats."""
    assert set() == found(text)


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.name)
def test_an_output_that_names_nothing_does_not_pass(sign):
    """One mail for each sign, and a reply that is right in all but the sign."""
    text = SAID[sign.name][0]
    label = {"confidence": 0.9, "evidence_snippets": [text]}
    reply = {
        "intents": [{"label": "INTENT_CLAIM_UPDATE", **label}],
        "primary_intent": "INTENT_CLAIM_UPDATE",
        "product_line": {"label": "PROD_UNKNOWN", **label},
        "urgency": {"label": "URG_NORMAL", **label},
        "risk_flags": [],
    }
    sources = {"subject": "Schaden", "body": text}
    verdict = judge(CLASSIFY, json.dumps(reply), sources=sources)

    assert f"rule.{sign.name}" in [finding.code for finding in verdict.findings]
    assert not verdict.accepted
    assert judge(CLASSIFY, json.dumps(reply), sources=sources, by_person=True).accepted


def test_every_sign_is_looked_for_in_the_languages_of_the_guess():
    """A language without a pattern would be one in which the sign is missed."""
    written = yaml.safe_load(load_pack("intake").files["signs.yaml"])

    for name, sign in written.items():
        assert {"de", "en", "fr", "es", "it", "pt", "nl", "pl"} <= sign["patterns"].keys(), name


@pytest.mark.clause("005-M11")
def test_right_labels_answer_every_sign_of_the_public_mails(cases):
    """What the gold says of the seven mails holds none of them up."""
    for file in sorted((cases / "intake" / "mails").glob("*.eml")):
        gold = json.loads(
            (cases / "intake" / "gold" / f"{file.stem}.classification.json").read_bytes()
        )
        message = read_message(file.read_bytes())
        assert isinstance(message, Message)
        context = GateContext(
            shown=tuple(Shown.of_text(name, text) for name, text in message.texts.items())
        )
        assert CLASSIFY.signs is not None
        assert [] == list(CLASSIFY.signs(gold, context)), file.name


def test_public_mails_that_threaten_nobody_are_left_alone(cases):
    """Of some eight hundred mails collected for other ends, bounces and replies, two sound so."""
    hits = read = 0
    for file in sorted((cases / "email").rglob("*")):
        if not file.is_file() or file.suffix in {".md", ".jsonl"} or "LICENSE" in file.name:
            continue
        message = read_message(file.read_bytes())
        if isinstance(message, Message):
            read += 1
            views = [Shown.of_text(name, text) for name, text in message.texts.items()]
            hits += any(True for _ in find_signs(SIGNS, views))

    assert read > 700
    assert hits <= 4
