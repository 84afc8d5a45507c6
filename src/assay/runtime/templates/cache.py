"""Texts parsed and contracts bound to them, so that neither is done again for every call.

In      registered versions as they were just read, contracts
Out     TemplateVersion; the contract with that template in its place
Effects remembers the latest of both
Spec    002-V1 (a text never changes, so what was parsed holds)

What is remembered is found by the content that was just read: an edit in the store is seen.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from assay.contract.contract import Contract
from assay.contract.contract_job import with_template
from assay.errors import IntegrityError
from assay.errors import TemplateError as BadTemplateError
from assay.templates.template import TemplateVersion
from assay.templates.version import Registered

_KEPT = 256


class BoundContracts:
    """Parsed texts by their digest, and contracts by their template."""

    def __init__(self) -> None:
        self._parsed: OrderedDict[str, TemplateVersion] = OrderedDict()
        self._bound: OrderedDict[tuple[int, str, str], tuple[Contract, Contract]] = OrderedDict()

    def parse(self, found: Registered) -> TemplateVersion:
        """What stands there now, as a version that can be rendered.

        Raises:
            IntegrityError: it was edited and is no template any more.
        """
        key = found.found_fields_sha256
        known = self._parsed.get(key)
        if known is None:
            try:
                known = found.template()
            except BadTemplateError as error:
                raise IntegrityError(
                    f"template {found.row.id} was edited in the store and is none any more",
                    hint="restore its text, or add and promote a new version",
                ) from error
            _keep(self._parsed, key, known)
        return known

    def bind(self, contract: Contract, template: TemplateVersion, release: str) -> Contract:
        """*contract* with *template*, as `with_template` makes it."""
        key = (id(contract), template.fields_sha256, release)
        known = self._bound.get(key)
        if known is None or known[0] is not contract:
            known = contract, with_template(contract, template, release)
            _keep(self._bound, key, known)
        return known[1]


def _keep(where: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    where[key] = value
    if len(where) > _KEPT:
        where.popitem(last=False)
