"""Streets, places, boxes."""

from __future__ import annotations

import pytest

from assay.redaction.redactor import Redactor

REDACTOR = Redactor()

PLACES = [
    ("in Hauptstr.5, 10115 Berlin", "Hauptstr.5, 10115 Berlin"),
    ("in der Hauptstr.5 wohnt", "Hauptstr.5"),
    ("Adresse HAUPTSTRASSE 5", "HAUPTSTRASSE 5"),
    ("x HAUPTSTR. 5", "HAUPTSTR. 5"),
    ("Hauptstraße 5\n10115 Berlin", "10115 Berlin"),
    ("HAUPTSTRASSE 5\n10115 BERLIN", "10115 BERLIN"),
    ("Hauptstraße 5\nD-10115 Berlin", "D-10115 Berlin"),
    ("14 bis rue des Lilas\n75020 Paris", "75020 Paris"),
    ("123 Main St\nOakland, CA 94789", "Oakland, CA 94789"),
    ("10 Downing Street\nLondon SW1A 1AA", "London SW1A 1AA"),
    ("10 Downing Street\nLondon\nSW1A 1AA", "SW1A 1AA"),
    ("Calle Mayor 24, 3º B\n28013 Madrid", "28013 Madrid"),
    ("Laan van Meerdervoort 55\n2517 AG Den Haag", "2517 AG Den Haag"),
    ("Via Garibaldi 18\n20121 Milano", "20121 Milano"),
    ("Bahnhofstrasse 3\n8001 Zürich", "8001 Zürich"),
    ("> Hauptstraße 5\n> 10115 Berlin", "10115 Berlin"),
    ("aus Am Alten Hof 3, 50667 Köln.", "Am Alten Hof 3, 50667 Köln"),
    ("Am Alten Hof 3\n50667 Köln", "Am Alten Hof 3"),
    ("j'habite 14 bis rue des Lilas, 75020 Paris.", "14 bis rue des Lilas, 75020 Paris"),
    ("en Calle Mayor 24, 3º B, 28013 Madrid.", "Calle Mayor 24, 3º B, 28013 Madrid"),
    (
        "desde Avda. de la Constitución, 15, 41001 Sevilla.",
        "Avda. de la Constitución, 15, 41001 Sevilla",
    ),
    (
        "przy ul. Marszałkowskiej 84/92 m. 15, 00-514 Warszawa.",
        "ul. Marszałkowskiej 84/92 m. 15, 00-514 Warszawa",
    ),
    ("in Via Garibaldi 18, 20121 Milano.", "Via Garibaldi 18, 20121 Milano"),
    ("de Prinsengracht 263, 1016 GV Amsterdam.", "Prinsengracht 263, 1016 GV Amsterdam"),
    (
        "x, Laan van Meerdervoort 55, 2517 AG Den Haag.",
        "Laan van Meerdervoort 55, 2517 AG Den Haag",
    ),
    ("1600 PENNSYLVANIA AVE, x", "1600 PENNSYLVANIA AVE"),
    ("12 HIGH STREET", "12 HIGH STREET"),
    ("Große Bleichen 1-3\n20354 Hamburg", "Große Bleichen 1-3"),
    ("x\nvia Roma 10\n00184 Roma\n", "00184 Roma"),
    ("> AVENUE VICTOR HUGO 5\n> 75116 PARIS", "AVENUE VICTOR HUGO 5"),
    ("Vodičkova 5,\r\n110 00 Praha", "110 00 Praha"),
    ("Am Bach 3 a\nA-1056 Wien\nDanke", "Am Bach 3 a"),
    ("Postfach 10 20 30", "Postfach 10 20 30"),
    ("P.O. Box 123", "P.O. Box 123"),
    ("PO BOX 123", "PO BOX 123"),
    ("abita in VIA ROMA 12", "VIA ROMA 12"),
    ("vive en CALLE MAYOR 5", "CALLE MAYOR 5"),
    ("12 RUE DE LA PAIX", "12 RUE DE LA PAIX"),
    ("Hauptstraße 5a x", "Hauptstraße 5a"),
    ("x, Karl-Marx-Allee 77, 10243 Berlin, ist", "Karl-Marx-Allee 77, 10243 Berlin"),
    ("wohne hauptstraße 5 in köln", "hauptstraße 5"),
    ("Lindenstrasse 12", "Lindenstrasse 12"),
    ("Schloßallee 1", "Schloßallee 1"),
    ("Prager Str. 7", "Prager Str. 7"),
    ("Prager Str.7", "Prager Str.7"),
    ("Straße des 17. Juni 135, 10623 Berlin", "Straße des 17. Juni 135"),
    ("An der Alster 1, 20099 Hamburg", "An der Alster 1"),
    ("ul. Długa 5\n80-831 Gdańsk", "ul. Długa 5"),
    ("ul. Długa 5\n80-831 Gdańsk", "80-831 Gdańsk"),
    ("al. Jerozolimskie 65/79, 00-697 Warszawa", "al. Jerozolimskie 65/79"),
    ("os. Kolorowe 3/14, 31-938 Kraków", "os. Kolorowe 3/14"),
    ("Corso Vittorio Emanuele II, 44\n10123 Torino", "Corso Vittorio Emanuele II, 44"),
    ("27 boulevard Victor-Hugo\n06000 Nice", "27 boulevard Victor-Hugo"),
    ("27 boulevard Victor-Hugo\n06000 Nice", "06000 Nice"),
]


def hides(text: str, value: str, cls: str) -> bool:
    """Whether one finding of this class covers the value, and a second pass finds no more."""
    view = REDACTOR.redact(text)
    at = text.index(value)
    covered = any(s.cls == cls and s.start <= at and s.stop >= at + len(value) for s in view.spans)
    return covered and REDACTOR.redact(view.text).text == view.text


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(("text", "value"), PLACES)
def test_a_street_or_place_is_found_in_each_form(text, value):
    """Upper case, without a space, the place on the line below, in ten countries."""
    assert hides(text, value, "ADDRESS_LINE"), REDACTOR.redact(text).text
