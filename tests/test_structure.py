"""The house itself: which module may know which, what a name may be, how long a file may be."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "assay"
FILES = sorted(
    path for path in SOURCE.rglob("*.py") if "migrations" not in path.relative_to(SOURCE).parts
)
TREES = {path: ast.parse(path.read_text("utf-8")) for path in FILES}
MODULES = {
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in FILES
}
PACKAGES = sorted(name for name, path in MODULES.items() if path.name == "__init__.py")
PURE = (
    "core figures sources templates redaction gate record contract answers flow pack".split()  # noqa: SIM905
)
LONE_WORDS = frozenset(
    """
    again alike alone also among apart around asked away beside bare before behind below beneath
    between beyond both bound bounded brief brought built capped checked closed compared compiled
    composed course covered cut decided declared drawn drifted each either encoded ended escaped
    even every explained failed filled flat found given guessed handed held indented informed
    inlined inserting joined judged kept known labelled left listed living made manners marked
    masked mentioned merged mentioned moved named narrowed near nested once only opened owned plain
    placed pointed prefixed prepared printed put quoted ranked readable recorded refused registered
    rejected resolved said salted same scanned sealed seen sent several shared shortened sounded
    spelled spelt stored stripped sure taken telling then there timed together told trimmed turned
    unchanged undisturbed unfilled unwatched usable valued vouched weighted where whole why within
    without worded written
    """.split()  # noqa: SIM905
)
"""Participles and adverbs that say nothing alone; add to them what reads like them."""


def _imports(tree: ast.Module, module: str) -> Iterator[str]:
    """Modules of our own that *module* imports, anywhere in it and for types alone too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in (f"{node.module}.{alias.name}" for alias in node.names):
                target = name if name in MODULES else node.module
                if target in MODULES and target != module:
                    yield target
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in MODULES and a.name != module)


GRAPH = {module: frozenset(_imports(TREES[path], module)) for module, path in MODULES.items()}


def _circles(graph: dict[str, frozenset[str]]) -> list[list[str]]:
    """The sets of nodes that reach each other."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for target in graph[todo.pop()]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        reached[start] = seen
    rings = {
        frozenset({node, *(other for other in reached[node] if node in reached[other])})
        for node in graph
        if node in reached[node]
    }
    return sorted(sorted(ring) for ring in rings)


def test_no_modules_import_each_other_in_a_circle():
    """Modules can be read one after the other, from the ground up; imports for types count."""
    assert [] == _circles(GRAPH)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_neighbours_in_a_folder_import_each_other_in_a_circle(package):
    """Files and subfolders of one folder, each taken whole, have an order too."""
    inside = {module for module in MODULES if module.startswith(f"{package}.")}
    graph: dict[str, set[str]] = {_child(package, module): set() for module in inside}
    for module in inside:
        child = _child(package, module)
        graph[child] |= {_child(package, target) for target in GRAPH[module] & inside} - {child}

    assert [] == _circles({child: frozenset(targets) for child, targets in graph.items()})


def _child(package: str, module: str) -> str:
    """The file or subfolder of *package* that *module* is or lies in."""
    return module.removeprefix(f"{package}.").split(".")[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_has_at_most_400_lines(path):
    """What is longer has two subjects."""
    assert len(path.read_text("utf-8").splitlines()) <= 400


def test_function_names_say_what_is_done():
    """No function is called by a participle or an adverb alone; properties are adjectives."""
    odd = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.strip("_") in LONE_WORDS
        and not any("property" in ast.unparse(each) for each in node.decorator_list)
    ]

    assert [] == odd


def test_the_source_cites_clauses_not_issues():
    """A reader can look up what a docstring cites: a clause, a decision record, a standard."""
    cited = [
        f"{path.relative_to(SOURCE)}: {found[0]}"
        for path in FILES
        if (found := re.search(r"\bissues? (?:on\b|#|\"|\d)", path.read_text("utf-8"), re.I))
    ]

    assert [] == cited


def test_no_file_is_the_second_of_its_name():
    """A number or `new` at the end of a name says that one subject stands in two places."""
    odd = [path.name for path in FILES if re.search(r"(_\d+|_new|_old|_more)\.py$", path.name)]

    assert [] == odd


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_open_no_files(package):
    """The fence of import-linter knows modules alone; what it cannot name is looked for here."""
    odd = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path, tree in TREES.items()
        if path.relative_to(SOURCE).parts[0] == package
        for node in ast.walk(tree)
        if _opens(node)
    ]

    assert [] == odd


def _opens(node: ast.AST) -> bool:
    """Whether *node* reaches for a file: `open(…)`, `io.open`, package data, a path of its own."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "open"
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}" in {"io.open", "io.FileIO", "importlib.resources"}
    if isinstance(node, ast.ImportFrom):
        names = {alias.name for alias in node.names}
        whole = node.module or ""
        return (
            whole.startswith(("importlib.resources", "importlib.metadata", "pkgutil"))
            or (whole == "importlib" and bool(names & {"resources", "metadata"}))
            or (whole == "io" and bool(names & {"open", "FileIO", "open_code"}))
        )
    if isinstance(node, ast.Import):
        return any(
            alias.name.startswith(("importlib.resources", "importlib.metadata", "pkgutil"))
            for alias in node.names
        )
    return False
