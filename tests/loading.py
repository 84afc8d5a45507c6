"""A script of `tools/` as a module: it is no package, and finds its neighbours beside itself."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from tests.conftest import ROOT

TOOLS = ROOT / "tools"


def load_tool(name: str) -> ModuleType:
    """`tools/NAME.py`, loaded anew; what it imports from beside itself stays loaded."""
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(TOOLS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(TOOLS))
    return module
