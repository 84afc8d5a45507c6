// JSON as it was written: no name twice, no NaN, whole numbers exact; and what is wrong with it.
//
// In      the text of a document
// Out     its value, whole numbers as BigInt, objects without a prototype; or a Fault
"use strict";

(() => {
  const DEEPEST = 900;

  // What does not hold: a key of the page's words, with what fills its places.
  class Fault extends Error {
    constructor(key, places = {}) {
      super(key);
      this.key = key;
      this.places = places;
    }
  }

  function need(holds, key, places) {
    if (!holds) throw new Fault(key, places);
  }

  const isObject = (value) =>
    value !== null && typeof value === "object" && !Array.isArray(value);

  // --- JSON: no name twice, no NaN, whole numbers exact (as BigInt) ----------------------------

  function parse(text, what) {
    if (typeof text !== "string") throw new Fault("malformed");
    const number = /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
    const bad = () => { throw new Fault("no_json", { what }); };
    let at = 0;

    const skip = () => { while (" \t\n\r".includes(text[at] || "x")) at += 1; };

    const word = () => {
      for (const [name, value] of [["true", true], ["false", false], ["null", null]]) {
        if (text.startsWith(name, at)) { at += name.length; return value; }
      }
      for (const name of ["NaN", "Infinity", "-Infinity"]) {
        if (text.startsWith(name, at)) throw new Fault("holds", { what, word: name });
      }
      number.lastIndex = at;
      const found = number.exec(text);
      if (!found || found[1].length > 4300) bad();
      at = number.lastIndex;
      return found[2] || found[3] ? Number(found[0]) : BigInt(found[0]);
    };

    const string = () => {
      const simple = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
      let made = "";
      let from = (at += 1);
      for (;;) {
        const sign = text[at];
        if (sign === undefined || sign < " ") bad();
        if (sign === '"') { made += text.slice(from, at); at += 1; return made; }
        if (sign !== "\\") { at += 1; continue; }
        made += text.slice(from, at);
        const after = text[at + 1];
        if (after === "u") {
          const digits = text.slice(at + 2, at + 6);
          if (!/^[0-9a-fA-F]{4}$/.test(digits)) bad();
          made += String.fromCharCode(parseInt(digits, 16));
          at += 6;
        } else {
          if (!Object.hasOwn(simple, after || "")) bad();
          made += simple[after];
          at += 2;
        }
        from = at;
      }
    };

    const value = (depth) => {
      if (depth > DEEPEST) bad();
      skip();
      if (text[at] === '"') return string();
      if (text[at] === "[") {
        const list = [];
        at += 1; skip();
        if (text[at] === "]") { at += 1; return list; }
        for (;;) {
          list.push(value(depth + 1)); skip();
          if (text[at] === "]") { at += 1; return list; }
          if (text[at] !== ",") bad();
          at += 1;
        }
      }
      if (text[at] === "{") {
        const object = Object.create(null);
        let names = 0;
        at += 1; skip();
        if (text[at] === "}") { at += 1; return object; }
        for (;;) {
          skip();
          if (text[at] !== '"') bad();
          const name = string(); skip();
          if (text[at] !== ":") bad();
          at += 1;
          object[name] = value(depth + 1); names += 1; skip();
          if (text[at] === "}") { at += 1; break; }
          if (text[at] !== ",") bad();
          at += 1;
        }
        need(Object.keys(object).length === names, "repeats", { what });
        return object;
      }
      return word();
    };

    const found = value(0);
    skip();
    if (at !== text.length) bad();
    return found;
  }

  function isSame(one, other) {
    if (Array.isArray(one)) {
      return Array.isArray(other) && one.length === other.length
        && one.every((item, at) => isSame(item, other[at]));
    }
    if (isObject(one)) {
      const names = Object.keys(one);
      return isObject(other) && Object.keys(other).length === names.length
        && names.every((name) => name in other && isSame(one[name], other[name]));
    }
    return Object.is(one, other);
  }

  function writeJson(value) {
    if (typeof value === "bigint") return String(value);
    if (Array.isArray(value)) return `[${value.map(writeJson).join(", ")}]`;
    if (isObject(value)) {
      const pairs = Object.keys(value).map((name) => `${JSON.stringify(name)}: ${writeJson(value[name])}`);
      return `{${pairs.join(", ")}}`;
    }
    return JSON.stringify(value);
  }

  globalThis.assayJson = { Fault, need, isObject, parse, isSame, writeJson };
})();
