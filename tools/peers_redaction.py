"""What other programs find in a text, in this project's classes.

In      the name of a peer that is installed
Out     a scanner: spans with EMAIL, PHONE, ID_CODE or NUMBER
Pure    no: imports the peer

Only rules count: no peer loads a language model here.
"""

from __future__ import annotations

from collections.abc import Callable

Found = list[tuple[int, int, str]]
Scanner = Callable[[str], Found]

_PRESIDIO = {
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "CREDIT_CARD": "NUMBER",
    "US_BANK_NUMBER": "NUMBER",
}
_DATAFOG = {"EMAIL": "EMAIL", "PHONE": "PHONE", "CREDIT_CARD": "NUMBER", "SSN": "ID_CODE"}
_SCRUBADUB = {
    "email": "EMAIL",
    "phone": "PHONE",
    "credit_card": "NUMBER",
    "social_security_number": "ID_CODE",
    "drivers_licence": "ID_CODE",
    "national_insurance_number": "ID_CODE",
    "tax_reference_number": "ID_CODE",
    "vehicle_licence_plate": "ID_CODE",
}


def presidio() -> Scanner:
    """All pattern recognisers that presidio loads by default for English, no language model."""
    import presidio_analyzer.predefined_recognizers as known
    import tldextract

    names = (
        "CreditCardRecognizer",
        "EmailRecognizer",
        "IbanRecognizer",
        "PhoneRecognizer",
        "UsSsnRecognizer",
        "UsLicenseRecognizer",
        "UsPassportRecognizer",
        "UsItinRecognizer",
        "UsBankRecognizer",
        "NhsRecognizer",
    )
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())
    tldextract.extract = tldextract.tldextract.TLD_EXTRACTOR
    recognisers = [getattr(known, name)() for name in names]

    def scan(text: str) -> Found:
        found = [
            (r.start, r.end, _PRESIDIO.get(r.entity_type, "ID_CODE"), r.score)
            for recogniser in recognisers
            for r in recogniser.analyze(text, recogniser.supported_entities, None) or ()
            if r.score >= 0.35
        ]
        found.sort(key=lambda item: (-item[3], item[0]))
        kept: Found = []
        for start, stop, cls, _ in found:
            if all(stop <= a or start >= b for a, b, _ in kept):
                kept.append((start, stop, cls))
        return sorted(kept)

    return scan


def datafog() -> Scanner:
    """Its regular expressions; what it has beside these classes (dates, places) is left out."""
    from datafog.engine import scan as look

    def scan(text: str) -> Found:
        entities = look(text, engine="regex").entities
        return sorted((e.start, e.end, _DATAFOG[e.type]) for e in entities if e.type in _DATAFOG)

    return scan


def scrubadub() -> Scanner:
    """Its default detectors, which need no model."""
    from scrubadub import Scrubber

    scrubber = Scrubber()

    def scan(text: str) -> Found:
        found = list(scrubber.iter_filth(text))
        return sorted((f.beg, f.end, _SCRUBADUB[f.type]) for f in found if f.type in _SCRUBADUB)

    return scan


PEERS: dict[str, Callable[[], Scanner]] = {
    "presidio": presidio,
    "datafog": datafog,
    "scrubadub": scrubadub,
}
"""Each raises ImportError where its package is not installed."""
