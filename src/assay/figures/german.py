"""What charts, their pages and outcomes say in German; the other languages have the same keys.

In      nothing
Out     key -> sentence with `{places}`
Pure    yes
Spec    007-F11
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "status.accepted": "angenommen",
        "status.no_evidence": "keine Belege",
        "status.needs_review": "zu prüfen",
        "status.rejected": "abgelehnt",
        "status.open": "offen",
        "count.call.one": "{count} Aufruf",
        "count.call.many": "{count} Aufrufe",
        "count.event.one": "{count} Ereignis",
        "count.event.many": "{count} Ereignisse",
        "count.input.one": "{count} Eingabe",
        "count.input.many": "{count} Eingaben",
        "count.attempt.one": "{count} Versuch",
        "count.attempt.many": "{count} Versuche",
        "count.settled.one": "{count} abgeschlossenen Aufruf",
        "count.settled.many": "{count} abgeschlossenen Aufrufen",
        "count.judged.one": "{count} beurteilte Antwort",
        "count.judged.many": "{count} beurteilte Antworten",
        "count.exchange.one": "{count} Anfrage",
        "count.exchange.many": "{count} Anfragen",
        "count.code.one": "{count} Code",
        "count.code.many": "{count} Codes",
        "count.model.one": "{count} Modell",
        "count.model.many": "{count} Modelle",
        "count.place.one": "{count} Stelle",
        "count.place.many": "{count} Stellen",
        "count.prompt.one": "{count} Prompt",
        "count.prompt.many": "{count} Prompts",
        "count.class.one": "{count} Klasse",
        "count.class.many": "{count} Klassen",
        "count.version.one": "{count} Version",
        "count.version.many": "{count} Versionen",
        "count.template.one": "{count} Vorlage",
        "count.template.many": "{count} Vorlagen",
        "count.label.one": "{count} Label",
        "count.label.many": "{count} Labels",
        "count.case.one": "{count} Fall",
        "count.case.many": "{count} Fällen",
        "count.decided.one": "{count} entschiedenen Fall",
        "count.decided.many": "{count} entschiedenen Fällen",
        "count.accepted.one": "{count} angenommener Fall",
        "count.accepted.many": "{count} angenommene Fälle",
        "title": "Zahlen eines Protokolls",
        "shows_all": "Alle Aufrufe des Protokolls.",
        "shows": "Nur Aufrufe {filters}.",
        "filter.since": "ab {value}",
        "filter.until": "vor {value}",
        "filter.pack": "des Pakets {value}",
        "filter.contract": "des Vertrags {value}",
        "times": (
            "Alle Zeiten sind UTC; ein Aufruf zählt zu dem Zeitraum, in dem er eröffnet wurde."
        ),
        "table": "Tabelle",
        "csv": "Als CSV speichern",
        "not_known": "unbekannt",
        "rest": "übrige",
        "period": "ab",
        "total": "gesamt",
        "empty_title": "Noch ist nichts aufgezeichnet",
        "empty": (
            "Hier werden Ausgänge, Versuche, Befunde, Antwortzeit, Token, Kosten, Modelle, "
            "Schwärzungen und Entscheidungen jedes aufgezeichneten Aufrufs stehen. Die ersten "
            "entstehen mit"
        ),
        "none_title": "Kein Aufruf passt",
        "none": "Das Protokoll enthält Ereignisse, aber keinen der gefragten Aufrufe.",
        "none_here": "Davon ist nichts aufgezeichnet.",
        "record": "{events}, das letzte mit Nummer {seq}, {digest}",
        "per.hour": "{what} je Stunde",
        "per.day": "{what} je Tag",
        "per.week": "{what} je Woche",
        "per.month": "{what} je Monat",
        "per.year": "{what} je Jahr",
        "per.decade": "{what} je zehn Jahre",
        "per.century": "{what} je hundert Jahre",
        "more": "{rows} mehr",
        "percent": "{number}\u202f%",
        "share": "{share} ({low}–{high})",
        "name.outcomes": "Ausgänge",
        "name.attempts": "Versuche",
        "name.findings": "Befunde",
        "name.latency": "Antwortzeit",
        "name.tokens": "Token",
        "name.cost": "Kosten",
        "name.models": "Modelle",
        "name.redactions": "Schwärzungen",
        "name.drift": "Veränderte Vorlagen",
        "name.fallbacks": "Ohne Vorlage",
        "name.agreement": "Übereinstimmung",
        "name.calibration": "Kalibrierung",
        "word.calls": "Aufrufe",
        "word.exchanges": "Anfragen",
        "word.outputs": "Antworten",
        "word.places": "Stellen",
        "word.latency": "Antwortzeit",
        "word.tokens": "Token",
        "word.cost": "Kosten",
        "word.redactions": "Schwärzungen",
        "word.hits": "Treffer",
        "word.uses": "Prompts",
        "word.input": "Eingabe",
        "word.output": "Ausgabe",
        "word.half": "Hälfte",
        "word.nine_tenths": "9 von 10",
        "word.longest": "längste",
        "word.code": "Code",
        "word.meaning": "Bedeutung",
        "word.model": "Modell",
        "word.class": "Klasse",
        "word.failed": "ohne Antwort",
        "word.note": "Hinweis",
        "word.unpriced": "Preis unbekannt",
        "word.version": "Version",
        "word.template": "Vorlage",
        "word.unnamed": "ohne Namen",
        "word.logarithmic": "logarithmisch",
        "reason": "Grund: {reason}",
        "input_tokens": "Token der Eingabe",
        "output_tokens": "Token der Ausgabe",
        "outcomes.calls": "{calls}.",
        "outcomes.decided": "{calls} angenommen, weil ein Mensch so entschied.",
        "outcomes.unreadable": "{inputs} nicht lesbar und darum ohne Aufruf.",
        "attempts.none": "Kein Aufruf ist abgeschlossen.",
        "attempts.some": "{share} von {calls} brauchten einen Versuch.",
        "findings": "{outputs}, {codes} gefunden.",
        "latency.all": "{exchanges}.",
        "latency.silent": "{exchanges}; von {more} weiteren ist die Dauer unbekannt.",
        "tokens.all": "{exchanges}.",
        "tokens.uncounted": "{exchanges}; davon {some} nicht vollständig gezählt.",
        "cost.unpriced": "{exchanges} mit unbekanntem Preis, in den Beträgen nicht enthalten.",
        "cost.estimated": "≤ steht vor Beträgen, die zum Teil geschätzt sind.",
        "cost.drawn": "{drawn} von {currencies} Währungen sind gezeichnet, die Tabelle hat alle.",
        "cost.apart": (
            "Jede Währung hat ihre eigene Skala; Beträge verschiedener Währungen werden nie "
            "addiert."
        ),
        "cost.priced": "Jede Anfrage hat einen Preis.",
        "models": "{models} gefragt.",
        "redactions": "{places} in {prompts} geschwärzt.",
        "drift.none": "Keine Vorlage war im Speicher verändert.",
        "drift.some.one": (
            "Einmal war eine Vorlage nicht mehr, was hinzugefügt oder woraus ein Prompt gebaut "
            "worden war."
        ),
        "drift.some.many": (
            "{count}-mal war eine Vorlage nicht mehr, was hinzugefügt oder woraus ein Prompt gebaut"
            " worden war."
        ),
        "fallbacks.none": "Kein Aufruf musste ohne seine Vorlage auskommen.",
        "fallbacks.some.one": (
            "Einmal war keine Version der Vorlage aktiv, und der Prompt entstand ohne sie."
        ),
        "fallbacks.some.many": (
            "{count}-mal war keine Version der Vorlage aktiv, und der Prompt entstand ohne sie."
        ),
        "agreement.none": "Kein Fall ist entschieden.",
        "agreement.kept": "In {share} von {cases} blieb die Antwort des Modells.",
        "agreement.unread": (
            "{cases} nicht vergleichbar: ein Text ist gelöscht oder hier nicht lesbar."
        ),
        "agreement.pairs": (
            "Von {cases}, die zwei Personen entschieden, waren sie sich bei {share} einig."
        ),
        "agreement.axis": "Antwort blieb, Anteil der entschiedenen Fälle",
        "agreement.decided": "entschieden",
        "agreement.way.kept": "Antwort blieb",
        "agreement.way.label": "anderes Label",
        "agreement.way.elsewhere": "anderer Wert",
        "agreement.way.rejected": "abgelehnt",
        "agreement.way.unread": "nicht lesbar",
        "agreement.share": "Anteil",
        "agreement.from": "mindestens",
        "agreement.to": "höchstens",
        "calibration.none": (
            "Kein entschiedener Fall hat eine lesbare Angabe, wie sicher das Modell war."
        ),
        "calibration.some": (
            "{labels} aus {cases}: angegebene Sicherheit und der Anteil, den Menschen bestätigten."
        ),
        "calibration.fair": "Was Menschen vorgelegt wird, ist keine faire Stichprobe.",
        "calibration.unread": "{cases} ausgelassen: ein Text ist gelöscht oder hier nicht lesbar.",
        "calibration.silent": "{cases} ohne Angabe.",
        "calibration.axis": "von Menschen bestätigt",
        "calibration.stated": "angegebene Sicherheit",
        "calibration.across": "Angabe des Modells",
        "calibration.exact": "laut Modell",
        "calibration.confirmed": "bestätigt",
        "calibration.labels": "Labels",
        "calibration.mean": "Mittel",
        "sum.agreement": "entschiedene Fälle mit der Antwort des Modells",
        "sum.calibration": "von Menschen bestätigte Labels",
        "notebook.yes": "ja",
        "notebook.no": "nein",
        "notebook.nothing": "nichts",
        "notebook.findings": "Befunde",
        "notebook.no_findings": "Keine Befunde.",
        "notebook.result": "Ergebnis",
        "notebook.text": "Text",
        "notebook.not_marked": "Nicht markiert",
        "notebook.not_a_source": "ist keiner der gezeigten Texte",
        "notebook.not_in_text": "liegt außerhalb des Textes",
        "notebook.left_out.one": "… {count} Zeichen ausgelassen …",
        "notebook.left_out.many": "… {count} Zeichen ausgelassen …",
        "notebook.more_marks.one": "und {count} Markierung mehr",
        "notebook.more_marks.many": "und {count} Markierungen mehr",
        "notebook.more_findings.one": "und {count} Befund mehr",
        "notebook.more_findings.many": "und {count} Befunde mehr",
        "notebook.more_items.one": "und {count} Eintrag mehr",
        "notebook.more_items.many": "und {count} Einträge mehr",
        "count.of_accepted.one": "{count} angenommenen Fall",
        "count.of_accepted.many": "{count} angenommenen Fällen",
    }
)
