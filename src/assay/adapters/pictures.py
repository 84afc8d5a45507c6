"""SVG drawn as PNG.

In      an SVG document of ours
Out     the bytes of a PNG
Effects loads a library; reads fonts of this machine only for letters that the bundled one lacks
Spec    007-F6

The font comes with a library, so that equal drawings give equal bytes on every machine.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

from assay.errors import UsageError

_FONT: Final = "Bitstream Vera Sans"
_IN_FONT: Final = frozenset(range(0x20, 0x180)) | {ord(each) for each in "\n\t–—‘’“”„…≤≥·−"}


def png_of(svg: str, *, zoom: float = 2.0) -> bytes:
    """Draw *svg*.

    Args:
        zoom: Pixels of the picture for one of the drawing.

    Raises:
        UsageError: the optional library is not installed.
    """
    drawing, fonts = _library("resvg_py"), _fonts()
    drawn: Any = drawing.svg_to_bytes(
        svg_string=svg,
        zoom=zoom,
        skip_system_fonts=set(map(ord, svg)) <= _IN_FONT,
        font_files=fonts,
        font_family=_FONT,
        sans_serif_family=_FONT,
    )
    return bytes(drawn)


def require_pictures() -> None:
    """Make sure that `png_of` can draw, before a record is read for it; raises UsageError."""
    _library("resvg_py")
    _fonts()


def _fonts() -> list[str]:
    folder = Path(str(_library("reportlab").__file__)).parent / "fonts"
    return [str(folder / name) for name in ("Vera.ttf", "VeraBd.ttf")]


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(
            f"PNG needs the library {name}, which is not installed",
            hint="pip install 'assay[figures]', or write the page alone with --output",
        ) from error
