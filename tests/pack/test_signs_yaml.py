"""`signs.yaml` and the `signs` of a contract: what cannot be right is a fault with its line."""

from __future__ import annotations

import pytest

from assay.errors import PackError
from assay.pack.read import read_pack
from tests.runtime.tiny import FILES

SIGNS = (
    b"threat:\n  patterns: {en: ['sue you'], de: ['verklag']}\n  but_not: {en: ['sue you not']}\n"
)
USE = b'signs: {threat: {"/label": [fire]}}\n'


def pack(signs=SIGNS, use=USE, **more):
    contract = FILES["contracts/triage.yaml"] + use
    files = {**FILES, "signs.yaml": signs, "contracts/triage.yaml": contract}
    return read_pack({name: data for name, data in files.items() if data is not None} | more)


@pytest.mark.clause("005-M11")
def test_a_contract_uses_the_signs_of_its_pack():
    """The check is asked like any other, and the digest of the contract covers its words."""
    contract = pack().contract("triage")

    assert contract.signs in contract.checks
    assert contract.digest != pack(SIGNS.replace(b"verklag", b"klage")).contract("triage").digest
    assert contract.digest != pack(use=b"").contract("triage").digest


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize(
    ("signs", "use", "said"),
    [
        (SIGNS, b'signs: {treat: {"/label": [fire]}}\n', "treat"),
        (SIGNS, b"signs: {threat: {}}\n", "threat"),
        (SIGNS, b'signs: {threat: {"/labels": [fire]}}\n', "/labels"),
        (SIGNS, b'signs: {threat: {"/label": [smoke]}}\n', "smoke"),
        (SIGNS, b'signs: {threat: {"/label": []}}\n', "label"),
        (None, USE, "threat"),
        (b"threat: {patterns: {en: ['(']}}\n", USE, "RE2"),
        (b"threat: {patterns: {de: ['k\xc3\xb6nnen']}}\n", USE, "letters"),
        (b"threat: {patterns: {en: ['x*']}}\n", USE, "nothing"),
        (b"threat: {patterns: {}}\n", USE, "pattern"),
        (b"threat: {patterns: {en: ['a']}, unless: {en: ['b']}}\n", USE, "unless"),
        (b"- a\n", USE, "mapping"),
    ],
)
def test_a_sign_that_could_never_work_is_a_fault_of_the_pack(signs, use, said):
    """A name, place or label that does not exist, or a pattern that finds nothing or everything."""
    with pytest.raises(PackError) as caught:
        pack(signs, use)

    assert said in str(caught.value)
    assert caught.value.file in {"signs.yaml", "contracts/triage.yaml"}


def test_a_misnamed_file_would_not_be_read():
    """`signs.yml` is told, not passed over."""
    with pytest.raises(PackError, match=r"signs\.yml"):
        pack(None, b"", **{"signs.yml": SIGNS})
