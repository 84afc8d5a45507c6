"""The files of `deploy/` name what is there: settings, options, figures, addresses.

No container engine runs here: the files are parsed and held against the program itself.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
import yaml

from assay.cli.main import application
from assay.wiring.settings import own_variables
from tests.parts import require_part

require_part("server", "fastapi", "prometheus_client")

from assay.server.observe.counters import Metrics  # noqa: E402

DEPLOY = Path(__file__).resolve().parent.parent / "deploy"
ELSEWHERE = {"ASSAY_MASTER_KEY", "ASSAY_MASTER_KEY_FILE"}


def words_of_serve():
    """The options of `assay serve`."""
    command = application.get_command(click.Context(application), "serve")
    return {word for param in command.params for word in param.opts}


def test_each_variable_that_is_set_is_one_that_is_read():
    """A name that was mistyped would be ignored in silence."""
    named = set()
    for file in DEPLOY.iterdir():
        named |= set(re.findall(r"\bASSAY_[A-Z_]+[A-Z]\b", file.read_text(encoding="utf-8")))

    assert len(named) > 6
    assert set() == named - set(own_variables()) - ELSEWHERE


@pytest.mark.parametrize("name", ["Dockerfile", "assay.service", "kubernetes.yaml"])
def test_each_option_that_is_given_exists(name):
    """Of the command that the file starts."""
    text = (DEPLOY / name).read_text(encoding="utf-8")
    line = next(each for each in text.splitlines() if "serve" in each and "--" in each)
    given = set(re.findall(r"--[a-z]+", line))

    assert given
    assert given <= words_of_serve()


def test_the_manifests_are_whole_and_fit_together():
    """Ports, names, labels and probes meet each other and the routes of the service."""
    found = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))
    kinds = {each["kind"]: each for each in found}
    pod = kinds["Deployment"]["spec"]["template"]
    (container,) = pod["spec"]["containers"]

    assert {"Deployment", "ConfigMap", "Service", "PodDisruptionBudget"} == set(kinds)
    assert kinds["Service"]["spec"]["selector"] == pod["metadata"]["labels"]
    assert (
        kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
    )
    assert 8320 == container["ports"][0]["containerPort"]
    probes = {container[name]["httpGet"]["path"] for name in ("livenessProbe", "readinessProbe")}
    assert {"/healthz", "/readyz"} == probes
    word, seconds = container["lifecycle"]["preStop"]["exec"]["command"]
    assert "sleep" == word
    assert int(seconds) >= 5  # until no balancer sends requests here any more
    assert pod["spec"]["terminationGracePeriodSeconds"] >= 600 + int(seconds)
    assert container["securityContext"]["readOnlyRootFilesystem"]


def test_the_composition_starts_two_processes_on_one_database():
    """With the master key from a file, no password in the file, time to end what was begun."""
    found = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    services = found["services"]
    used = {name for each in services.values() for name in each.get("secrets", ())}

    assert {"one", "two", "database"} == set(services)
    assert set(found["secrets"]) == used
    assert services["one"]["environment"] == services["two"]["environment"]
    password = "${DATABASE_PASSWORD:?set it in deploy/.env}"
    assert password == services["database"]["environment"]["POSTGRES_PASSWORD"]
    assert password == services["one"]["environment"]["PGPASSWORD"]
    assert "10m" == services["one"]["stop_grace_period"]


def test_the_dashboard_asks_for_figures_that_are_counted():
    """Each figure of each panel; and none that is counted is left out of all of them."""
    found = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))
    asked = {
        name
        for panel in found["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\bassay_[a-z_]+", target["expr"])
    }
    counted = {family.name: family.type for family in Metrics().registry.collect()}
    endings = {"counter": "_total", "histogram": "_bucket", "gauge": ""}
    known = {name + endings[kind] for name, kind in counted.items()}

    assert set() == asked - known
    assert {"assay_exchanges_total"} >= known - asked


def test_the_unit_ends_as_the_service_does():
    """SIGTERM, with ten minutes for what was begun; nothing more than it needs."""
    text = (DEPLOY / "assay.service").read_text(encoding="utf-8")
    lines = dict(line.split("=", 1) for line in text.splitlines() if re.match(r"[A-Z]\w+=", line))

    assert ("SIGTERM", "600") == (lines["KillSignal"], lines["TimeoutStopSec"])
    assert ("yes", "strict", "") == tuple(
        lines[name] for name in ("DynamicUser", "ProtectSystem", "CapabilityBoundingSet")
    )
