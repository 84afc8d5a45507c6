"""A class of a user's own program, by the name that a command line can give.

In      MODULE:CLASS
Out     the class
Effects imports the module, as Python would from the present folder
Spec    007-C5
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from operator import attrgetter
from pathlib import Path

from pydantic import BaseModel

from assay.errors import ContractClassError, UsageError


def load_class(name: str) -> type[BaseModel]:
    """The class that *name* names, as in `my_app.models:Triage`.

    The present folder is looked in first, as `python -m` does it.

    Raises:
        UsageError: it names no class that can be imported. The module runs: what it raises
            itself is told by its type alone.
        ContractClassError: what it names is no class of pydantic.
    """
    module, _, path = name.partition(":")
    if not module or not path:
        raise UsageError(f"{name!r} names no class", hint="write MODULE:CLASS, as my_app:Triage")
    try:
        with _present_folder():
            found = attrgetter(path)(import_module(module))
    except ModuleNotFoundError as error:
        raise UsageError(
            f"there is no module {error.name!r}", hint="run from the folder that holds it"
        ) from error
    except AttributeError as error:
        raise UsageError(f"module {module!r} has no {path!r}") from error
    except Exception as error:
        raise UsageError(
            f"module {module!r} cannot be imported ({type(error).__name__})"
        ) from error
    if not (isinstance(found, type) and issubclass(found, BaseModel)):
        raise ContractClassError(f"{name!r} is no class of pydantic")
    return found


@contextmanager
def _present_folder() -> Iterator[None]:
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
