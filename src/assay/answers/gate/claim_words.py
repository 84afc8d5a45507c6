"""Words by which a line without a marker claims something, and words by which it claims nothing.

In      nothing
Out     tables by language: negations, comparators, numbers, what lines say of themselves
Pure    data only
Spec    005-A1; interfaces.md, "Answers" (a heading, a bold line, a table head, an introduction)

A word that stands in no table of its language is content, and content must stand in the sources: a
gap here costs a right heading before it lets a wrong one through. Under the empty code stands what
counts in every language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

Table = Mapping[str, frozenset[str]]


def _table(**lists: str) -> Table:
    return {code.strip("_"): frozenset(words.split()) for code, words in lists.items()}


def words_of(table: Table, languages: Iterable[str]) -> frozenset[str]:
    """The words of *table* in some languages."""
    return frozenset().union(*(table.get(code, frozenset()) for code in ("", *languages)))


NEGATIONS: Final = _table(
    en="no not never none nothing nobody nor neither nowhere without cannot cant wont dont "
    "doesnt didnt isnt arent wasnt werent hasnt havent hadnt shouldnt wouldnt couldnt mustnt "
    "neednt non except excluding unless hardly",
    de="nicht nichts kein keine keinen keinem keiner keines nie niemals niemand nirgends ohne "
    "weder noch außer ausgenommen kaum keinerlei keinesfalls nein",
    es="no ni nunca jamás nada nadie ningún ninguno ninguna sin tampoco excepto salvo",
    pt="não nem nunca jamais nada ninguém nenhum nenhuma sem exceto salvo",
    fr="ne n pas non jamais rien personne aucun aucune sans ni nul nulle sauf hormis",
    it="non né no mai niente nulla nessun nessuno nessuna senza neppure neanche tranne",
    nl="niet niets geen nooit niemand nergens zonder behalve nee",
    __="inte ingen inga inget aldrig utan ikke ingen intet aldri uten uden nie nigdy żaden żadna "
    "żadne bez brak není nejsou nikdy žádný nincs soha nélkül niciodată fără değil yok asla "
    "hiçbir eivät koskaan ilman не нет ни никогда никто ничего без нельзя кроме ні ніколи "
    "немає δεν όχι ποτέ χωρίς μην لا لم لن ليس ليست غير بدون دون أبدا לא אין בלי नहीं मत बिना "
    "tidak bukan tanpa không chưa 안 못 불가",
)
"""Case folded, apostrophes left out where they stand within a word."""

NEGATED: Final = re.compile(
    r"n['’]t\b|[不没沒無无未非勿莫禁]|ない|なし|ません|ずに|않|없|못하|아니|ไม่|ห้าม|មិន|គ្មាន|ဘူး|නැ"
)
"""In scripts without spaces between words, and within words."""

COMPARATORS: Final = re.compile(
    r"[<>≤≥≦≧±≈]|\b(?:"
    r"at\s+(?:most|least|the\s+(?:most|latest|earliest))|up\s+to|only|solely|exactly|merely|always|"
    r"(?:more|less|fewer|later|earlier|higher|lower|greater)\s+than|every\s?time|all|any|entirely|"
    r"fully|double|half|"
    r"mindestens|höchstens|wenigstens|bis\s+zu|(?:mehr|weniger|später|früher|höher|niedriger)\s+als|"
    r"nur|lediglich|ausschließlich|genau|immer|stets|alle[nrs]?|spätestens|frühestens|doppelt|halb|"
    r"al\s+menos|por\s+lo\s+menos|como\s+(?:máximo|mínimo)|(?:más|menos)\s+(?:de|que)|hasta|s[oó]lo|"
    r"solamente|únicamente|siempre|tod[oa]s?|doble|"
    r"au\s+(?:moins|plus)|(?:plus|moins)\s+(?:de|que)|jusqu['’](?:à|aux?)|seulement|uniquement|"
    r"exclusivement|toujours|tous|toutes?|moitié|"
    r"almeno|al\s+(?:massimo|più|minimo)|(?:più|meno)\s+(?:di|che)|fino\s+a|soltanto|"
    r"esclusivamente|sempre|tutt[oiae]|doppio|metà|"
    r"(?:pelo|ao|no)\s+(?:menos|mínimo|máximo)|(?:mais|menos)\s+(?:de|que|do\s+que)|até|só|apenas|"
    r"somente|exclusivamente|dobro|metade|"
    r"(?:ten)?minstens|hoogstens|(?:meer|minder)\s+dan|tot\s+en\s+met|alleen|slechts|uitsluitend|"
    r"altijd|dubbel|"
    r"только|лишь|всегда|все|более|менее)\b"
    r"|最多|最少|至少|至多|超过|超え|仅|僅|只|のみ|だけ|常に|总是|一律|全部",
    re.IGNORECASE,
)
"""At most, at least, up to, only, always, all."""

NUMBER_WORDS: Final = _table(
    en="zero two three four five six seven eight nine ten eleven twelve twenty thirty forty "
    "fifty sixty hundred hundreds thousand thousands million millions billion billions dozen "
    "dozens percent first second third fourth fifth once twice thrice quarter",
    de="null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert "
    "tausend million millionen milliarde milliarden dutzend prozent zweite dritte vierte "
    "einmal zweimal",
    es="cero dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cien "
    "ciento mil millón millones mitad",
    fr="zéro deux trois quatre cinq six sept huit neuf dix onze douze vingt trente cent cents "
    "mille million millions milliard milliards",
    it="zero due tre quattro cinque sei sette otto nove dieci undici dodici venti trenta cento "
    "mille mila milione milioni miliardo",
    pt="zero dois duas três quatro cinco seis sete oito nove dez onze doze vinte trinta cem mil "
    "milhão milhões",
    nl="nul twee drie vier vijf zes zeven acht negen tien elf twaalf twintig dertig honderd "
    "duizend miljoen",
    ru="ноль два две три четыре пять шесть семь восемь девять десять сто тысяча миллион",
)

COUNTS: Final = {
    word: number
    for number, group in enumerate(
        (
            "two zwei dos deux due dois duas twee",
            "three drei tres trois tre três drie",
            "four vier cuatro quatre quattro quatro",
            "five fünf cinco cinq cinque vijf",
            "six sechs seis sei zes",
            "seven sieben siete sept sette sete zeven",
            "eight acht ocho huit otto oito",
            "nine neun nueve neuf nove negen",
            "ten zehn diez dix dieci dez tien",
        ),
        start=2,
    )
    for word in group.split()
}
"""What an introduction may tell of how many items follow it."""

FORM: Final = _table(
    en="summary overview answer answers conclusion conclusions detail details note notes step "
    "steps example examples introduction background key point points rule rules item items "
    "thing things way ways option options kind kinds type types case cases condition "
    "conditions reason reasons part parts topic topics section list following follow follows "
    "below above apply applies hold holds listed mention mentioned important main short brief "
    "briefly result results fact facts info question name description value amount column row "
    "table further additional more other general common different various feature aspect "
    "category term "
    "benefit benefits coverage need needs know requirement requirements eligibility deadline "
    "deadlines contact procedure process dose dosage",
    de="zusammenfassung übersicht überblick antwort fazit details hinweis hinweise schritt "
    "schritte beispiel beispiele einleitung hintergrund wichtig wichtige wichtigste "
    "wichtigsten punkt punkte regel regeln art arten weise möglichkeit möglichkeiten fall "
    "fälle bedingung bedingungen grund gründe teil teile thema themen abschnitt liste "
    "folgende folgenden folgendes folgt gilt gelten unten oben kurz kurzfassung ergebnis "
    "ergebnisse frage name beschreibung wert betrag spalte zeile tabelle weitere weiteres "
    "allgemein allgemeines verschiedene zählen zählt dazu gehören gehört gibt merkmal "
    "kategorie begriff "
    "leistung leistungen grenze höchstbetrag voraussetzung voraussetzungen bereich ablauf "
    "frist fristen dosierung wissen",
    es="resumen respuesta conclusión conclusiones detalle detalles nota notas paso pasos ejemplo "
    "ejemplos introducción puntos punto clave regla reglas forma formas opción opciones tipo "
    "tipos caso casos condición condiciones razón razones parte partes tema temas sección "
    "lista siguiente siguientes continuación importante principales principal resultado "
    "pregunta nombre descripción valor importe general generales aplican aplica categoría "
    "cobertura coberturas límite límites requisito requisitos plazo plazos necesita saber "
    "dosis trámite",
    fr="résumé réponse conclusion détail détails remarque remarques note notes étape étapes "
    "exemple exemples introduction points point clé clés règle règles manière façon option "
    "options type types cas condition conditions raison raisons partie parties sujet section "
    "liste suivant suivante suivants suivantes voici important principaux principales "
    "résultat question nom description valeur montant général générales appliquent applique "
    "catégorie "
    "savoir faut besoin prestation prestations plafond démarche démarches délai délais "
    "posologie couverture",
    it="riepilogo riassunto risposta conclusione dettaglio dettagli nota note passo passi "
    "passaggi esempio esempi introduzione punti punto chiave regola regole modo modi opzione "
    "opzioni tipo tipi caso casi condizione condizioni ragione ragioni parte parti tema "
    "sezione elenco seguente seguenti ecco importante principali risultato domanda nome "
    "descrizione valore importo generale generali applicano applica categoria "
    "copertura requisito requisiti limite limiti termine termini serve sapere dosaggio "
    "procedura",
    pt="resumo resposta conclusão detalhe detalhes nota notas passo passos etapa etapas exemplo "
    "exemplos introdução pontos ponto chave regra regras forma formas opção opções tipo tipos "
    "caso casos condição condições razão razões parte partes tema seção lista seguinte "
    "seguintes importante principais principal resultado pergunta nome descrição valor geral "
    "gerais aplicam aplica categoria "
    "cobertura requisito requisitos limite prazo prazos precisa saber dose procedimento",
    nl="samenvatting overzicht antwoord conclusie details opmerking stap stappen voorbeeld "
    "voorbeelden inleiding achtergrond belangrijk belangrijkste punt punten regel regels "
    "manier manieren optie opties soort soorten geval gevallen voorwaarde voorwaarden reden "
    "redenen deel delen onderwerp lijst volgende volgt hieronder geldt gelden kort resultaat "
    "vraag naam beschrijving waarde bedrag algemeen categorie "
    "dekking vereisten grens termijn termijnen nodig weten procedure",
    ru="резюме ответ итог вывод выводы примеры пример шаги шаг примечание следующие следующее",
    __="概要 总结 總結 摘要 答案 结论 結論 要点 要點 回答 詳細 注意 以下 如下 次の について "
    "に関する とは です",
)
"""What a line says of the answer's own form. It cannot be false."""

VERBS: Final = _table(
    en="is are was were has have had does did can could will would shall should must may might",
    de="ist sind war waren wird werden wurde wurden hat haben hatte kann können konnte muss "
    "müssen darf dürfen soll sollen sollte",
    es="es son está están era fue hay tiene puede pueden debe deben será serán",
    fr="est sont était ont avait peut peuvent doit doivent sera seront",
    it="è sono può possono deve devono sarà saranno ha hanno",
    pt="é são estão pode podem deve devem será serão tem têm foi",
    nl="is zijn was wordt worden kan kunnen moet moeten mag mogen zal heeft",
)
"""Finite verbs that make a heading a statement, unless it asks."""

ASKING: Final = _table(
    en="who whom whose which what where when why how if whether",
    de="wer wen wem wessen was wo wann warum wie wozu woher wohin welche welcher welches ob wenn",
    es="quién quiénes qué cuál cuáles cuándo dónde cómo por si cuánto cuánta cuando como",
    fr="qui que quoi quel quelle quels quelles où quand pourquoi comment combien ce si",
    it="chi che quale quali quando dove perché come quanto cosa se",
    pt="quem que qual quais quando onde porque como quanto se",
    nl="wie wat waar wanneer waarom hoe welke welk als",
)
"""With one of these at its start a heading asks, or names what is asked."""
