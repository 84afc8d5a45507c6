// Check a receipt in the browser alone: no request leaves this page once it is loaded.
//
// In      the text of a receipt, the public keys that somebody trusts
// Out     what was decided, and who vouches for it; or the first thing that does not hold
// Spec    the numbers of tools/verify_receipt.py, which a test holds this file against; RFC 9162
//
// What is not exactly right is refused; where the browser cannot check a signature, nothing holds.
"use strict";

(() => {
  const { Fault, need, isObject, parse, isSame } = assayJson;
  const SHOWN = {
    "prompt.built": ["prompt_redacted"],
    "output.judged": ["findings", "spans"],
    "call.settled": ["result"],
    "review.decided": ["result"],
  };
  const PICKED = {
    "run.started": "kind pack pack_version pack_digest",
    "call.opened": "contract contract_digest pack_version input_digest model model_digest",
    "prompt.built": "attempt template prompt_sha256 model model_params shown redaction",
    "model.answered": "raw_sha256 finish_reason generation_status provider_model identity",
    "call.settled": "outcome reason attempts decision_digest result_digest",
    "review.decided": "review decision reviewer output_sha256",
    "review.reopened": "review reviewer",
    "review.withdrawn": "review by",
  };
  const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const SIGNATURE = new RegExp(`^\\u2014 ([^${SPACE}+]+) ([^${SPACE}]+)$`, "u");
  const HEX = /^[0-9a-f]{64}$/;

  function get(value, name) {
    if (!isObject(value) || !(name in value)) throw new Fault("malformed");
    return value[name];
  }

  function getOrNull(value, name) {
    if (!isObject(value)) throw new Fault("malformed");
    return name in value ? value[name] : null;
  }

  function requireFields(value, names, what) {
    const wanted = names.split(" ");
    const fits = isObject(value) && Object.keys(value).length === wanted.length
      && wanted.every((name) => name in value);
    need(fits, "fields", { what });
    return value;
  }

  // What a list holds; an object or a text in its place is gone through as a checker elsewhere does.
  function items(value) {
    if (Array.isArray(value)) return value;
    if (typeof value === "string") return [...value];
    if (isObject(value)) return Object.keys(value);
    throw new Fault("malformed");
  }

  // --- bytes ------------------------------------------------------------------------------------

  function encode(text) {
    if (typeof text !== "string" || /\p{Surrogate}/u.test(text)) throw new Fault("malformed");
    return new TextEncoder().encode(text);
  }

  function join(...parts) {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) { whole.set(part, at); at += part.length; }
    return whole;
  }

  const isEqual = (one, other) =>
    one.length === other.length && one.every((byte, at) => byte === other[at]);
  const toHex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const hash = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const digest = async (bytes) => `sha256:${toHex(await hash(bytes))}`;

  function unhex(text, key, places) {
    need(typeof text === "string" && HEX.test(text), key, places);
    return Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
  }

  function unbase(text) {
    let plain;
    try { plain = atob(text); } catch { return null; }
    return btoa(plain) === text ? Uint8Array.from(plain, (sign) => sign.charCodeAt(0)) : null;
  }

  const idOf = async (name, key) =>
    (await hash(join(encode(name), Uint8Array.of(10, 1), key))).slice(0, 4);

  // --- keys and signatures ----------------------------------------------------------------------

  // The first test of RFC 8032: whoever cannot say that it holds, and that another does not, cannot
  // be asked about signatures.
  async function canVerify() {
    const key = unhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    const signature = join(
      unhex("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"),
      unhex("5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"));
    try {
      const made = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
      const ask = (bytes) => crypto.subtle.verify({ name: "Ed25519" }, made, signature, bytes);
      return (await ask(new Uint8Array())) === true && (await ask(Uint8Array.of(1))) === false;
    } catch {
      return false;
    }
  }

  async function isSignedBy(key, signature, message) {
    try {
      const made = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
      return (await crypto.subtle.verify({ name: "Ed25519" }, made, signature, message)) === true;
    } catch {
      return false;
    }
  }

  // The trusted keys of a file: PEM blocks, else lines NAME+ID+KEY. `name` null stands for any.
  async function readKeys(text) {
    const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^]*?-----END PUBLIC KEY-----/g) || [];
    const before = "302a300506032b6570032100";
    const keys = [];
    for (const block of blocks) {
      const data = unbase(block.replace(/-----[A-Z ]+-----/g, "").replace(/\s+/g, ""));
      need(data && data.length === 44 && toHex(data.slice(0, 12)) === before, "key");
      keys.push({ name: null, key: data.slice(12) });
    }
    const lines = blocks.length ? [] : text.split(new RegExp(`[${SPACE}]+`)).filter(Boolean);
    for (const line of lines) {
      const [name, id, ...rest] = line.split("+");
      const data = unbase(rest.join("+"));
      need(data && data.length === 33 && data[0] === 1, "key");
      const key = data.slice(1);
      need(toHex(await idOf(name, key)) === id, "key");
      keys.push({ name, key });
    }
    return keys;
  }

  // --- 2 to 6 -----------------------------------------------------------------------------------

  // 2: origin, size and root of the head, and who vouches for it.
  async function readCheckpoint(note, keys) {
    need(typeof note === "string", "checkpoint");
    const gap = note.lastIndexOf("\n\n");
    const body = note.slice(0, Math.max(gap, 0));
    const tail = note.slice(gap + 2);
    const lines = body.split("\n");
    need(gap >= 0 && lines.length === 3 && lines.every(Boolean), "checkpoint");
    need(/^(0|[1-9][0-9]{0,18})$/.test(lines[1]), "checkpoint");
    const root = unbase(lines[2]);
    need(root, "checkpoint");
    need(tail, "unsigned");
    need(root.length === 32 && tail.endsWith("\n"), "checkpoint");
    const message = encode(`${body}\n`);
    const signedBy = [];
    for (const line of tail.slice(0, -1).split("\n")) {
      const found = SIGNATURE.exec(line);
      need(found, "checkpoint");
      const data = unbase(found[2]);
      need(data, "checkpoint");
      for (const { name, key } of keys) {
        if (name !== null && name !== found[1]) continue;
        if (!isEqual(data.slice(0, 4), await idOf(found[1], key))) continue;
        need(await isSignedBy(key, data.slice(4), message), "signature");
        signedBy.push(found[1]);
      }
    }
    need(signedBy.length, "stranger");
    return { origin: lines[0], size: BigInt(lines[1]), root, signedBy };
  }

  // 3: the body of an event that stands in the log where it says.
  async function checkPlace(entry, head, what) {
    const { body, index, proof } = entry;
    need(typeof body === "string" && typeof index === "bigint" && Array.isArray(proof),
      "entry", { what });
    need(index >= 0n && index < head.size, "outside", { what });
    let at = index;
    let last = head.size - 1n;
    let value = await hash(join(Uint8Array.of(0), encode(body)));
    for (const part of proof) {
      const sibling = unhex(part, "proof", { what });
      need(last !== 0n, "proof_long", { what });
      if (at & 1n || at === last) {
        value = await hash(join(Uint8Array.of(1), sibling, value));
        while (!(at & 1n) && at) { at >>= 1n; last >>= 1n; }
      } else {
        value = await hash(join(Uint8Array.of(1), value, sibling));
      }
      at >>= 1n;
      last >>= 1n;
    }
    need(last === 0n && isEqual(value, head.root), "not_there", { what });
    return parse(body, what);
  }

  // 5: the content of a payload, and null; or null and the erasure that vouches.
  async function checkPayload(name, opened, said, index, erasures, what) {
    if (isObject(opened) && "erased_by" in opened) {
      const at = requireFields(opened, "erased_by", what).erased_by;
      need(typeof at === "bigint" && at >= 0n && at < erasures.length, "no_erasure", { what });
      const [told, place] = erasures[Number(at)];
      const facts = get(told, "facts");
      let vouches = false;
      if (get(told, "kind") === "subject.erased") {
        const subject = get(told, "subject");
        vouches = subject !== null && subject === get(said, "subject");
      } else if (told.kind === "payloads.expired") {
        vouches = items(get(facts, "kinds")).includes(said.kind) && get(said, "at") < get(facts, "before");
      }
      need(vouches && place > index, "gone", { what });
      return [null, at];
    }
    requireFields(opened, "salt content", what);
    const salt = unhex(opened.salt, "salt", { what });
    const written = await digest(join(Uint8Array.of(0, 32), salt, encode(opened.content)));
    need(written === said.payloads[name], "other_content", { what });
    return [opened.content, null];
  }

  // 6: what bodies and contents come to.
  function derive(told) {
    const says = Object.assign(Object.create(null), { run: null, attempts: [], settled: null, review: null });
    for (const [body, held] of told) {
      const kind = get(body, "kind");
      const facts = get(body, "facts");
      const picked = Object.create(null);
      for (const name of (Object.hasOwn(PICKED, kind) ? PICKED[kind] : "").split(" ").filter(Boolean)) {
        picked[name] = getOrNull(facts, name);
      }
      const read = (name) => {
        const content = name in held ? held[name] : null;
        return content === null ? null : parse(content, ["payload_any"]);
      };
      const texts = { findings: read("findings"), spans: read("spans"), result: read("result") };
      const latest = says.attempts[says.attempts.length - 1];
      if (kind === "run.started") {
        says.run = picked;
      } else if (kind === "call.opened") {
        Object.assign(says, picked, { call: get(body, "call"), opened_at: get(body, "at") });
      } else if (kind === "prompt.built") {
        const redacted = "prompt_redacted" in held ? held.prompt_redacted : null;
        says.attempts.push(Object.assign(picked, { prompt_redacted: redacted }));
      } else if (kind === "model.answered" && latest) {
        latest.answer = picked;
      } else if (kind === "output.judged" && latest) {
        latest.judged = {
          verdict: getOrNull(facts, "verdict"),
          codes: getOrNull(facts, "findings"),
          findings: texts.findings,
          spans: texts.spans,
        };
      } else if (["call.settled", "review.decided", "review.reopened", "review.withdrawn"].includes(kind)) {
        says[kind === "call.settled" ? "settled" : "review"] =
          Object.assign(picked, { result: texts.result, at: get(body, "at") });
      }
    }
    return says;
  }

  // 7 needs the texts, which are not given here: how many spans nobody held against them.
  function countSpans(says) {
    for (const attempt of says.attempts) {
      for (const view of attempt.shown ? items(attempt.shown) : []) {
        get(view, "source");
        get(view, "digest");
      }
    }
    const waiting = says.attempts.map((attempt) => (attempt.judged || {}).spans);
    waiting.push((says.settled || {}).result, (says.review || {}).result);
    let count = 0;
    while (waiting.length) {
      const value = waiting.pop();
      if (isObject(value)) {
        count += ["source", "start", "stop", "digest"].every((name) => name in value) ? 1 : 0;
        waiting.push(...Object.values(value));
      } else if (Array.isArray(value)) {
        waiting.push(...value);
      }
    }
    return count;
  }

  // All of it; rejects with the first thing that does not hold.
  async function check(text, keys) {
    const receipt = parse(text, ["receipt"]);
    requireFields(receipt, "format says run events erasures checkpoint", ["receipt"]);
    need(receipt.format === "assay-receipt/1", "format");
    const head = await readCheckpoint(receipt.checkpoint, keys);
    const place = "body index proof";
    const erasures = [];
    for (const entry of items(receipt.erasures)) {
      const what = ["erasure"];
      erasures.push([await checkPlace(requireFields(entry, place, what), head, what), entry.index]);
    }
    const run = await checkPlace(requireFields(receipt.run, place, ["run"]), head, ["run"]);
    need(get(run, "kind") === "run.started" && get(run, "n") === 0n, "run_begin");
    const told = [[run, {}]];
    const used = new Set();
    const numbers = new Map();
    let last = receipt.run.index;
    let number = 0;
    for (const entry of items(receipt.events)) {
      const what = ["event", number];
      number += 1;
      const said = await checkPlace(requireFields(entry, `${place} payloads`, what), head, what);
      const before = numbers.has(get(said, "run")) ? numbers.get(said.run) : 0n;
      need(entry.index > last && get(said, "n") > before, "misplaced", { what });
      last = entry.index;
      numbers.set(said.run, said.n);
      if (!isObject(get(said, "payloads"))) throw new Fault("malformed");
      const shown = Object.hasOwn(SHOWN, get(said, "kind")) ? SHOWN[said.kind] : [];
      const wanted = shown.filter((name) => name in said.payloads);
      const names = items(entry.payloads);
      need(names.length === wanted.length && wanted.every((name) => names.includes(name)),
        "payloads", { what });
      if (!isObject(entry.payloads)) throw new Fault("malformed");
      const held = Object.create(null);
      for (const name of names) {
        const label = ["payload", name, number - 1];
        const [content, by] = await checkPayload(
          name, entry.payloads[name], said, last, erasures, label);
        held[name] = content;
        if (by !== null) used.add(by);
      }
      told.push([said, held]);
    }
    const kinds = told.slice(1).map(([said]) => said.kind);
    const count = (kind) => kinds.filter((each) => each === kind).length;
    need(kinds[0] === "call.opened" && count("call.opened") === 1, "opening");
    need(count("call.settled") === 1, "settling");
    const settled = kinds.indexOf("call.settled");
    const runs = new Set(told.slice(0, settled + 2).map(([said]) => get(said, "run")));
    need(runs.size === 1, "other_run");
    const events = get(get(told[1 + settled][0], "facts"), "events_before");
    need(events >= 1n && events <= BigInt(settled), "left_out");
    need(used.size === erasures.length, "unneeded");
    const says = derive(told);
    need(says.call !== null && told.slice(1).every(([said]) => get(said, "call") === says.call), "mixed");
    need(says.settled.outcome !== "needs_review" || kinds.includes("review.opened"), "review");
    need(isSame(says, receipt.says), "says");
    const spans = countSpans(says);
    const outcome = (says.review || {}).decision || says.settled.outcome;
    return { origin: head.origin, size: head.size, signedBy: head.signedBy, says, outcome, spans };
  }

  // The verdict on a receipt, for this page and for whoever tests it.
  async function judge(text, keyText) {
    try {
      need(globalThis.crypto && crypto.subtle && (await canVerify()), "no_ed25519");
      const keys = await readKeys(keyText);
      need(keys.length, "no_key");
      return { holds: true, found: await check(text, keys) };
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault("malformed");
      return { holds: false, key: fault.key, places: fault.places };
    }
  }

  globalThis.assayReceipt = { judge };
})();
