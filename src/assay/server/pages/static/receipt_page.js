// The page around the check of a receipt: takes files, says the verdict in the page's words.
"use strict";

(() => {
  const MOST_BYTES = 100_000_000;
  const words = new Map(
    [...document.querySelectorAll("#receipt-words [data-key]")].map((each) => [each.dataset.key, each.textContent]));
  const byId = (id) => document.getElementById(id);
  let held = null;

  function say(key, places = {}) {
    return words.get(key).replace(/\{(\w+)\}/g, (_, name) => {
      const value = places[name];
      return Array.isArray(value) ? say(`what.${value[0]}`, { name: value[1], number: value[value.length - 1] }) : String(value);
    });
  }

  function show(holds, sentence) {
    const box = byId("receipt-verdict");
    box.className = `notice ${holds === null ? "" : holds ? "accepted" : "rejected"}`;
    box.textContent = sentence;
    box.hidden = false;
    byId("receipt-lines").hidden = holds !== true;
    byId("receipt-result").hidden = true;
  }

  function explain({ says, outcome, origin, size, signedBy, spans }) {
    const run = says.run;
    const reason = says.settled.reason === null ? "" : ` (${says.settled.reason})`;
    const person = says.review && says.review.reviewer;
    const lines = {
      decided: say(person ? "line.decided_by" : "line.decided", {
        outcome: words.get(`outcome.${outcome}`) || outcome, reason, call: says.call, person }),
      by: say("line.by", { contract: says.contract, version: says.pack_version || run.pack_version,
        digest: String(says.contract_digest), model: says.model }),
      when: say("line.when", { opened: says.opened_at, settled: says.settled.at }),
      signed: say("line.signed", { names: [...new Set(signedBy)].join(", "), origin, size }),
      unchecked: say("line.unchecked", { spans }),
    };
    for (const [name, line] of Object.entries(lines)) byId(`receipt-${name}`).textContent = line;
    const result = (says.review && says.review.result) || says.settled.result;
    byId("receipt-result").hidden = result === null;
    byId("receipt-result-text").textContent = result === null ? "" : assayJson.writeJson(result);
  }

  async function checkHeld() {
    if (held === null) return;
    show(null, say("checking"));
    const verdict = await assayReceipt.judge(held, byId("receipt-key").value);
    if (verdict.holds) {
      show(true, say("holds"));
      explain(verdict.found);
    } else {
      show(false, `${say("holds_not")} ${say(`fault.${verdict.key}`, verdict.places)}`);
    }
    byId("receipt-verdict").dataset.done = "yes";
  }

  async function readText(file) {
    if (file.size > MOST_BYTES) return "";
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
    } catch {
      return "";
    }
  }

  async function take(file) {
    held = await readText(file);
    byId("receipt-name").textContent = file.name;
    await checkHeld();
  }

  const drop = byId("receipt-drop");
  const chosen = byId("receipt-file");
  const takeChosen = async () => {
    if (!chosen.files[0]) return;
    await take(chosen.files[0]);
    chosen.value = ""; // so that the same file, edited, can be chosen again
  };
  chosen.addEventListener("change", takeChosen);
  byId("receipt-key-file").addEventListener("change", async (event) => {
    if (!event.target.files[0]) return;
    byId("receipt-key").value = await readText(event.target.files[0]);
    await checkHeld();
  });
  byId("receipt-key").addEventListener("change", checkHeld);
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => event.preventDefault());
  }
  drop.addEventListener("dragover", () => drop.classList.add("over"));
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    drop.classList.remove("over");
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
  drop.hidden = false;
  takeChosen();
})();
