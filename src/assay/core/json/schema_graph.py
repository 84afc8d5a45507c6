"""Where the schemas of a document lie, where their references lead, and what that costs.

In      a schema document, the documents it may refer to
Out     SchemaGraph: nodes by document and pointer; faults of the whole (rings, weight)
Pure    yes
Spec    005-G12; JSON Schema core, sections 8.2 (references), 9.4.1 (no endless recursion)

The library takes a ring of references that never goes into the value (`{"$ref": "#"}`) for
`true`. Such a schema looks as if it asked for something and asks for nothing, so it is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urljoin

from assay.core.json.pointer import escape, unescape
from assay.core.json.schema_drafts import (
    ANNOTATIONS,
    DEFINITIONS,
    IN_PLACE,
    KEYWORDS,
    LATEST,
    REFERENCES,
    Draft,
    Step,
    draft_within,
    subschemas,
)

ROOT_URI: Final = "http://root.invalid/"
"""Of a document that names none; nothing is ever fetched."""

MAX_WEIGHT: Final = 50_000
"""So many times may one value be put to schemas of one document. References that double at each
step reach it after sixteen."""

_DYNAMIC: Final = ("$dynamicRef", "$recursiveRef")


class Node(NamedTuple):
    """One schema: the document it stands in and the steps to it."""

    document: str
    """URI that the document is known by."""

    steps: Step

    @property
    def pointer(self) -> str:
        """Where it stands, as a URI fragment without percent signs."""
        return "#" + "".join(f"/{escape(str(step))}" for step in self.steps)

    @property
    def uri(self) -> str:
        """What a reference to it is written as."""
        return self.document + quote(self.pointer, safe="#/~!$&'()*+,;=:@")


class _Home(NamedTuple):
    base: str
    draft: Draft


class SchemaGraph:
    """The schemas of a document and of those that it may refer to."""

    def __init__(self, document: Any, registry: Mapping[str, Any], draft: Draft) -> None:
        self.documents: dict[str, Any] = {}
        self._home: dict[Node, _Home] = {}
        """What each schema that was met is read by."""
        self._resources: dict[str, Node] = {}
        self._anchors: dict[tuple[str, str], Node] = {}
        self._dynamic: dict[str, list[Node]] = {}
        self.names_format = False
        """Whether some schema that is reached asks for a `format`."""
        self.is_opaque = False
        """Whether some reference depends on how its schema was reached, or leads to the drafts'
        own schemas."""

        own = document.get(draft.id_keyword) if isinstance(document, Mapping) else None
        base = urljoin(ROOT_URI, own).partition("#")[0] if isinstance(own, str) else ROOT_URI
        self.root = Node(base, ())
        given = {uri.partition("#")[0]: other for uri, other in registry.items()}
        for uri, contents in {**given, base: document}.items():
            self.documents[uri] = contents
            self._index(Node(uri, ()), contents, uri, draft if uri == base else LATEST)

    def contents(self, node: Node) -> Any:
        """What stands at *node*; None when nothing does."""
        found: Any = self.documents.get(node.document)
        for step in node.steps:
            if isinstance(found, Mapping):
                found = found.get(step)
            elif isinstance(found, list) and isinstance(step, int) and step < len(found):
                found = found[step]
            else:
                return None
        return found

    def draft(self, node: Node) -> Draft:
        """The draft that *node* is read by."""
        return self._home[node].draft

    def children(self, node: Node) -> Iterator[tuple[str, Step, Node]]:
        """The schemas that stand directly in *node*, each with its keyword and steps."""
        contents = self.contents(node)
        if isinstance(contents, Mapping):
            for keyword, steps, _ in subschemas(contents, self.draft(node)):
                yield keyword, steps, Node(node.document, (*node.steps, *steps))

    def reference(self, node: Node, keyword: str = "$ref") -> Node | None:
        """Where the reference of *node* leads; None when it has none, or leads elsewhere."""
        contents = self.contents(node)
        written = contents.get(keyword) if isinstance(contents, Mapping) else None
        return self._target(node, written) if isinstance(written, str) else None

    def in_place(self, node: Node) -> list[Node]:
        """All schemas that are put to the same value as *node*."""
        contents = self.contents(node)
        if not isinstance(contents, Mapping):
            return []
        found = [child for keyword, _, child in self.children(node) if keyword in IN_PLACE]
        for keyword in REFERENCES:
            written = contents.get(keyword)
            if not isinstance(written, str):
                continue
            target = self._target(node, written)
            found += [] if target is None else [target]
            if keyword in _DYNAMIC:
                name = written.partition("#")[2] if keyword == "$dynamicRef" else ""
                found += [each for each in self._dynamic.get(name, []) if each != target]
        return found

    def fault(self) -> str | None:
        """What is wrong with the document as a whole; None when nothing is."""
        reached = _postorder([self.root], self._successors)
        self.is_opaque = any(map(self._is_astray, reached))
        self.names_format = any("format" in self._keywords(node) for node in reached)
        ring = _ring(reached, self.in_place)
        if ring is not None:
            return (
                f"the schema at {ring.pointer!r} leads back to itself without going into the"
                " value, so it constrains nothing"
            )
        if self._says_nothing():
            return "the schema has no keyword that constrains a value"
        if self._weight(reached) > MAX_WEIGHT:
            return (
                f"its references multiply: one value would be judged more than {MAX_WEIGHT} times"
            )
        return None

    def _index(self, node: Node, contents: Any, base: str, draft: Draft) -> None:
        """Note the ids and anchors in *contents*, without recursion."""
        waiting: list[tuple[Node, Any, str, Draft]] = [(node, contents, base, draft)]
        self._resources.setdefault(base, node)
        while waiting:
            node, contents, base, draft = waiting.pop()
            if node in self._home:
                continue
            if isinstance(contents, Mapping):
                draft = draft_within(contents, draft)
                own = contents.get(draft.id_keyword)
                if isinstance(own, str) and not (draft.is_ref_alone and "$ref" in contents):
                    named, _, anchor = urljoin(base, own).partition("#")
                    if own.startswith("#"):
                        self._anchors.setdefault((base, own[1:]), node)
                    else:
                        base = named
                        self._resources.setdefault(base, node)
                        if anchor:
                            self._anchors.setdefault((base, anchor), node)
                for keyword in ("$anchor", "$dynamicAnchor"):
                    if isinstance(contents.get(keyword), str):
                        self._anchors.setdefault((base, contents[keyword]), node)
                        if keyword == "$dynamicAnchor":
                            self._dynamic.setdefault(contents[keyword], []).append(node)
                if contents.get("$recursiveAnchor") is True:
                    self._dynamic.setdefault("", []).append(node)
            self._home[node] = _Home(base, draft)
            if isinstance(contents, Mapping):
                waiting += [
                    (Node(node.document, (*node.steps, *steps)), each, base, draft)
                    for _, steps, each in subschemas(contents, draft)
                ]

    def _target(self, node: Node, written: str) -> Node | None:
        home = self._home[node]
        full = home.base + written if written.startswith("#") else urljoin(home.base, written)
        uri, _, fragment = full.partition("#")
        fragment = unquote(fragment)
        resource = self._resources.get(uri)
        if resource is None:
            return None
        if fragment and not fragment.startswith("/"):
            return self._anchors.get((uri, fragment))
        steps: list[str | int] = list(resource.steps)
        at = self.contents(resource)
        for step in fragment.split("/")[1:]:
            key: str | int = unescape(step)
            if isinstance(at, list):
                if not (step.isascii() and step.isdigit()) or int(step) >= len(at):
                    return None
                key = int(step)
                at = at[key]
            elif isinstance(at, Mapping) and key in at:
                at = at[key]
            else:
                return None
            steps.append(key)
        target = Node(resource.document, tuple(steps))
        if target not in self._home:  # under a keyword that holds no schemas by itself
            there = self._home[resource]
            self._index(target, at, there.base, there.draft)
        return target

    def _successors(self, node: Node) -> list[Node]:
        inner = [child for key, _, child in self.children(node) if key not in DEFINITIONS]
        return [*inner, *(each for each in self.in_place(node) if each not in inner)]

    def _keywords(self, node: Node) -> Set[str]:
        contents = self.contents(node)
        return contents.keys() if isinstance(contents, Mapping) else frozenset()

    def _is_astray(self, node: Node) -> bool:
        contents = self.contents(node)
        if not isinstance(contents, Mapping):
            return False
        written = contents.get("$ref")
        return any(key in contents for key in _DYNAMIC) or (
            isinstance(written, str) and self._target(node, written) is None
        )

    def ways(self) -> int:
        """The most ways that one union of the documents has; 1 when there is no union."""
        return max(
            (
                len(contents[keyword])
                for contents in map(self.contents, self._home)
                if isinstance(contents, Mapping)
                for keyword in ("anyOf", "oneOf")
                if isinstance(contents.get(keyword), list)
            ),
            default=1,
        )

    def _says_nothing(self) -> bool:
        """Whether the document has content and asks nothing; `{}` and `true` say so openly."""
        contents = self.documents[self.root.document]
        if not isinstance(contents, Mapping):
            return False
        asked = contents.keys() - ANNOTATIONS - {*DEFINITIONS}
        if asked:
            return not any(key in KEYWORDS for key in asked)
        return any(contents.get(key) for key in DEFINITIONS)

    def _weight(self, reached: Sequence[Node]) -> int:
        """How often one value may be put to schemas of the document, from above.

        The library remembers what it found where a reference closes a circle, so such a
        reference counts once, however much lies behind it.
        """
        circle = _circles(reached, self._successors)

        def onward(node: Node) -> list[Node]:
            inner = {child for key, _, child in self.children(node) if key not in DEFINITIONS}
            return [
                each
                for each in self._successors(node)
                if each in inner or circle[each] != circle[node]
            ]

        weight: dict[Node, int] = {}
        for node in _postorder([self.root], onward):
            contents = self.contents(node)
            here = named = 1
            by_keyword = {child: keyword for keyword, _, child in self.children(node)}
            for each in onward(node):
                # Nodes that are met again while they are being weighed are in a circle.
                own = weight.get(each, 1)
                if by_keyword.get(each) in ("properties", "prefixItems"):
                    named = max(named, own)  # one property is put to one of them
                else:
                    here += own
            if isinstance(contents, Mapping) and _TWICE & contents.keys():
                here *= 3  # what is left over is found by judging all else once more
            weight[node] = here + named
        return weight[self.root]


_TWICE: Final = frozenset({"unevaluatedItems", "unevaluatedProperties"})


def _postorder(starts: Sequence[Node], successors: Callable[[Node], list[Node]]) -> list[Node]:
    """All that is reached, each after what it leads to."""
    order: list[Node] = []
    seen: set[Node] = set()
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(successors(start)))]
        while stack:
            node, rest = stack[-1]
            following = next((each for each in rest if each not in seen), None)
            if following is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(successors(following))))
    return order


def _circles(order: Sequence[Node], successors: Callable[[Node], list[Node]]) -> dict[Node, int]:
    """Number of the circle that each node is in (Kosaraju); *order* is a postorder."""
    known = set(order)
    backwards: dict[Node, list[Node]] = {node: [] for node in order}
    for node in order:
        for each in successors(node):
            if each in known:
                backwards[each].append(node)
    circle: dict[Node, int] = {}
    for number, start in enumerate(reversed(order)):
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in circle:
                circle[node] = number
                waiting += [each for each in backwards[node] if each not in circle]
    return circle


def _ring(nodes: Sequence[Node], successors: Callable[[Node], list[Node]]) -> Node | None:
    """A node from which *successors* lead back to itself; None when there is none."""
    circle = _circles(_postorder(nodes, successors), successors)
    members = Counter(circle.values())
    for node in reversed(nodes):
        if members[circle[node]] > 1 or node in successors(node):
            return node
    return None
