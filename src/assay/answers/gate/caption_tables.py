"""Words by which a line without a marker claims nothing, and those that make it a statement.

In      nothing
Out     tables by language: grammar, what lines say of themselves, verbs, what asks
Pure    data only
Spec    005-A1; interfaces.md, "Answers" (a heading, a bold line, a table head, an introduction)

A word that stands in no table of its language is content, and content must stand in the sources: a
gap here costs a right heading before it lets a wrong one through. Under the empty code stands what
counts in every language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

Table = Mapping[str, frozenset[str]]


def _table(**lists: str) -> Table:
    return {code.strip("_"): frozenset(words.split()) for code, words in lists.items()}


def words_of(table: Table, languages: Iterable[str]) -> frozenset[str]:
    """The words of *table* in some languages."""
    return frozenset().union(*(table.get(code, frozenset()) for code in ("", *languages)))


GRAMMAR: Final = _table(
    en="a an the this that these those it its he she they them their his her i me my we us our "
    "you your who whom whose which what where when why how is are was were be been being am do "
    "does did done have has had having will would shall of to in on at by for from with as into "
    "onto about and or if so than then there here such s t d ll ve re m also each other some",
    de="der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen "
    "diesem er sie es ihn ihm ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem seiner "
    "ich mich mir mein meine wir uns unser unsere du dich dir man sich wer was wo wann warum wie "
    "welche welcher welches ist sind war waren bin bist wird werden wurde wurden worden geworden "
    "hat haben hatte hatten habe zu zur zum in im an am auf aus bei beim von vom für mit nach um "
    "durch als und oder wenn so dass da dann auch hier dort etwa",
    es="el la los las lo un una unos unas este esta esto estos estas ese esa eso esos esas él "
    "ella ellos ellas su sus se le les me mi mis te tu tus nos nuestro nuestra yo usted ustedes "
    "que qué quien quién cual cuál cuando cuándo donde dónde como cómo porque es son era eran fue "
    "fueron ser sido está están estar ha han haber hay había de del a al en por para con y e o u "
    "si así también",
    fr="le la les l un une des d du de ce cet cette ces c il elle ils elles on se s son sa ses "
    "leur leurs je j me m mon ma mes te t tu ton ta tes nous notre nos vous votre vos lui y en qui "
    "que qu quoi dont où quand comment pourquoi quel quelle quels quelles est sont était étaient "
    "être été a ont avoir avait à au aux dans par pour avec chez et ou si ainsi comme aussi",
    it="il lo la l i gli le un uno una d di del dello della dell dei degli delle questo questa "
    "questi queste quello quella quelli quelle egli lui lei loro essi si suo sua suoi sue mi mio "
    "mia ti tu tuo tua ci noi nostro nostra voi vostro vostra io che chi cui quale quali quando "
    "dove come perché è sono era erano essere stato stata stati ha hanno avere aveva a al allo "
    "alla all ai agli alle da dal dalla dall dai dagli dalle in nel nello nella nell nei negli "
    "nelle su sul sulla sull per con e ed o se così anche",
    pt="o a os as um uma uns umas este esta isto estes estas esse essa isso ele ela eles elas "
    "se seu sua seus suas lhe lhes me meu minha te tu teu tua nos nosso nossa eu você vocês que "
    "quem qual quais quando onde como porque é são era eram foi foram ser sido está estão estar "
    "tem têm ter há de do da dos das em no na nos nas por pelo pela pelos pelas para com ao à aos "
    "às e ou assim também",
    nl="de het een dit dat deze die hij zij ze hem haar hun zijn er ik me mij mijn wij we ons "
    "onze jij je jou jouw u uw men zich wie wat waar wanneer waarom hoe welke welk is was waren "
    "ben bent wordt worden werd werden geworden heeft hebben had hadden heb te in op aan bij van "
    "voor met uit om naar als en of dan dus daar hier ook",
)
"""Words that a language needs for its grammar: those that turn a claim round (not, before, only)
are content here."""

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
