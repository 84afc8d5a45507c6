"""Requests that are generated from the service's own document: none ends in a fault."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import absent
from tests.processes import PATIENCE_S
from tests.server.serving import serving

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


def generator() -> str:
    """The program that makes the requests; it has an environment of its own."""
    own = Path(sys.prefix) / "fuzz" / "bin" / "st"
    found = str(own) if own.exists() else shutil.which("st")
    if found is None:
        absent("schemathesis", "`make check` installs it beside the environment")
    return found


@pytest.mark.clause("009-H1", "009-H2")
def test_every_operation_answers_generated_requests_as_it_documents(tmp_path):
    """Examples, edges and chance: a documented status, kind and shape, and no fault of ours."""
    program = generator()
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "pool.md").write_text("# Pool\n\nThe pool is open from 7 to 21 on weekdays.\n")
    with serving(
        tmp_path, ASSAY_SERVE_DOCUMENTS=f"pool={docs}", ASSAY_SERVE_PER_MINUTE="1000000"
    ) as service:
        words = [program, "run", f"{service.address}/openapi.json", "--no-color"]
        words += ["-H", f"Authorization: Bearer {service.keys['admin']}"]
        words += ["--checks", ",".join(CHECKS), "--max-examples", "12", "--workers", "1"]
        words += ["--phases", "examples,coverage,fuzzing", "--generation-deterministic"]
        words += ["--request-timeout", "120"]
        done = subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )

    assert 0 == done.returncode, done.stdout[-6_000:]
    assert "test cases" in done.stdout.lower()
