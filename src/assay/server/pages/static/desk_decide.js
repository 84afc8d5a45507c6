// Decisions of the review desk: each waits for ten seconds, is sent once, and stays on the page
// where it could not be sent. One key of its own makes sending it again harmless.
"use strict";
(() => {
  const desk = (window.assayDesk = window.assayDesk || {});
  const UNDO_MS = 10_000;
  const MOST_KEPT_BYTES = 60_000;
  const WAIT_MS = 30_000;
  let pending = null; // not sent yet
  let unsent = []; // could not be sent

  desk.ask = async (path, body, { keepalive = false, key } = {}) => {
    const headers = { "x-assay-form-token": document.querySelector('meta[name="form-token"]').content };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (key) headers["idempotency-key"] = key;
    const response = await fetch(path, { method: "POST", headers, keepalive, signal: AbortSignal.timeout(WAIT_MS),
      body: body === undefined ? undefined : JSON.stringify(body) });
    const said = await response.json().catch(() => ({}));
    if (!response.ok) {
      throw Object.assign(new Error(said.error ? said.error.message : String(response.status)), { status: response.status, code: said.error?.code });
    }
    return said;
  };

  // Why a request failed; one without an answer in words of ours.
  desk.tellWhy = (error, words) => (error.status === undefined ? words.no_connection : desk.seen(error.message));

  // One message of each kind, beside the others; an alarm stays until somebody acts.
  desk.tell = (kind, parts, buttons = [], alarm = false) => {
    const box = document.getElementById("toasts") || desk.make("div", { className: "toasts", id: "toasts" });
    desk.untell(kind);
    const toast = desk.make("div", { className: "toast" }, ...[parts].flat());
    toast.dataset.kind = kind;
    toast.setAttribute("role", alarm ? "alert" : "status");
    for (const [word, act] of buttons) {
      const button = desk.make("button", { type: "button" }, word);
      button.addEventListener("click", () => { toast.remove(); act(); });
      toast.append(" ", button);
    }
    if (!buttons.length && !alarm) setTimeout(() => toast.remove(), 5_000);
    if (!box.isConnected) document.body.append(box);
    box.append(toast);
  };
  desk.untell = (kind) => { for (const old of document.querySelectorAll(".toast")) if (old.dataset.kind === kind) old.remove(); };

  const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const bytesOf = (body) => new TextEncoder().encode(JSON.stringify(body)).length;
  const titled = (decision) => desk.make("bdi", {}, decision.title.slice(0, 80));
  const path = (decision) => `/v1/reviews/${decision.review}/decision`;

  function takePending() {
    const decision = pending;
    pending = null;
    if (decision) { clearTimeout(decision.timer); desk.untell("pending"); }
    return decision;
  }

  function keepDraft(decision) {
    if (decision.typed !== null) sessionStorage.setItem(`assay-draft-${decision.review}`, decision.typed);
  }

  async function send(decision) {
    const words = decision.words;
    desk.untell(`unsent-${decision.review}`);
    unsent = unsent.filter((each) => each !== decision);
    try {
      const said = await desk.ask(path(decision), decision.body, { keepalive: decision.small, key: decision.key });
      if (said.review.status === "open") {
        throw Object.assign(new Error(said.verdict.findings.map((found) => found.code).join(", ")), { status: 200 });
      }
      sessionStorage.removeItem(`assay-draft-${decision.review}`);
      desk.tell("sent", [`${words.sent} `, titled(decision)]);
      return true;
    } catch (error) {
      // What was refused would be refused again. What may have been taken all the same is asked after
      // under its own key: then the answer is what was recorded.
      if (error.status < 500 && error.code !== "idempotency.conflict") decision.key = newKey();
      keepDraft(decision);
      unsent.push(decision);
      desk.tell(`unsent-${decision.review}`, [`${words.failed} `, titled(decision), `. ${desk.tellWhy(error, words)} ${words.keep}`],
        [[words.again, () => send(decision)], [words.open, () => { drop(decision.review); decision.open(); }]], true);
      return false;
    }
  }

  function drop(review) {
    unsent = unsent.filter((each) => each.review !== review);
    desk.untell(`unsent-${review}`);
  }

  // Whether a review was decided here and the service does not know it yet.
  desk.waits = (review) => pending?.review === review;

  // Send what waits: after ten seconds, when the user goes on.
  desk.flush = async () => {
    const decision = takePending();
    if (decision) await send(decision);
  };

  // Decide, and go on by `next`, which says whether another page is shown. `back` shows it again.
  // Returns false where nothing was decided.
  desk.decide = async (given, { next, back }) => {
    const decision = { ...given, key: newKey(), open: back, small: bytesOf(given.body) <= MOST_KEPT_BYTES };
    const before = takePending();
    drop(decision.review);
    if (decision.small) {
      pending = decision;
      decision.timer = setTimeout(desk.flush, UNDO_MS);
    }
    if (before) await send(before);
    if (!decision.small && !(await send(decision))) return false;
    await next();
    if (decision.small && pending === decision) {
      const words = decision.words;
      desk.tell("pending", [`${decision.body.accept ? words.pending_accept : words.pending_reject}: `, titled(decision)],
        [[words.undo, () => undo(decision)]]);
    }
    return true;
  };

  async function undo(decision) {
    if (pending !== decision) {
      desk.tell("said", decision.words.too_late, [[decision.words.open, decision.open]]);
      return;
    }
    takePending();
    keepDraft(decision);
    if (await decision.open()) sessionStorage.removeItem(`assay-draft-${decision.review}`);
    desk.tell("said", decision.words.undone);
  }

  addEventListener("online", () => { for (const decision of unsent) send(decision); });
  addEventListener("beforeunload", (event) => { if (unsent.length) event.preventDefault(); });
  addEventListener("pagehide", () => {
    let room = MOST_KEPT_BYTES; // of all that is sent while a page goes
    for (const decision of [takePending(), ...unsent]) {
      if (!decision) continue;
      room -= bytesOf(decision.body);
      desk.ask(path(decision), decision.body, { keepalive: room >= 0, key: decision.key }).catch(() => {});
    }
  });
})();
