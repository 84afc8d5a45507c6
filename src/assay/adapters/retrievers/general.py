"""Sentences of no subject in particular: where the middle of all texts lies.

In      nothing
Out     GENERAL_SENTENCES
Pure    declarations only
Spec    008-R4
"""

from __future__ import annotations

from typing import Final

GENERAL_SENTENCES: Final = (
    "The office is open from Monday to Friday between nine and five.",
    "Applications must be handed in before the end of the month.",
    "Switch the device off and wait for ten seconds before you open the cover.",
    "The river flows through three countries and reaches the sea near the old harbour.",
    "Employees are entitled to thirty days of leave a year.",
    "The function returns a list of all entries that match the filter.",
    "Die Gebühr beträgt zwölf Euro und ist bei der Anmeldung zu zahlen.",
    "Haustiere dürfen nur mit schriftlicher Zustimmung gehalten werden.",
    "Das Gerät darf nicht in feuchten Räumen betrieben werden.",
    "Der Verein wurde 1921 von sieben Lehrern gegründet.",
    "Les élèves doivent présenter leur carte à l'entrée.",
    "Le contrat prend fin avec un préavis de trois mois.",
    "La salle peut accueillir quatre-vingts personnes.",
    "Los socios pueden llevarse hasta cinco libros durante un mes.",
    "El pago se realiza por transferencia bancaria.",
    "La piscina cierra los lunes por limpieza.",
    "La domanda va presentata allo sportello entro venti giorni.",
    "Il museo conserva una raccolta di carte antiche.",
    "De huur wordt op de eerste dag van de maand betaald.",
    "Fietsen mogen niet in het trappenhuis staan.",
    "Opłatę należy wnieść przed rozpoczęciem kursu.",
    "A inscrição termina no dia quinze de setembro.",
    "受付は午前九時から午後五時までです。",
    "请在入口处出示您的证件。",
)
