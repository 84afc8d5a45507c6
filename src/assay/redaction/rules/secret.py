"""API keys, tokens, passwords and private keys.

In      a view
Out     ranges for class ID_CODE
Pure    yes, linear: what stands behind a prefix or a label is judged within a fixed distance
Spec    interfaces.md, "Redaction": keys and tokens by their published prefixes or shape

A published prefix is enough where what follows it is long and no word. A value without one
counts behind a label that says what it is (`api_key=`, `password:`, `Bearer`), if no word of a
language looks so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.redaction.view import Range, View, compile_narrow

_W: Final = "[A-Za-z0-9_-]"
_PREFIXED: Final = (
    rf"sk-{_W}{{20,250}}",
    r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,250}",
    rf"whsec_{_W}{{16,100}}",
    r"gh[opusr]_[A-Za-z0-9]{20,255}",
    r"github_pat_[A-Za-z0-9_]{20,255}",
    rf"gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-{_W}{{16,200}}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-[0-9]-[A-Za-z0-9-]{10,250}",
    r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA|AIPA)[A-Z0-9]{16}",
    rf"AIza{_W}{{30,45}}|ya29\.{_W}{{20,250}}|GOCSPX-{_W}{{20,60}}",
    r"hf_[A-Za-z0-9]{20,100}|npm_[A-Za-z0-9]{30,100}",
    rf"pypi-{_W}{{16,250}}",
    rf"SG\.{_W}{{16,64}}\.{_W}{{16,64}}",
    r"do[oprt]_v1_[a-f0-9]{32,80}|dckr_pat_[A-Za-z0-9_-]{20,60}|dapi[a-f0-9]{32}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,64}",
    rf"sq0(?:atp|csp|idp)-{_W}{{20,60}}",
    r"EAA[A-Za-z0-9]{60,250}",
    r"key-[0-9a-f]{32}|[0-9a-f]{32}-us[0-9]{1,2}|(?:AC|SK)[0-9a-f]{32}",
    rf"lin_api_{_W}{{20,60}}|ntn_[A-Za-z0-9]{{40,60}}|figd_{_W}{{30,60}}|PMAK-[a-f0-9-]{{50,70}}",
    rf"hv[bs]\.{_W}{{20,250}}|tskey-{_W}{{16,80}}|rubygems_[a-f0-9]{{48}}",
    rf"sntry[su]_{_W}{{30,250}}|gl(?:c|sa)_{_W}{{30,250}}|NRAK-[A-Z0-9]{{27}}",
    rf"gsk_[A-Za-z0-9]{{40,80}}|r8_[A-Za-z0-9]{{30,60}}|pplx-{_W}{{40,80}}|xai-{_W}{{40,100}}",
    rf"nvapi-{_W}{{40,100}}|AT[AC]TT3{_W}{{50,250}}|AGE-SECRET-KEY-1[A-Z0-9]{{50,70}}",
    rf"eyJ{_W}{{8,900}}\.{_W}{{8,900}}(?:\.{_W}{{0,900}})?",
    rf"[0-9]{{8,10}}:{_W}{{35}}|[MNO][A-Za-z0-9_-]{{23,25}}\.{_W}{{6}}\.{_W}{{27,45}}",
    rf"https://hooks\.slack\.com/services/[A-Z0-9]{{8,12}}/[A-Z0-9]{{8,12}}/{_W}{{20,30}}",
)
_KEY: Final = re.compile("|".join(_PREFIXED))
_KEY_START = compile_narrow(
    r"\b(?:sk-|[spr]k_(?:live|test)_|whsec_|gh[opusr]_|github_pat_|gl[a-z]{2,5}[-_]|xox[abeoprs]-|"
    r"xapp-|A(?:KIA|SIA|BIA|CCA|ROA|IDA|GPA|NPA|IPA|Iza|TATT|TCTT|GE-SECRET)|ya29\.|GOCSPX-|hf_|"
    r"npm_|pypi-|SG\.|do[oprt]_v1_|dckr_pat_|dapi[a-f0-9]|shp[acs][ats]_|sq0|EAA|key-|"
    r"(?:AC|SK)[0-9a-f]{8}|[0-9a-f]{32}-us|lin_api_|ntn_|figd_|PMAK-|hv[bs]\.|tskey-|rubygems_|"
    r"sntry[su]_|NRAK-|gsk_|r8_|pplx-|xai-|nvapi-|eyJ|[0-9]{8,10}:[A-Za-z0-9_-]{4}|"
    r"[MNO][A-Za-z0-9_-]{23,25}\.|https://hooks\.slack)"
)
_WORDY: Final = ("sk-", "pypi-", "tskey-", "pplx-", "xai-")
"""Prefixes that a hyphenated word may have, too: a digit must follow."""

_LABEL = compile_narrow(
    r"(?i)(?:api|access|secret|private|auth|client|master|signing|encryption|session|refresh|"
    r"consumer|account|shared|storage|bot|app|deploy|license|subscription|webhook)[ _-]?"
    r"(?:(?:access|secret)[ _-]?)?(?:keys?|tokens?|secrets?)\b|"
    r"(?i)\b(?:token|secret|bearer|basic|authorization: ?token)\b|"
    r"(?i)passw(?:or[dt])?\b|\bpwd\b|pass(?:phrase|code)|kennwort|zugangscode|"
    r"(?i)contrase\xf1a|\bclave\b|mot de passe|wachtwoord|\bsenha\b|\bhasło\b|parola d'ordine"
)
_BEHIND = re.compile(
    r"[\"'`]?[ \t]?(?::=|=>|[:=]|[ ](?:is|ist|lautet|es|est|è|to)[ :])[ \t]{0,2}[\"'`<]?"
    r"(?:(?:bearer|basic|token)[ ])?([^\s\x00\"'`<>,;&()\[\]{}]{6,250})",
    re.IGNORECASE,
)
_SPACED = re.compile(r"[ ]([A-Za-z0-9_+/=.~-]{12,250})")
_IN_URL = compile_narrow(r"://[^\s/:@\x00]{1,60}:[^\s/@\x00]{3,80}@")
_SLUG: Final = re.compile(r"[A-Za-z]+(?:[-_./]+(?:[A-Za-z]+|[0-9]{1,4}))+")
"""Words with hyphens between them: the name of something."""

_TURNS: Final = re.compile(r"[a-z](?=[A-Z])|[A-Z]{2}(?=[a-z])")
_PEM = compile_narrow(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_PEM_REST = re.compile(
    r"(?:[^-\x00]|-(?!----)){0,20000}(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
)
_PASSWORDS: Final = tuple(
    "pass pwd kennwort zugangscode contrase clave mot wacht senha has parola".split()  # noqa: SIM905
)
"""Beginnings of labels of what people choose themselves."""


def find_secrets(view: View) -> Iterator[Range]:
    """Keys, tokens and passwords, in no order."""
    text = view.text
    for match in view.find(_KEY_START):
        key = _KEY.match(text, match.start())
        if key is None or _continues(text, key.end()):
            continue
        if not key[0].startswith(_WORDY) or any(char.isdigit() for char in key[0]):
            yield key.span()
    for match in view.find(_LABEL):
        yield from _secret_behind_label(text, *match.span())
    for match in view.find(_IN_URL):
        start = text.index(":", match.start() + 3) + 1
        yield start, match.end() - 1
    reached = 0
    for match in view.find(_PEM):
        if match.start() >= reached:
            rest = _PEM_REST.match(text, match.end())
            reached = rest.end() if rest else match.end()
            yield match.start(), reached


def _secret_behind_label(text: str, start: int, stop: int) -> Iterator[Range]:
    """What a label announces."""
    label = text[start:stop].lower().lstrip(" _-")
    value = _BEHIND.match(text, stop)
    if value is None and label.startswith(("bearer", "basic", "token", "authorization")):
        value = _SPACED.match(text, stop)
    if value is None:
        return
    secret = value[1].rstrip(".:")
    passwords = label.startswith(_PASSWORDS)
    if not passwords and _SLUG.fullmatch(secret):
        return
    if looks_secret(secret, least=6 if passwords else 12):
        yield value.start(1), value.start(1) + len(secret)


def looks_secret(value: str, *, least: int) -> bool:
    """Whether *value* looks like no word, date, amount or path: letters and digits in one."""
    letters = sum(char.isalpha() for char in value)
    digits = sum(char.isdigit() for char in value)
    if len(value) < least or not letters or "://" in value:
        return False
    if not digits:
        return len(value) >= 16 and len(_TURNS.findall(value)) >= 3
    return letters + digits >= 5 and not value.startswith(("/", "./", "#", "$", "%"))


def _continues(text: str, stop: int) -> bool:
    return stop < len(text) and (text[stop].isalnum() or text[stop] == "_")
