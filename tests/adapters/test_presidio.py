"""Presidio as one more source of findings: it adds, it never takes away, and it stays offline."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters import presidio
from assay.adapters.presidio import PresidioRecogniser
from assay.errors import ExecutionError, InputError, UsageError
from assay.redaction.redactor import Redactor
from assay.wiring.packs import redactor_for
from assay.wiring.settings import Settings
from tests.parts import require_part
from tests.processes import run_python

ONLY_PRESIDIO = {
    "00:1A:2B:3C:4D:5E": "ID_CODE",
    "16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ": "ID_CODE",
    "HRB 12345": "ID_CODE",
}


@pytest.fixture(scope="module")
def analyzer():
    [module] = require_part("presidio", "presidio_analyzer")
    return module


@pytest.fixture(scope="module")
def with_presidio(analyzer):
    return Redactor(recognisers=(PresidioRecogniser.create(),))


@pytest.mark.parametrize("value", ONLY_PRESIDIO)
def test_a_value_that_only_presidio_finds_is_masked(value, with_presidio):
    """Under our class, each time it stands there; the spans lead back to it; none of it is left."""
    text = f"Write to jane@example.com about {value}, or ask for {value}."

    view = with_presidio.redact(text)

    assert ["EMAIL"] == [s.cls for s in Redactor().redact(text).spans]
    assert ["EMAIL", ONLY_PRESIDIO[value], ONLY_PRESIDIO[value]] == [s.cls for s in view.spans]
    assert ["jane@example.com", value, value] == [text[s.start : s.stop] for s in view.spans]
    assert value not in view.text
    assert value not in str(view.to_dict())


_PIECES = st.sampled_from(
    [
        *ONLY_PRESIDIO,
        "jane@example.com",
        "+49 30 901820",
        "4111 1111 1111 1111",
        "ABC-123DE",
        "2026-11-28",
        " ",
        ", ",
        "\n",
        ":",
        "-",
        ".",
        "@",
        "::",
        "\0",
        "A",
        "7",
        "ü",
        "ﬁ",
        "０",
    ]
)


@settings(deadline=None, max_examples=60)
@given(text=st.lists(_PIECES, max_size=12).map("".join))
def test_redacting_twice_changes_nothing(text, with_presidio):
    """What stands after the first pass holds nothing more, for the rules and for Presidio."""
    once = with_presidio.redact(text)
    twice = with_presidio.redact(once.text)

    assert once.text == twice.text
    assert () == twice.spans
    ends = [0, *(s.stop for s in once.spans)]
    assert all(a <= s.start < s.stop for a, s in zip(ends, once.spans, strict=False))


@pytest.mark.parametrize("text", ["It is 2026-11-28.", "See https://example.org/a", "std::vector"])
def test_days_and_pages_are_no_personal_data(text, with_presidio):
    """Types that have no class of ours leave the text as it is."""
    assert Redactor().redact(text).text == with_presidio.redact(text).text


def test_names_given_as_a_list_are_masked(analyzer):
    """A caller's own pattern recogniser adds to the rest, and shows in the identity."""
    names = analyzer.PatternRecognizer("PERSON", deny_list=["Rubija"])
    added = PresidioRecogniser.create([names])

    [span] = Redactor(recognisers=(added,)).redact("so says Rubija.").spans

    assert ("SIMPLE_NAME", 8, 14) == (span.cls, span.start, span.stop)
    assert added.identity != PresidioRecogniser.create().identity


def test_an_added_recogniser_needs_a_class(analyzer):
    """A type that is mapped to nothing is an error, not a silent loss."""
    with pytest.raises(InputError):
        PresidioRecogniser.create([analyzer.PatternRecognizer("ZEBRA", deny_list=["x"])])


def test_a_pattern_that_runs_out_of_time_fails_the_redaction(analyzer, monkeypatch):
    """Nothing passes as redacted that was not looked at."""
    monkeypatch.setattr(presidio, "PATTERN_SECONDS", 1e-6)
    slow = analyzer.PatternRecognizer("PERSON", patterns=[analyzer.Pattern("p", "(x+x+)+y", 1.0)])

    with pytest.raises(ExecutionError):
        list(PresidioRecogniser.create([slow])("x" * 5_000))


def test_switching_it_on_changes_the_rules_digest(with_presidio):
    """And a second loading gives the same digest again: replay can tell the two apart."""
    on = Settings.from_environment({"ASSAY_RECOGNISER": "presidio"})

    assert with_presidio.rules_digest == redactor_for(None, on).rules_digest
    assert Redactor().rules_digest == redactor_for(None, Settings.from_environment({})).rules_digest
    assert Redactor().rules_digest != with_presidio.rules_digest


_OFFLINE = """
import socket, sys
import urllib3  # once loaded it has bound ::1, unasked, to learn whether there is IPv6
def audit(event, args):
    if event in ("socket.__new__", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        print("NETWORK", event); sys.stdout.flush(); raise OSError("no network")
sys.addaudithook(audit)
from assay.adapters.presidio import PresidioRecogniser
found = [cls for _, _, cls in PresidioRecogniser.create()("jane@example.com 192.168.10.7")]
print(sorted(set(found)))
try:
    socket.create_connection(("127.0.0.1", 9), 0.1)
except OSError:
    print("hook works")
"""


def test_no_socket_is_opened(analyzer):
    """Neither loading nor an e-mail address looks anything up; the watch itself is shown to see."""
    done = run_python("-c", _OFFLINE)

    lines = done.stdout.decode().splitlines()
    assert ["['EMAIL', 'ID_CODE']", "NETWORK socket.getaddrinfo", "hook works"] == lines, (
        done.stderr
    )


def test_absent_it_is_a_clear_error(monkeypatch):
    """With what to install; an unknown name of a recogniser is refused too."""
    monkeypatch.setitem(sys.modules, "presidio_analyzer.predefined_recognizers", None)

    with pytest.raises(UsageError) as caught:
        redactor_for(None, Settings.from_environment({"ASSAY_RECOGNISER": "presidio"}))

    assert 'pip install "assay[presidio]"' == caught.value.hint
    with pytest.raises(UsageError, match="ASSAY_RECOGNISER"):
        Settings.from_environment({"ASSAY_RECOGNISER": "other"})
