// The review desk: keys, live judging, going from one review to the next.
"use strict";
(() => {
  const desk = (window.assayDesk = window.assayDesk || {});
  const CHECK_MS = 300;
  const KEEP_MS = 240_000;
  const SETTLE_MS = 400; // so long a page stands before it can be decided on
  const $ = (id) => document.getElementById(id);
  const make = (...given) => desk.make(...given);
  const ask = (...given) => desk.ask(...given);
  let item = null; // what the open page works with
  let turning = false; // another page is on its way
  let lastKey = "";

  // --- one item -----------------------------------------------------------------------------

  function start(settle = 0) {
    document.documentElement.classList.add("scripted");
    const root = $("desk");
    item = null;
    hidePending();
    if (!root) return;
    const data = root.dataset;
    item = { review: data.review, query: data.query, words: JSON.parse(data.words), findings: JSON.parse(data.findings), details: JSON.parse(data.details),
      decides: data.decides === "1", lacksTexts: data.lacksTexts === "1", given: data.given === "1", changed: false, asked: 0, original: null, acted: false };
    for (const text of document.querySelectorAll(".desk-text")) text.addEventListener("click", openField);
    if (!item.decides) return;
    setTimeout(() => { root.dataset.ready = "1"; }, settle);
    startForm(data.form);
    $("decide").addEventListener("submit", submit);
    $("person").addEventListener("keydown", (event) => { if (event.key === "Enter") handOn(); });
    hold();
  }

  // A key or a button acts on a review that was shown, once.
  const mayAct = () => Boolean(item && item.decides && !item.acted && !turning && $("desk")?.dataset.ready);

  // What is decided here and not sent yet waits no more.
  function hidePending() {
    for (const row of document.querySelectorAll(".desk-rows li")) if (desk.waits(row.id.slice(4))) row.remove();
    const empty = $("queue-empty");
    if (empty) empty.hidden = document.querySelectorAll(".desk-rows li").length > 0;
  }

  function startForm(spec) {
    const output = $("output");
    if (!output) return;
    const draft = sessionStorage.getItem(`assay-draft-${item.review}`);
    if (draft !== null) { output.value = draft; item.changed = true; }
    output.addEventListener("input", () => { item.changed = true; checkSoon(); });
    $("original")?.addEventListener("change", readOriginal);
    if (spec) {
      item.form = new desk.Form($("output-form"), JSON.parse(spec), item.words, () => {
        output.value = item.form.text();
        item.changed = true;
        checkSoon();
      });
      item.start = output.value;
      const way = make("button", { type: "button", className: "quiet", id: "way" });
      way.addEventListener("click", () => showAs(!$("output-json").hidden ? "form" : "json"));
      $("output-form").before(way);
      showAs("form");
      document.querySelector(".quotes")?.remove();
      desk.offerQuotes(() => item && item.form ? item.form.lists : [], item.words, takeQuote);
    }
    if (!item.lacksTexts) check();
  }

  function showAs(view) {
    let shown = view;
    if (view === "form") {
      try {
        const value = JSON.parse($("output").value);
        if (!value || typeof value !== "object" || Array.isArray(value)) throw new Error("no object");
        item.form.show(value);
      } catch { shown = "json"; }
    }
    $("output-json").hidden = shown === "form";
    $("output-form").hidden = shown !== "form";
    $("way").textContent = shown === "form" ? item.words.as_json : item.words.as_form;
  }

  const formShown = () => Boolean(item.form) && !$("output-form").hidden;

  function takeQuote(list, text) {
    if (!formShown()) showAs("form");
    const now = item.form.lists.find((each) => each.path === list.path) || list;
    now.add(text).focus();
    getSelection().removeAllRanges();
  }

  async function readOriginal(event) {
    const file = event.target.files[0];
    if (!file) { item.original = null; return; }
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    item.original = btoa(text);
    check();
  }

  // --- what the gate says -------------------------------------------------------------------

  let soon = 0;
  function checkSoon() {
    clearTimeout(soon);
    soon = setTimeout(check, CHECK_MS);
  }

  async function check() {
    const mine = item;
    const number = ++mine.asked;
    clearTimeout(soon);
    let said;
    try {
      said = await ask(`/v1/reviews/${mine.review}/check`, { output: $("output").value, original_base64: mine.original });
    } catch (error) {
      if (item === mine && number === mine.asked) $("verdict").replaceChildren(
        make("p", { className: "state review" }, `${mine.words.unjudged} ${desk.tellWhy(error, mine.words)}`));
      return null;
    }
    if (item === mine && number === mine.asked) tellVerdict(said);
    return said;
  }

  function sentence(code, message) {
    const family = code.split(".")[0];
    return item.findings[code] || item.findings[`${family}.other`] || message;
  }

  function tellVerdict(said) {
    const passes = said.verdict === "accepted";
    const list = make("ul");
    for (const old of document.querySelectorAll("#output-form .said")) old.remove();
    for (const old of document.querySelectorAll("#output-form .bad")) old.classList.remove("bad");
    for (const found of said.findings.slice(0, 30)) {
      const words = sentence(found.code, found.message);
      const entry = make("li", {}, make("bdi", {}, desk.seen(words)), " ", make("code", {}, desk.seen(found.code)));
      const detail = item.details[found.message] ?? found.message;
      if (detail && detail !== words) entry.append(" ", make("bdi", { className: "muted", lang: detail === found.message ? "en" : document.documentElement.lang }, desk.seen(detail)));
      const field = formShown() && found.path ? item.form.find(found.path) : null;
      if (field) {
        const go = make("a", { href: "#output-form" }, make("bdi", {}, desk.seen(found.path)));
        go.addEventListener("click", (event) => { event.preventDefault(); focusField(found.path); });
        entry.append(" ", go);
        field.classList.add("bad");
        field.append(make("p", { className: "said" }, make("bdi", {}, desk.seen(words))));
      }
      list.append(entry);
    }
    const count = said.findings.filter((found) => found.severity !== "note").length;
    const state = make("p", { className: `state ${passes ? "accepted" : "rejected"}` },
      passes ? item.words.passes : item.words.fails.replace("{count}", count));
    $("verdict").replaceChildren(state, ...(said.findings.length ? [list] : []));
    for (const lost of document.querySelectorAll("#lost li")) {
      lost.hidden = !said.findings.some((found) => found.code === "evidence.not_found" && JSON.parse(lost.dataset.paths).includes(found.path));
    }
    if ($("lost")) $("lost").hidden = ![...document.querySelectorAll("#lost li")].some((each) => !each.hidden);
    if (item.form && item.changed) desk.draw(said.spans, about);
    else if (item.form) nameMarks(said.spans);
    for (const link of document.querySelectorAll("#lost a")) if (!$(link.hash.slice(1))) link.remove();
    item.spans = said.spans;
  }

  function about(path) {
    const list = item.form.lists.find((each) => path.startsWith(`${each.path}/`));
    return list && list.label ? list.label : { name: list ? list.name : "", colour: 0 };
  }

  // The marks that came with the page lead to fields of the form as well.
  function nameMarks(spans) {
    for (const link of document.querySelectorAll("a.ev[data-q]")) {
      const paths = link.dataset.q.trim().split(" ").map((number) => spans[number - 1]?.path).filter(Boolean);
      if (paths.length) link.dataset.paths = JSON.stringify(paths);
    }
    spans.forEach((span, index) => { const line = $(`e${index + 1}`); if (line) line.id = `e-${desk.fieldId(span.path)}`; });
  }

  function focusField(path) {
    const field = item.form.find(path);
    const control = field.matches("input, select, textarea") ? field : field.querySelector("input, select, textarea, button");
    if (control) { control.focus(); control.scrollIntoView({ block: "center" }); }
  }

  function openField(event) {
    const link = event.target.closest("a.ev[data-paths]");
    if (!link) return;
    if (!getSelection().isCollapsed) { event.preventDefault(); return; } // words were marked, not the link pressed
    if (!formShown()) return;
    event.preventDefault();
    focusField(JSON.parse(link.dataset.paths)[0]);
  }

  // A quote in focus shows its place.
  document.addEventListener("focusin", (event) => {
    for (const old of document.querySelectorAll(".ev.focus")) old.classList.remove("focus");
    if (!item || !item.form || !event.target.matches("input.quote")) return;
    const path = event.target.closest("[data-path]").dataset.path;
    const links = [...document.querySelectorAll("a.ev[data-paths]")].filter((link) => JSON.parse(link.dataset.paths).includes(path));
    for (const link of links) link.classList.add("focus");
    const fold = links[0]?.closest("details");
    if (fold) fold.open = true;
    links[0]?.scrollIntoView({ block: "center" });
  });

  // --- who works on it ----------------------------------------------------------------------

  async function hold() {
    const mine = item;
    try { await ask(`/v1/reviews/${mine.review}/take`); } catch (error) {
      if (item !== mine) return;
      if (error.status === 409) location.reload(); // somebody was faster: the page says who
      else fail(error);
      return;
    }
    clearInterval(desk.keeping);
    desk.keeping = setInterval(() => {
      if (item === mine && document.visibilityState === "visible") ask(`/v1/reviews/${mine.review}/take`).catch(() => {});
    }, KEEP_MS);
  }

  // Whoever leaves a review as it was leaves it to the others; what was handed to them stays theirs.
  function letGo(keepalive = false) {
    if (!item || !item.decides || item.changed || item.acted || item.given) return Promise.resolve();
    return ask(`/v1/reviews/${item.review}/release`, undefined, { keepalive }).catch(() => {});
  }

  addEventListener("pagehide", () => letGo(true));
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // --- deciding -----------------------------------------------------------------------------

  function reason() {
    const preset = $("preset");
    return $("reason").value.trim() || preset.options[preset.selectedIndex].text;
  }

  function submit(event) {
    event.preventDefault();
    const pressed = event.submitter ? event.submitter.id : "check";
    if (pressed !== "check" && !mayAct()) return;
    const acts = { accept: () => accept(true), stands: () => accept(false), reject: () => decide(false, null),
      hand_on: handOn, release: giveBack, take: hold };
    (acts[pressed] || (() => $("output") && check()))();
  }

  async function accept(changed) {
    const mine = item;
    const output = changed ? $("output").value : null;
    mine.acted = true;
    const said = changed ? await check() : { verdict: "accepted" };
    if (item !== mine) return;
    if (said && said.verdict === "accepted") decide(true, output);
    else { mine.acted = false; $("verdict").scrollIntoView({ block: "nearest" }); }
  }

  async function decide(accepted, output) {
    const mine = item;
    const from = location.href;
    mine.acted = true;
    const back = () => {
      if (item !== mine) return open(from);
      mine.acted = false; // the page never changed
      return true;
    };
    const done = await desk.decide({ review: mine.review, title: document.querySelector("h1").textContent, words: mine.words,
      typed: $("output") ? $("output").value : null,
      body: { accept: accepted, reason: reason(), output, original_base64: mine.original } },
    { next: () => goOn(mine.review), back });
    if (!done) mine.acted = false;
  }

  async function handOn() {
    const person = $("person").value.trim();
    if (!person) { $("hand").open = true; $("person").focus(); desk.tell("said", item.words.nobody); return; }
    if (!mayAct()) return;
    const from = item.review;
    const mine = item;
    mine.acted = true;
    try {
      await ask(`/v1/reviews/${from}/hand_on`, { person, reason: reason() });
      await goOn(from);
    } catch (error) { mine.acted = false; fail(error); }
  }

  async function giveBack() {
    item.acted = true;
    try { await ask(`/v1/reviews/${item.review}/release`); } catch { /* it ends by itself */ }
    open(`/reviews${item.query}`);
  }

  // --- going about --------------------------------------------------------------------------

  function goOn(review) {
    const query = item.query ? `${item.query}&` : "?";
    return open(`/reviews/next${query}after=${review}`);
  }

  // Another page in place of this one, so that a decision which waits is not lost in between.
  // Says whether it is shown; where it cannot be, this one stays.
  let turn = Promise.resolve(true); // one after the other
  const open = (address) => (turn = turn.catch(() => false).then(() => turnTo(address)));

  async function turnTo(address) {
    turning = true;
    const words = item?.words;
    let response, page;
    try {
      await letGo();
      response = await fetch(address, { headers: { accept: "text/html" } });
      page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!page.getElementById("main")) { // no page of ours: what stands here stays
        throw Object.assign(new Error(String(response.status)), { status: response.status });
      }
    } catch (error) {
      turning = false;
      if (words) desk.tell("page", `${words.no_page} ${desk.tellWhy(error, words)}`, [[words.again, () => open(address)]], true);
      return false;
    }
    const toasts = $("toasts");
    document.title = page.title;
    document.removeEventListener("selectionchange", desk.onSelection);
    document.body.className = page.body.className;
    document.body.replaceChildren(...page.body.childNodes);
    if (toasts) document.body.append(toasts);
    desk.untell("page");
    history.pushState(null, "", response.url);
    scrollTo(0, 0);
    turning = false;
    start(SETTLE_MS);
    $("main").focus();
    return true;
  }

  addEventListener("popstate", () => location.reload());

  async function leave(address) {
    await desk.flush();
    open(address);
  }

  function fail(error) {
    desk.tell("said", desk.tellWhy(error, item.words), [], true);
  }

  function neighbour(step) {
    const links = [...document.querySelectorAll(".desk-rows a")];
    const at = links.findIndex((link) => link.getAttribute("aria-current"));
    const found = at < 0 ? links[0] : links[at + step];
    if (found) { if (item) leave(found.href); else location.href = found.href; }
    else if (step > 0 && item && at < 0) goOn(item.review);
  }

  const KEYS = {
    j: () => neighbour(1),
    k: () => neighbour(-1),
    a: () => ($("stands") && !item?.changed ? $("stands") : $("accept"))?.click(),
    e: () => $("output-form")?.querySelector("input, select, textarea")?.focus() ?? $("output")?.focus(),
    r: () => $("reject")?.click(),
    h: () => { if ($("hand")) { $("hand").open = true; $("person").focus(); } },
    "/": () => { const box = document.querySelector(".desk-filters"); if (box) { box.open = true; box.querySelector("[type=search]").focus(); } },
    "?": () => $("keys")?.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input:not([type=checkbox]), textarea, select");
    if (event.key === "Escape") {
      if ($("quoter")) $("quoter").hidden = true;
      if (typing) event.target.blur();
      return;
    }
    if (event.repeat || turning || typing || event.ctrlKey || event.metaKey || event.altKey || $("keys")?.open) return;
    const before = lastKey;
    lastKey = event.key;
    if (before === "g" && event.key === "q") { event.preventDefault(); location.href = `/reviews${item ? item.query : ""}`; return; }
    const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    if (act) { event.preventDefault(); act(); }
  });

  start();
})();
