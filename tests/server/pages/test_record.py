"""The page of the record, and the check of a receipt in the browser alone."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from assay.record.checkpoint import Signer
from assay.record.keys import key_files
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script
from tests.server.pages.browser import Looking, sign_in
from tests.server.serving import run_aside, serving
from tests.tools.test_verify_receipt import NAMES, PUBLIC, SECRET, TOOL, changed, changes, written

HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>\u202e\u001b[31m" + "ä" * 400


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service with a signing key, two settled calls and a checkpoint."""
    place = tmp_path_factory.mktemp("record")
    (place / "signing.pem").write_bytes(SECRET)
    signing = str(place / "signing.pem")
    model = script(place, GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL)
    with serving(place, model, ASSAY_SIGNING_KEY=signing) as found:
        inputs = [
            {"name": "a.txt", "text": "There is water in the cellar."},
            {"name": HOSTILE[:200], "text": "A fire. " + HOSTILE},
        ]
        body = {"pack": "tiny", "inputs": inputs}
        assert 200 == found.as_role().post("/v1/runs", json=body).status_code
        assert 200 == found.as_role().post("/v1/audit/checkpoints").status_code
        yield found


@pytest.fixture(scope="module")
def receipts(tmp_path_factory):
    made = {}
    for name, replies, how in (
        ("accepted", [GOOD], {}),
        ("reviewed", [UNKNOWN_LABEL, UNKNOWN_LABEL], {"review": True}),
        ("erased", [GOOD], {"erase": True}),
        ("withdrawn", [UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD], {"again": True}),
    ):
        made[name] = run_aside(written(tmp_path_factory.mktemp(name), *replies, **how))
    return made


@pytest.fixture(scope="module")
def checking(browser, service):
    """The page that checks; what it asked for after it was loaded is counted."""
    with Looking(browser, service) as looking:
        looking.open("/record/receipt").wait_for_load_state("networkidle")
        asked: list[str] = []
        looking.page.on("request", lambda request: asked.append(request.url))
        yield looking.page
        assert [] == [url for url in asked if not url.endswith("/mark.svg")]  # the tab's picture


JUDGE = """async ([texts, keys]) => {
  const said = [];
  for (const text of texts) {
    const {holds, key, places} = await assayReceipt.judge(text, keys);
    said.push({holds, key, places});
  }
  return said;
}"""


def tool_fault(text: str, keys: list[Any]) -> str | None:
    """What the stranger's script says."""
    try:
        TOOL.check(text, keys, {})
    except TOOL.Fault as found:
        return str(found)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return "the receipt is malformed"
    return None


def page_faults(page: Any, texts: list[str], keys: str = PUBLIC.decode()) -> list[str | None]:
    """What the page says, in its own words."""
    sentences = page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('#receipt-words [data-key]')]"
        ".map(each => [each.dataset.key, each.textContent]))"
    )

    def say(key: str, places: dict[str, Any]) -> str:
        filled = {
            name: say(
                f"what.{value[0]}",
                {"name": value[1], "number": value[-1]} if len(value) > 1 else {},
            )
            if isinstance(value, list)
            else value
            for name, value in places.items()
        }
        return sentences[key].format(**filled)

    return [
        None if each["holds"] else say(f"fault.{each['key']}", each["places"] or {})
        for each in page.evaluate(JUDGE, [texts, keys])
    ]


def agree(said: str | None, told: str | None) -> bool:
    """Whether two faults are one; the script names an entry where the page says what it is not."""
    return said == told or (told is not None and said == f"{told} is no entry of a log")


@pytest.fixture(scope="module")
def trusted(tmp_path_factory):
    file = tmp_path_factory.mktemp("key") / "k.pub"
    file.write_bytes(PUBLIC)
    return TOOL.read_keys([str(file)])


@pytest.mark.clause("009-V1")
@pytest.mark.parametrize("name", NAMES)
def test_the_browser_and_the_script_say_the_same_of_every_receipt(
    checking, receipts, trusted, name
):
    """True receipts hold; each field changed, deleted, doubled, swapped or added holds nowhere."""
    document = receipts[name]
    texts = [json.dumps(document), json.dumps(document, indent=1, ensure_ascii=False)]
    texts += [json.dumps(changed(document, path, new)) for path, new in changes(document) if path]
    said = page_faults(checking, texts)
    told = [tool_fault(text, trusted) for text in texts]

    assert [None, None] == said[:2]
    assert None not in said[2:]
    assert [] == [pair for pair in zip(said, told, strict=True) if not agree(*pair)]
    assert len(texts) > 300


@pytest.mark.clause("009-V1")
def test_they_agree_on_what_is_no_json_and_on_bytes_inside_strings(checking, receipts, trusted):
    """Cut anywhere, a byte flipped anywhere, names twice, NaN, numbers spelled otherwise."""
    text = json.dumps(receipts["reviewed"])
    odd = [text[:stop] for stop in range(0, len(text) - 1, 211)]
    for at in range(0, len(text), 53):
        for bit in (1, 4, 32):
            odd.append(text[:at] + chr(ord(text[at]) ^ bit) + text[at + 1 :])
    first = receipts["reviewed"]["events"][0]["index"]
    index = f'"index": {first}'
    assert index in text
    odd += [
        '{"format": "other", ' + text[1:],
        text.replace(index, f"{index}.0", 1),
        text.replace(index, f"{index}e0", 1),
        text.replace(index, f'"index": 0{first}', 1),
        text.replace(index, '"index": NaN', 1),
        text.replace(index, '"index": -Infinity', 1),
        text.replace(index, '"index": true', 1),
        text.replace(index, f'"index": {2**64 + first}', 1),
        text.replace(index, '"index": ' + "9" * 5_000, 1),
        text.replace('"erasures": []', '"erasures": {}', 1),
        text.replace('"erasures": []', '"erasures": ""', 1),
        text.replace('"erasures": []', '"erasures": null', 1),
        text.replace('"attempt": 1', '"attempt": 1.0', 1),
        text.replace('"attempt": 1', '"attempt": true', 1),
        text.replace('"format"', '"\\u0066ormat"', 1),
        text.replace('"format"', '"\\ud800ormat"', 1),
        text.replace("assay-receipt", "assay\\u002dreceipt", 1),
        "\ufeff" + text,
        " \n" + text + "\t\r\n",
        "\x0b" + text,
        text + "{}",
        "[" * 100_000,
        '{"a":' * 3_000,
        "null",
        "[]",
        '"text"',
        "",
        json.dumps(dict(receipts["reviewed"]), ensure_ascii=False).replace("\\n", "\n"),
    ]
    said = page_faults(checking, odd)
    told = [tool_fault(each, trusted) for each in odd]

    assert [] == [
        (text[:80], each, other)
        for text, each, other in zip(odd, said, told, strict=True)
        if not agree(each, other)
    ]
    assert said.count(None) == told.count(None) >= 3


@pytest.mark.clause("009-V1")
def test_they_agree_on_signatures(checking, receipts, trusted, tmp_path):
    """No key, another, another name, a forged line, none, one more line, odd white space."""
    document = receipts["accepted"]
    _, other = key_files(b"o" * 32)
    named = str(Signer(name="another.log", seed=b"k" * 32).verifier)
    origin = document["checkpoint"].split("\n")[0]
    right = str(Signer(name=origin, seed=b"k" * 32).verifier)
    body, _, line = document["checkpoint"].rpartition("\n\n")
    forged = line[:-8] + ("AAAA" if line[-8:-4] != "AAAA" else "BBBB") + line[-4:]
    notes = [
        f"{body}\n\n",
        f"{body}\n\n{forged}",
        f"{body}\n\n{line}{forged}",
        f"{body}\n\n{line}{line}",
        f"{body}\n\n{line[:-1]}",
        f"{body}\n\n\n{line}",
        f"{body}\n\n{line}".replace("\u2014", "-"),
        f"{body}\n\n{line}".replace(f"\u2014 {origin}", f"\u2014 {origin}\ufeff"),
        f"{body}\n\n{line}".replace(f"\u2014 {origin}", f"\u2014 {origin}\x85"),
        f"{body} \n\n{line}",
        f"{body}\nmore\n\n{line}",
        "",
        "\n\n",
    ]
    texts = [json.dumps(document), *(json.dumps(document | {"checkpoint": n}) for n in notes)]
    for keys in (PUBLIC.decode(), right, f"{right}\n{named}", named, other.decode()):
        (tmp_path / "k").write_text(keys)
        told = [tool_fault(text, TOOL.read_keys([str(tmp_path / "k")])) for text in texts]
        assert told == page_faults(checking, texts, keys), keys
    for keys in (
        "",
        "   ",
        "no key",
        f"{right}x",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
    ):
        assert None not in page_faults(checking, texts[:1], keys)


@pytest.mark.clause("009-V1")
def test_a_browser_that_cannot_check_signatures_accepts_nothing(checking, receipts):
    """Also where it says yes to everything."""
    text = json.dumps(receipts["accepted"])
    said = checking.evaluate(
        """async ([text, keys]) => {
          const {importKey, verify} = crypto.subtle;
          const said = [];
          crypto.subtle.importKey = async () => { throw new Error('no'); };
          said.push(await assayReceipt.judge(text, keys));
          crypto.subtle.importKey = importKey;
          crypto.subtle.verify = async () => true;
          said.push(await assayReceipt.judge(text, keys));
          crypto.subtle.verify = verify;
          said.push(await assayReceipt.judge(text, keys));
          return said.map(each => [each.holds, each.key]);
        }""",
        [text, PUBLIC.decode()],
    )

    assert [[False, "no_ed25519"], [False, "no_ed25519"]] == said[:2]
    assert said[2][0] is True


@pytest.mark.clause("009-V1")
def test_a_receipt_is_explained_in_five_lines(browser, service, tmp_path):
    """Saved by the beginning of a call's id, chosen here, explained; edited, the fault is named."""
    with Looking(browser, service, "reviewer") as looking:
        page = looking.open("/record")
        call = service.as_role().get("/v1/calls?outcome=accepted").json()["calls"][0]["id"]
        page.get_by_label("Call, or the beginning of its id").fill(call[:8])
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save the receipt").click()
        file = tmp_path / "receipt.json"
        saved.value.save_as(file)
        page.get_by_role("link", name="Check a receipt").click()
        page.get_by_label("Receipt", exact=True).set_input_files(file)
        page.wait_for_selector("#receipt-verdict[data-done]")
        held = page.locator("#receipt-verdict").inner_text()
        lines = page.locator("#receipt-lines dd").all_inner_texts()
        looking.require_fit()
        page.locator("#receipt-result summary").click()
        looking.keep_shots("record-receipt")
        document = json.loads(file.read_text())
        document["says"]["settled"]["outcome"] = HOSTILE
        file.write_text(json.dumps(document))
        page.get_by_label("Receipt", exact=True).set_input_files(file)
        page.wait_for_selector("#receipt-verdict.rejected")
        broken = page.locator("#receipt-verdict").inner_text()
        looking.keep_shots("record-receipt-broken")

    assert "The receipt holds." == held
    assert 5 == len(lines)
    assert lines[0] == f"accepted, in call {call}"
    assert "tiny/triage" in lines[1]
    assert "not in the receipt (1)" in lines[4]
    assert "The receipt does not hold: what it says is not what its events say" == broken


@pytest.mark.clause("009-V2")
def test_the_record_is_verified_from_its_page(browser, service):
    """Without a head nobody vouches; with one that was kept elsewhere it holds; both in words."""
    with Looking(browser, service, "viewer", person="Ann Auditor") as looking:
        page = looking.open("/record")
        assert "Nobody has had the record verified" in page.inner_text("main")
        page.get_by_role("button", name="Verify now").click()
        page.wait_for_selector("text=nobody vouches for it")
        page.get_by_role("link", name="Checkpoint 1").click()
        note = page.inner_text("body")
        page.go_back()
        page.get_by_text("Hold it against a head").click()
        page.get_by_label("A checkpoint, or the file").fill(note)
        page.get_by_role("button", name="Verify now").click()
        page.wait_for_selector("text=The record holds")
        said = page.inner_text("main")
        looking.require_fit()
        looking.keep_shots("record")

    assert "Verified for Ann Auditor" in said
    assert "they are for who may see texts" in said


@pytest.mark.clause("009-V2")
def test_a_broken_record_is_said_to_be_broken(tmp_path, browser):
    """With the first event that does not hold, in German too."""
    from sqlalchemy import create_engine, text

    with serving(tmp_path, script(tmp_path, GOOD)) as service:
        body = {"pack": "tiny", "inputs": [{"name": "a", "text": "There is water in the cellar."}]}
        assert 200 == service.as_role().post("/v1/runs", json=body).status_code
        engine = create_engine(service.store)
        with engine.begin() as connection:
            seq = connection.execute(
                text("SELECT seq FROM events WHERE kind = 'call.opened'")
            ).scalar_one()
            connection.execute(
                text("UPDATE events SET body = replace(body, 'tiny', 'tony') WHERE seq = :seq"),
                {"seq": seq},
            )
        engine.dispose()
        with Looking(browser, service, language="de") as looking:
            page = looking.open("/record")
            page.get_by_role("button", name="Jetzt prüfen").click()
            page.wait_for_selector("text=Das Protokoll ist beschädigt")
            said = page.inner_text("main")
            looking.require_fit()
            looking.keep_shots("record-broken-de")

    assert f"Als erstes stimmt Ereignis {seq} nicht" in said


@pytest.mark.clause("009-V2")
def test_who_may_not_see_texts_gets_no_receipt_and_a_form_of_elsewhere_verifies_nothing(service):
    """Roles are held to on pages too; an unknown call, none, an unknown checkpoint say so."""
    html = {"accept": "text/html"}
    call = service.as_role().get("/v1/calls").json()["calls"][0]["id"]
    with httpx.Client(base_url=service.address, headers=html) as client:
        client.cookies.set("assay_session", sign_in(service.store, "Ann", "viewer"))
        closed = client.get(f"/record/receipts?call={call}")
        forged = client.post("/record/verifications")
        unknown = client.get("/record/checkpoints/999999")
        client.cookies.set("assay_session", sign_in(service.store, "Rob", "reviewer"))
        nothing = client.get("/record/receipts?call=ffffffffffff")
        none = client.get("/record/receipts?call=")

    assert [403, 403, 404] == [each.status_code for each in (closed, forged, unknown)]
    assert [404, 422] == [nothing.status_code, none.status_code]
    assert all("text/html" in each.headers["content-type"] for each in (closed, nothing, none))
