"""The commands of the README's section on installing, run in an environment of their own.

What a package index would bring stands beside: the packages of this environment are on the path,
so that pip finds every requirement satisfied and fetches nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from tests.processes import PATIENCE_S, surroundings

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console install\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
TAKEN = ("src", "pyproject.toml", "README.md", "LICENSE", "requirements")
"""What of the checkout an installation reads."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy: building leaves files behind."""
    place = tmp_path_factory.mktemp("checkout")
    leave = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in TAKEN:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name, ignore=leave)
        else:
            shutil.copy(ROOT / name, place / name)
    return place


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A home of its own; this environment's packages on the path; no way to an index."""
    home = tmp_path_factory.mktemp("home")
    found = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": "",
        "PIP_NO_BUILD_ISOLATION": "0",  # 0 is pip's way to say: none
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    return surroundings({}) | found | {"PYTHONPATH": _packages()}


def _packages() -> str:
    places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    places |= {path for path in sys.path if path.endswith("site-packages")}
    return os.pathsep.join(sorted(places))


def script(block):
    """The commands of a block, as one shell runs them."""
    return "set -e\n" + "\n".join(re.findall(r"^\$ (.*)$", block, re.MULTILINE))


@pytest.mark.clause("007-D3")
def test_the_commands_of_the_readme_install_it(checkout, environment):
    """From the checkout, from a wheel, and the tab key, one after the other as they stand there."""
    assert len(BLOCKS) == 3
    done = subprocess.run(
        ["bash", "-c", "\n".join(map(script, BLOCKS)) + "\ncommand -v assay\ncomplete -p assay"],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert f"assay {version}" in done.stdout
    assert f"{checkout}/.venv/bin/assay" in done.stdout
    assert "complete -o nosort -F _assay_completion assay" in done.stdout


@pytest.mark.clause("007-D3")
def test_what_is_installed_is_whole(checkout, environment):
    """Packs, migrations and prices are in the wheel: it runs outside of the checkout."""
    wheels = checkout / "whole"
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", wheels, "."],
        cwd=checkout,
        env=environment,
        check=True,
        timeout=PATIENCE_S,
    )
    (wheel,) = wheels.glob("*.whl")
    listed = subprocess.run(
        [sys.executable, "-m", "zipfile", "-l", wheel], capture_output=True, text=True, check=True
    )
    names = {line.split()[0] for line in listed.stdout.splitlines()[1:]}
    wanted = {
        str(file.relative_to(ROOT / "src"))
        for file in (ROOT / "src" / "assay").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }

    assert set() == wanted - names
