"""Judge the beginning of an output: can anything that follows still be accepted?

In      the pieces of a reply as they arrive, what they are weighed against
Out     Watch: True from the piece on after which no continuation is accepted; and why
Pure    yes
Spec    interfaces.md, "Models" (`assay_stopped`)

In doubt it reads on: a text that could still become acceptable, or a refusal, is never stopped.
What is found, and where, depends on the text alone and not on how it was cut into pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from assay.core.json.faults import FENCED, FENCES, REFUSAL
from assay.core.json.growing import GrowingFault, GrowingJson
from assay.core.json.schema import Schema
from assay.core.json.strict import MAX_BYTES, MAX_DEPTH
from assay.core.text.refusals import LOOK, could_open_like_refusal, opens_like_refusal
from assay.gate.places import PlaceReader, PlaceRule

__all__ = ["STOPPED", "PrefixWatch", "Watch", "explain_prefix"]

STOPPED: Final = "assay_stopped"
"""The finish reason of a reply that was stopped while it arrived."""


class Watch(Protocol):
    """Reads one reply from its first piece to its last."""

    def hear(self, piece: str) -> bool:
        """Whether nothing that could follow makes what was heard so far acceptable."""
        ...


class PrefixWatch:
    """The watch of one reply.

    Example:
        >>> watch = PrefixWatch((), Schema.compile({"type": "object"}))
        >>> [watch.hear(piece) for piece in ('{"a":', " 1, ", '"a": 2', "}")]
        [False, False, True, True]
        >>> watch.fault.code
        'json.duplicate_key'
    """

    __slots__ = ("_bytes", "_doubt", "_half", "_head", "_json", "_refusals", "fault")

    def __init__(
        self, rules: Sequence[PlaceRule], schema: Schema, refusals: Sequence[str] = ()
    ) -> None:
        self._json = GrowingJson(PlaceReader(rules, schema.root_place), max_depth=MAX_DEPTH)
        self._refusals = refusals
        self._bytes = 0
        self._head = ""
        """The opening, as long as the reply could be a refusal."""
        self._doubt: GrowingFault | None = None
        """What is wrong with a reply that may yet turn out to be a refusal."""
        self._half = ""
        """A surrogate whose partner may be in the next piece."""
        self.fault: GrowingFault | None = None
        """Why no continuation is accepted; None as long as one may be."""

    def hear(self, piece: str) -> bool:
        """See `Watch`."""
        if self.fault is not None:
            return True
        size, lone = len(piece), False
        if self._half or not piece.isascii():
            piece, lone = self._pair_surrogates(piece)
            size = len(piece.encode())
        room = MAX_BYTES - self._bytes
        self._bytes += size
        if size > room:
            self._read(piece.encode()[:room].decode(errors="ignore"))
            self._refuse(_TOO_LARGE)
        else:
            self._read(piece)
            if lone:
                self._refuse(_LONE_SURROGATE)
        return self.fault is not None

    def explain(self) -> GrowingFault | None:
        """Why what was heard is not acceptable, as far as it is known."""
        if self.fault is None and self._doubt is not None:
            if opens_like_refusal(self._head, self._refusals):
                return GrowingFault(REFUSAL.code, REFUSAL.message)
            return self._doubt
        return self.fault

    def _read(self, piece: str) -> None:
        if not self._json.has_key:
            self._read_opening(piece)
            return
        try:
            self._json.hear(piece)
        except GrowingFault as fault:
            self.fault = fault

    def _read_opening(self, piece: str) -> None:
        """Of a text that is not known to be an object yet."""
        if len(self._head) < LOOK:
            self._head += piece[: LOOK - len(self._head)]
            if self._doubt is not None:
                self._weigh_doubt(self._doubt)
        if self._doubt is not None:
            return
        try:
            self._json.hear(piece)
        except GrowingFault as fault:
            if self._json.has_key:
                self.fault = fault
            else:
                self._doubt = fault
                self._weigh_doubt(fault)

    def _weigh_doubt(self, fault: GrowingFault) -> None:
        """Whether a text that is no object has been read far enough to say that it is no
        refusal either; a refusal is read to its end."""
        opening = self._head.lstrip()
        if opening.startswith(FENCES):
            self.fault = GrowingFault(FENCED.code, FENCED.message)
        elif any(fence.startswith(opening) for fence in FENCES):
            return
        elif not could_open_like_refusal(self._head, self._refusals):
            self.fault = fault

    def _refuse(self, fault: GrowingFault) -> None:
        if self.fault is None:
            self.fault = fault

    def _pair_surrogates(self, piece: str) -> tuple[str, bool]:
        """The piece with halves of a pair put together, and whether a lone one cuts it short."""
        piece, self._half = self._half + piece, ""
        try:
            piece.encode()
        except UnicodeEncodeError:
            units = piece.encode("utf-16-le", "surrogatepass")
            piece = units.decode("utf-16-le", "surrogatepass")
        else:
            return piece, False
        if "\ud800" <= piece[-1:] < "\udc00":
            piece, self._half = piece[:-1], piece[-1]
        try:
            piece.encode()
        except UnicodeEncodeError as error:
            return piece[: error.start], True
        return piece, False


_TOO_LARGE = GrowingFault("json.too_large", f"the text has more than {MAX_BYTES} bytes")
_LONE_SURROGATE = GrowingFault("json.unicode", "the text holds a lone surrogate")
_NO_UTF_8 = GrowingFault("json.unicode", "the bytes are no UTF-8")


def explain_prefix(raw: bytes | str, watch: PrefixWatch) -> tuple[str, GrowingFault | None]:
    """What *raw*, the beginning of a reply, says, and what a fresh *watch* has against it.

    A character that is cut off at its end is no fault.
    """
    if isinstance(raw, str):
        watch.hear(raw)
        return raw, watch.explain()
    is_broken = False
    try:
        text = raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        text = raw[: error.start].decode("utf-8", "surrogatepass")
        is_broken = error.reason != "unexpected end of data"
    watch.hear(text)
    return text, watch.explain() or (_NO_UTF_8 if is_broken else None)
