"""The shapes of identifiers by country, and the labels that announce one.

In      nothing
Out     tables
Pure    data only
Spec    interfaces.md, "Redaction"

A shape is written in what RE2 and `re` both read, anchored by its finder, and short enough
to be judged at a place. `check` is a module of python-stdnum, a name in
`recognisers_checks.CHECKS`, or empty for a shape that nothing else has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Shape:
    """How an identifier is written and how it is checked."""

    pattern: str
    check: str = ""


EVERYWHERE: Final = (
    Shape(
        r"(?:ATU|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK)"
        r"[ ]?[0-9A-Z]{2}[0-9](?:[ .-]?[0-9]){4,9}[0-9A-Z]{0,3}",
        "eu.vat",
    ),
    Shape(
        r"[A-Z]{6}[0-9LMNP-V]{2}[A-EHLMPR-T][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]",
        "it.codicefiscale",
    ),
)
"""Value added tax numbers of the Union, with their country in front; the Italian tax code, which
nothing else looks like."""

NATIONAL: Final[Mapping[str, tuple[Shape, ...]]] = {
    "AR": (Shape(r"[23][0347][ -]?[0-9]{8}[ -]?[0-9]", "ar.cuit"),),
    "AT": (
        Shape(r"[0-9]{4}[ ]?[0-3][0-9][01][0-9]{3}", "vnr"),
        Shape(r"[0-9]{2}-[0-9]{3}/[0-9]{4}", "at.tin"),
    ),
    "AU": (
        Shape(r"[0-9]{2}[ ]?[0-9]{3}[ ]?[0-9]{3}[ ]?[0-9]{3}", "au.abn"),
        Shape(r"[0-9]{3} [0-9]{3} [0-9]{3}", "au.acn"),
        Shape(r"[0-9]{3} [0-9]{3} [0-9]{2,3}", "au.tfn"),
    ),
    "BE": (Shape(r"[0-9]{2}\.?[0-9]{2}\.?[0-9]{2}[- ]?[0-9]{3}[. ]?[0-9]{2}", "be.nn"),),
    "BG": (Shape(r"[0-9]{10}", "bg.egn"),),
    "BR": (
        Shape(r"[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}", "br.cpf"),
        Shape(r"[0-9]{2}\.?[0-9]{3}\.?[0-9]{3}/?[0-9]{4}-?[0-9]{2}", "br.cnpj"),
    ),
    "CA": (Shape(r"[0-9]{3}[ -][0-9]{3}[ -][0-9]{3}", "ca.sin"),),
    "CH": (
        Shape(r"756[. ]?[0-9]{4}[. ]?[0-9]{4}[. ]?[0-9]{2}", "ch.ssn"),
        Shape(r"CHE[- ]?[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}", "ch.uid"),
    ),
    "CL": (Shape(r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}-[0-9Kk]", "cl.rut"),),
    "CN": (Shape(r"[1-9][0-9]{16}[0-9Xx]", "cn.ric"),),
    "CO": (Shape(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]", "co.nit"),),
    "CZ": (Shape(r"[0-9]{6}/[0-9]{3,4}", "cz.rc"),),
    "DE": (
        Shape(r"[1-9][0-9][ ]?[0-9]{3}[ ]?[0-9]{3}[ ]?[0-9]{3}", "de.idnr"),
        Shape(r"[0-9]{2}[ ]?[0-8][0-9][01][0-9]{3}[ ]?[A-Z][ ]?[0-9]{3}", "rvnr"),
        Shape(r"[A-Z][0-9]{9}", "kvnr"),
        Shape(r"[CFGHJK-NPRTV-Z][CFGHJK-NPRTV-Z0-9]{8}[0-9]", "icao"),
        Shape(r"[CFGHJK-NPRTV-Z][CFGHJK-NPRTV-Z0-9]{7}[0-9]", "icao"),
    ),
    "DK": (Shape(r"[0-3][0-9][01][0-9]{3}-[0-9]{4}", "dk.cpr"),),
    "DO": (Shape(r"[0-9]{3}-[0-9]{7}-[0-9]", "do.cedula"),),
    "EE": (Shape(r"[1-8][0-9]{10}", "ee.ik"),),
    "ES": (
        Shape(r"[0-9]{7,8}[- ]?[A-Z]", "dni"),
        Shape(r"[0-9]{8}-?[a-z]", "dni"),
        Shape(r"[XYZxyz][- ]?[0-9]{7}[- ]?[A-Za-z]", "es.nie"),
        Shape(r"[A-HJNP-SUVW]-?[0-9]{7}-?[0-9A-J]", "es.cif"),
        Shape(r"[0-9]{4}[ -][0-9]{4}[ -][0-9]{2}[ -][0-9]{10}", "es.ccc"),
    ),
    "FI": (Shape(r"[0-3][0-9][01][0-9]{3}[-+A-FU-Y][0-9]{3}[0-9A-Y]", "hetu"),),
    "FR": (
        Shape(
            r"[12378][ ]?[0-9]{2}[ ]?[0-9]{2}[ ]?(?:[0-9]{2}|2[AB])[ ]?[0-9]{3}[ ]?[0-9]{3}"
            r"[ ]?[0-9]{2}",
            "fr.nir",
        ),
        Shape(r"[0-3][0-9][ ][0-9]{2}[ ][0-9]{3}[ ][0-9]{3}[ ][0-9]{3}", "fr.nif"),
        Shape(r"[0-9]{3}[ ][0-9]{3}[ ][0-9]{3}[ ][0-9]{5}", "fr.siret"),
        Shape(r"[0-9]{14}", "fr.siret"),
    ),
    "GB": (
        Shape(
            r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ ]?[0-9]{2}[ ]?[0-9]{2}[ ]?[0-9]{2}[ ]?[A-D]",
            "nino",
        ),
        Shape(r"[a-ceghj-pr-tw-z][a-ceghj-npr-tw-z][0-9]{6}[a-d]", "nino"),
        Shape(r"[0-9]{3}[- ][0-9]{3}[- ][0-9]{4}", "nhs"),
        Shape(
            r"[A-Za-z]{1,5}9{0,4}[0-9][0156][0-9](?:0[1-9]|[12][0-9]|3[01])[0-9]"
            r"[A-Za-z9]{2}[0-9A-Za-z][A-Za-z]{2}"
        ),
        Shape(r"GB[ ]?[0-9]{3}[ ]?[0-9]{4}[ ]?[0-9]{2}(?:[ ]?[0-9]{3})?", "gb.vat"),
    ),
    "GR": (Shape(r"[0-3][0-9][01][0-9]{8}", "gr.amka"),),
    "HR": (Shape(r"[0-9]{11}", "hr.oib"),),
    "IE": (Shape(r"[0-9]{7}[A-W][A-IW]?", "ie.pps"),),
    "IL": (Shape(r"[0-9]{9}", "il.idnr"),),
    "IN": (
        Shape(r"[2-9][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}", "in_.aadhaar"),
        Shape(r"[A-Z]{3}[ABCFGHLJPTK][A-Z][0-9]{4}[A-Z]", "in_.pan"),
        Shape(r"[0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][0-9A-Z]Z[0-9A-Z]", "in_.gstin"),
    ),
    "IS": (Shape(r"[0-3][0-9][01][0-9]{3}-?[0-9]{4}", "is_.kennitala"),),
    "IT": (
        Shape(
            r"[A-Za-z]{6}[0-9LMNP-Vlmnp-v]{2}[A-Za-z][0-9LMNP-Vlmnp-v]{2}[A-Za-z]"
            r"[0-9LMNP-Vlmnp-v]{3}[A-Za-z]",
            "it.codicefiscale",
        ),
        Shape(r"[0-9]{11}", "it.iva"),
    ),
    "KR": (
        Shape(r"[0-9]{6}-?[1-8][0-9]{6}", "kr.rrn"),
        Shape(r"[0-9]{3}-[0-9]{2}-[0-9]{5}", "kr.brn"),
    ),
    "LT": (Shape(r"[1-6][0-9]{10}", "lt.asmens"),),
    "LV": (Shape(r"[0-9]{6}-[0-9]{5}", "lv.pvn"),),
    "MX": (
        Shape(r"[A-Z]{4}[0-9]{6}[HM][A-Z]{5}[0-9A-Z][0-9]", "mx.curp"),
        Shape(r"[A-Z&]{3,4}[ -]?[0-9]{6}[ -]?[0-9A-Z]{3}", "mx.rfc"),
    ),
    "MY": (Shape(r"[0-9]{6}-[0-9]{2}-[0-9]{4}", "my.nric"),),
    "NL": (
        Shape(r"[0-9]{4}\.[0-9]{2}\.[0-9]{3}", "nl.bsn"),
        Shape(r"[0-9]{9}", "nl.bsn"),
    ),
    "NO": (Shape(r"[0-7][0-9][0-9]{4}[ ]?[0-9]{5}", "no.fodselsnummer"),),
    "NZ": (Shape(r"[0-9]{2,3}[- ][0-9]{3}[- ][0-9]{3}", "nz.ird"),),
    "PK": (Shape(r"[1-7][0-9]{4}-[0-9]{7}-[0-9]", "pk.cnic"),),
    "PL": (
        Shape(r"[0-9]{11}", "pl.pesel"),
        Shape(r"[0-9]{3}-[0-9]{3}-[0-9]{2}-[0-9]{2}", "pl.nip"),
        Shape(r"[0-9]{3}-[0-9]{2}-[0-9]{2}-[0-9]{3}", "pl.nip"),
    ),
    "PT": (
        Shape(r"[0-9]{8}[ ]?[0-9][ ]?[A-Z0-9]{2}[0-9]", "pt.cc"),
        Shape(r"[1-35689][0-9]{2}[ ]?[0-9]{3}[ ]?[0-9]{3}", "pt.nif"),
    ),
    "RO": (Shape(r"[1-9][0-9]{12}", "ro.cnp"),),
    "RS": (Shape(r"[0-9]{13}", "si.emso"),),
    "RU": (Shape(r"[0-9]{12}", "ru.inn"),),
    "SE": (
        Shape(r"(?:19|20)?[0-9]{2}[01][0-9][0-9]{2}[-+][0-9]{4}", "se.personnummer"),
        Shape(r"(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]{5}", "se.personnummer"),
        Shape(r"[0-9]{6}-[0-9]{4}", "se.orgnr"),
    ),
    "SG": (
        Shape(r"[STFGMstfgm][0-9]{7}[A-Za-z]"),
        Shape(r"[0-9]{8,9}[A-Z]", "sg.uen"),
        Shape(r"[RST][0-9]{2}[A-Z]{2}[0-9]{4}[A-Z]", "sg.uen"),
    ),
    "SI": (Shape(r"[0-9]{13}", "si.emso"),),
    "SK": (Shape(r"[0-9]{6}/[0-9]{3,4}", "sk.rc"),),
    "TH": (Shape(r"[1-9]-?[0-9]{4}-?[0-9]{5}-?[0-9]{2}-?[0-9]", "th.pin"),),
    "TR": (Shape(r"[1-9][0-9]{10}", "tr.tckimlik"),),
    "US": (
        Shape(r"[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}", "ssn"),
        Shape(r"[0-8][0-9]{2} [0-9]{2} [0-9]{4}", "ssn"),
        Shape(r"9[0-9]{2}[- ][5-9][0-9][- ][0-9]{4}", "us.itin"),
        Shape(
            r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y][0-9]-?[AC-HJKMNP-RT-Y]"
            r"[0-9AC-HJKMNP-RT-Y][0-9]-?[AC-HJKMNP-RT-Y]{2}[0-9]{2}"
        ),
        Shape(r"[12][0-9]{3}[- ][0-9]{3}[- ][0-9]{3}", "npi"),
        Shape(r"[0-9]{4}-[0-9]{4}-[0-9]", "us.rtn"),
    ),
    "UY": (Shape(r"[0-9]{12}", "uy.rut"),),
    "VE": (Shape(r"[VEJPG]-?[0-9]{8,9}-?[0-9]", "ve.rif"),),
    "ZA": (Shape(r"[0-9]{2}[01][0-9][0-3][0-9]{8}", "za.idnr"),),
}
"""By the region code that `--region` takes."""

LABELS: Final = "|".join(
    (
        # English
        r"passports?(?:[ ](?:number|no\.?))?",
        r"driv(?:er|ing|ers)(?:'?s)?[ ]licen[cs]e",
        r"(?:national[ ])?(?:identity|id)[ ](?:card|number)",
        r"social[ ]security|ssn|itin|nino|national[ ]insurance",
        r"nhs|medicare|tax[ ](?:payer[ ])?(?:id|number)|ein|utr|npi|routing|sort[ ]code",
        r"(?:bank[ ])?account[ ](?:number|no\.?)",
        # German
        r"steuer-?(?:id|nummer|nr\.?|identifikationsnummer)|idnr\.?|ust-?id(?:-?nr\.?)?",
        r"(?:personal)?ausweis(?:nummer|-?nr\.?)?|reisepass(?:nummer|-?nr\.?)?|pass-?nr\.?",
        r"führerschein(?:nummer|-?nr\.?)?|sozialversicherungs(?:nummer|-?nr\.?)|sv-?nr\.?|rvnr\.?",
        r"krankenversichertennummer|versichertennummer|konto(?:nummer|-?nr\.?)|blz|bic|swift(?:-?code)?",
        r"(?:amtliches[ ])?kennzeichen|fin|vin|handelsregister(?:nummer|-?nr\.?)?",
        # Spanish
        r"dni|nie|nif|cif|pasaporte|permiso[ ]de[ ](?:conducir|conducción)",
        r"(?:número[ ]de[ ])?(?:la[ ])?seguridad[ ]social|número[ ]de[ ]cuenta",
        # French
        r"passeport|permis[ ]de[ ]conduire|carte[ ](?:nationale[ ])?d'identité",
        r"(?:numéro[ ]de[ ])?sécurité[ ]sociale|siren|siret|numéro[ ]fiscal",
        # Italian, Portuguese, Dutch
        r"codice[ ]fiscale|partita[ ]iva|carta[ ]d'identità|patente(?:[ ]di[ ]guida)?",
        r"bilhete[ ]de[ ]identidade|cpf|nif|rijbewijs|paspoort|bsn|burgerservicenummer",
        r"num\xe9ro[ ]de[ ]s\xe9curit\xe9|nir",
        # Polish, Czech, the North
        r"pesel|nip|regon|(?:nr[ ]|numer[ ])?dowodu(?:[ ]osobistego)?|paszport(?:u)?",
        r"rodn\xe9[ ]?[?]\xedslo|personnummer|f\xf8dselsnummer|cpr(?:-?nummer)?|henkil\xf6tunnus",
    )
)
"""Behind one of these, a code with four digits or more is an identifier as it stands."""
