"""Source code and files of settings: their own text, cut where functions, classes, sections begin.

In      the text of a file and the ending of its name
Out     Laid: the text unchanged, its blocks, the qualified names of what it declares
Pure    no clock, no randomness, no I/O: equal text gives equal blocks
Spec    008-S2

Python is read by its own parser; other languages by the look of their lines: what declares
something, and how far it is indented. That is wrong at times, and then a passage begins at
another line or is found under another name; its text is right in any case.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from assay.sources.documents.outline import Heading, Laid
from assay.sources.reading import Unreadable

LANGUAGES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript",
    "cjs": "javascript", "jsx": "javascript", "ts": "typescript", "tsx": "typescript",
    "java": "java", "kt": "kotlin", "kts": "kotlin", "scala": "scala", "groovy": "groovy",
    "go": "go", "rs": "rust", "c": "c", "h": "c", "cc": "c++", "cpp": "c++", "cxx": "c++",
    "hpp": "c++", "hh": "c++", "cs": "c#", "fs": "f#", "vb": "visual basic", "rb": "ruby",
    "php": "php", "pl": "perl", "pm": "perl", "lua": "lua", "swift": "swift", "m": "objective-c",
    "dart": "dart", "r": "r", "jl": "julia", "ex": "elixir", "exs": "elixir", "erl": "erlang",
    "hs": "haskell", "ml": "ocaml", "clj": "clojure", "sh": "shell", "bash": "shell",
    "zsh": "shell", "ps1": "powershell", "bat": "batch", "sql": "sql", "css": "css",
    "scss": "css", "less": "css", "vue": "vue", "svelte": "svelte", "proto": "protobuf",
    "graphql": "graphql", "tf": "terraform", "yaml": "yaml", "yml": "yaml", "toml": "toml",
    "json": "json", "jsonl": "json", "ini": "ini", "cfg": "ini", "conf": "ini",
    "properties": "ini",
}  # fmt: skip
"""By the ending of a name the language that is written in such files."""

MAX_PARSED_CHARS = 400_000
"""Longest Python that is parsed; a longer file is read by the look of its lines."""

MAX_DECLARATIONS = 20_000
MAX_INDENT = 16
"""What is indented further is inside of something that has a name already."""

MINIFIED_LINE_CHARS = 500
_MINIFIED_FROM = 5_000

_WORDS = (
    "export|default|public|private|protected|internal|static|async|abstract|final|sealed|open|"
    "override|virtual|inline|extern|unsafe|const|pub|partial|readonly|data|suspend|local|declare|"
    r"pub\([a-z ]{1,20}\)"
)
_KEYWORDS = (
    r"function\*?|func|fun|fn|def|defp|class|interface|trait|enum|struct|impl|module|defmodule|"
    "namespace|object|record|protocol|extension|mod|macro_rules!|sub|type|union|message|"
    "service|resource|variable|contract"
)
_DECLARED = re.compile(
    rf"[ \t]*(?:(?:{_WORDS})[ \t]+)*(?:{_KEYWORDS})[ \t]+(?:\([^()]{{0,80}}\)[ \t]*)?"
    r"(?:<[^<>]{0,80}>[ \t]*)?[\"']?([A-Za-z_$][\w$.:!?]*)"
)
_HOLDER = re.compile(
    rf"[ \t]*(?:(?:{_WORDS})[ \t]+)*(?:class|interface|trait|enum|struct|impl|module|defmodule|"
    r"namespace|object|record|protocol|extension|mod|service|contract|resource)\b"
)
_ASSIGNED = re.compile(
    r"[ \t]*(?:export[ \t]+)?(?:const|let|var|local)[ \t]+([A-Za-z_$][\w$]*)[^=\n]{0,80}="
    r"[ \t]*(?:async[ \t]*)?(?:function\b|\([^()]{0,200}\)[^=>]{0,80}=>|[A-Za-z_$][\w$]*[ \t]*=>)"
)
_CALLABLE = re.compile(
    r"[ \t]*(?:[A-Za-z_][\w:<>\[\],.*&?]*[ \t*&]+){0,6}([A-Za-z_~$][\w:~$]*)[ \t]*\([^;]{0,250}"
    r"\{[ \t]*\Z"
)
_NO_CALLABLE = frozenset(
    "if for while switch return else catch do try new throw sizeof elif case until with in".split()  # noqa: SIM905
)
_SQL = re.compile(
    r"[ \t]*create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:\w+[ \t]+){0,3}?(?:table|view|function|"
    r"procedure|trigger|index|type|schema)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?"
    r"([\w.\"`\[\]]{1,80})",
    re.IGNORECASE,
)
_SHELL = re.compile(r"[ \t]*(?:function[ \t]+)?([A-Za-z_][\w-]*)[ \t]*\(\)[ \t]*\{?")
_SECTION = re.compile(r"\[{1,2}([^\[\]\n]{1,120})\]{1,2}[ \t]*(?:[#;].*)?\Z")
_KEY = re.compile(r"((?: {2}| {4})?)[\"']?([A-Za-z_][\w./-]{0,80})[\"']?[ \t]*:(?:[ \t]|\Z)")
_JSON_KEY = re.compile(r"((?: {2}| {4}|\t))\"([^\"\n]{1,80})\"[ \t]*:")
_RULE = re.compile(r"([.#@\w][^{};]{0,120}?)[ \t]*\{")
_LEADING = re.compile(r"[ \t]*(?:#|//|/\*|\*|--|@|\[[A-Za-z]|;;|%|<!--|\"\"\")")
_CLOSING = re.compile(r"[ \t]*(?:[})\]]|end\b|fi\b|done\b|esac\b|else\b|#|//|/\*|\*|--|<!--)")
_SETTINGS = ("yaml", "json", "css", "toml", "ini")
_BRACED = frozenset(
    "java c c++ c# javascript typescript php dart groovy objective-c kotlin scala".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class _Declaration:
    """A line at which a block begins."""

    line: int
    indent: int
    name: str
    """Empty where what was declared before at this indentation is over."""


def read_code(text: str, ending: str) -> Laid | Unreadable:
    """Read *text* of a file whose name ends in *ending*.

    Example:
        >>> [each.title for each in read_code("class A:\\n    def b(self): ...\\n", "py").headings]
        ['A', 'b']
    """
    language = LANGUAGES[ending]
    lines = text.split("\n")
    minified = len(text) > _MINIFIED_FROM and len(text) > MINIFIED_LINE_CHARS * len(lines)
    if minified and language in ("javascript", "typescript", "css"):
        return Unreadable(reason="is minified code, which nobody wrote as it stands")
    found = _declared_in_python(text, lines) if language == "python" else None
    if found is None:
        found = list(_find_declarations(lines, language))
    found = sorted(found[:MAX_DECLARATIONS], key=lambda each: (each.line, each.indent))
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    headings: list[Heading] = []
    blocks: list[int] = [0]
    for each in found:
        start = starts[_first_line(lines, each.line) if each.name else each.line]
        blocks.append(start)
        headings.append(Heading(start=start, level=each.indent + 1, title=each.name[:120]))
    ordered = sorted(headings, key=lambda heading: heading.start)
    return Laid(
        text=text,
        headings=tuple(ordered),
        metadata={"language": language},
        blocks=tuple(sorted(set(blocks))),
    )


def _first_line(lines: list[str], line: int) -> int:
    """The first of the comments and decorators that stand right above *line*."""
    first = line
    while first and line - first < 40 and _LEADING.match(lines[first - 1]):
        first -= 1
    return first


def _declared_in_python(text: str, lines: list[str]) -> list[_Declaration] | None:
    """What Python declares; None where it cannot be parsed."""
    if len(text) > MAX_PARSED_CHARS or "\f" in text:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in foreign strings
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: list[_Declaration] = []
    pending: list[tuple[ast.AST, int]] = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        after = False
        for child in getattr(node, "body", []):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                found.append(_Declaration(first - 1, depth, child.name))
                if isinstance(child, ast.ClassDef) and depth < 5:
                    pending.append((child, depth + 1))
                after = True
            elif after:
                found.append(_Declaration(child.lineno - 1, depth, ""))
                after = False
    return [each for each in found if each.line < len(lines)]


def _find_declarations(lines: list[str], language: str) -> Iterator[_Declaration]:
    """What the look of the lines declares."""
    open_now: list[tuple[int, bool]] = []
    for number, line in enumerate(lines):
        head = line[:300]
        if not head.strip():
            continue
        wide = head.expandtabs(4)
        indent = len(wide) - len(wide.lstrip())
        name = _name(head, language) if indent <= MAX_INDENT else ""
        within = any(not holds and indent > outer for outer, holds in open_now)
        if name and not within:
            while open_now and open_now[-1][0] >= indent:
                open_now.pop()
            yield _Declaration(number, len(open_now), name)
            open_now.append((indent, _holds_others(head, language)))
        elif (
            language not in _SETTINGS
            and open_now
            and indent <= open_now[-1][0]
            and not _CLOSING.match(head)
        ):
            while open_now and open_now[-1][0] >= indent:
                open_now.pop()
            yield _Declaration(number, len(open_now), "")


def _holds_others(line: str, language: str) -> bool:
    """Whether what *line* declares is there to hold declarations, as a class is."""
    return language in _SETTINGS or bool(_HOLDER.match(line))


def _name(line: str, language: str) -> str:
    """What *line* declares, if it does."""
    match: re.Match[str] | None
    if language in ("toml", "ini"):
        match = _SECTION.match(line)
        return match[1].strip() if match else ""
    if language in ("yaml", "json"):
        match = (_KEY if language == "yaml" else _JSON_KEY).match(line)
        return match[2] if match and (language == "json" or not match[1]) else ""
    if language == "css":
        match = _RULE.match(line)
        return " ".join(match[1].split()) if match else ""
    if language == "sql":
        match = _SQL.match(line)
        return match[1].strip('"`[]') if match else ""
    match = _DECLARED.match(line) or _ASSIGNED.match(line)
    if match:
        return match[1].rstrip(":.!?")
    if language == "shell":
        match = _SHELL.match(line)
        return match[1] if match else ""
    if language in _BRACED:
        match = _CALLABLE.match(line)
        words = line.replace("(", " ").split()
        if match and match[1] not in _NO_CALLABLE and words and words[0] not in _NO_CALLABLE:
            return match[1]
    return ""
