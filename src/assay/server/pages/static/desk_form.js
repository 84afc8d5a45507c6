// An output as a form: made of what the page says of the contract, read back as JSON text.
// It decides nothing; what it writes is judged by the gate. Paths are JSON Pointers.
"use strict";
(() => {
  const desk = (window.assayDesk = window.assayDesk || {});
  const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
  const escape = (step) => String(step).replaceAll("~", "~0").replaceAll("/", "~1");
  const tell = (key) => seen(key.replaceAll("_", " "));
  const pad = (depth) => "  ".repeat(depth);

  function make(name, props = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(props)) {
      if (key in element) element[key] = value;
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  }

  // What nobody sees, or what turns a line round, written out as the service's pages do.
  const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]/gu;
  const seen = (text) => String(text).replace(UNSEEN, (sign) => {
    const code = sign.codePointAt(0);
    return code < 32 ? String.fromCodePoint(0x2400 + code) : code === 127 ? "\u2421"
      : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
  });

  // A widget has `element`, `write(path, depth)` and, where it stands for a value of its own, `field`.
  class Form {
    constructor(root, spec, words, changed) {
      Object.assign(this, { root, spec, words, changed, quotes: new Map() });
      root.addEventListener("input", () => changed());
      root.addEventListener("change", () => changed());
    }

    show(value) {
      this.root.replaceChildren();
      this.top = this.widget(this.spec, value, "");
      this.root.append(this.top.element);
      this.text();
    }

    text() {
      this.quotes = new Map();
      this.lists = [];
      return this.top.write("", 0);
    }

    find(path) {
      for (let at = path; ; at = at.slice(0, at.lastIndexOf("/"))) {
        const found = this.root.querySelector(`[data-path="${CSS.escape(at)}"]`);
        if (found || !at) return found || this.root;
      }
    }

    widget(spec, value, name) {
      if (spec.nullable && spec.kind !== "null") return this.nullable(spec, value, name);
      const kind = this.fits(spec, value) ? spec.kind : "json";
      return this[`make_${kind}`](spec, value, name);
    }

    // What cannot be shown in its field is shown as JSON, so that nothing is lost.
    fits(spec, value) {
      if (value === undefined) return true;
      const kinds = {
        object: value && typeof value === "object" && !Array.isArray(value),
        array: Array.isArray(value),
        boolean: typeof value === "boolean",
        number: typeof value === "number",
        integer: typeof value === "number",
        null: value === null,
        json: true,
      };
      return spec.kind in kinds ? kinds[spec.kind] : typeof value === "string";
    }

    labelled(spec, name, control, write) {
      const element = make("div", { className: "one" });
      const label = make("label", { title: spec.description || "" },
        make("span", { className: spec.single ? "hidden" : "" }, spec.title || tell(name)), " ");
      control.setAttribute("aria-label", spec.title || tell(name));
      if (control.type === "checkbox") label.prepend(control);
      else label.append(control);
      element.append(label);
      // A field shows its text as it is; what nobody sees in it is written out below.
      const hidden = make("bdi", { className: "small muted hidden-signs" });
      const show = () => {
        const said = seen(control.value ?? "");
        hidden.textContent = control.type !== "checkbox" && said !== control.value ? said : "";
      };
      if (control.matches("input, textarea")) { control.addEventListener("input", show); show(); element.append(hidden); }
      return { element, field: control, write: (path) => {
        element.dataset.path = path;
        return write(control, path);
      } };
    }

    nullable(spec, value, name) {
      const element = make("div");
      const none = make("input", { type: "checkbox", checked: value === null });
      const inner = this.widget({ ...spec, nullable: false }, value === null ? undefined : value, name);
      const toggle = () => { inner.element.hidden = none.checked; };
      none.addEventListener("change", toggle);
      toggle();
      element.append(make("label", { className: "tick" }, none, ` ${tell(name)}: ${this.words.none}`), inner.element);
      return { element, write: (path, depth) => {
        element.dataset.path = path;
        return none.checked ? "null" : inner.write(path, depth);
      } };
    }

    make_null(spec, value, name) {
      return { element: make("p", { className: "small muted" }, `${tell(name)}: ${this.words.none}`), write: () => "null" };
    }

    make_label(spec, value, name) {
      const about = make("span", { className: "small muted" });
      const said = Object.fromEntries(spec.labels);
      const select = make("select", {}, ...spec.labels.map(([label, text]) =>
        make("option", { value: label, title: text, selected: label === value }, label)));
      if (value === undefined || !(value in said)) {
        select.prepend(make("option", { value: value || "", selected: true },
          value ? `${seen(value)} (${this.words.not_listed})` : "—"));
      }
      const describe = () => { about.textContent = said[select.value] || ""; };
      select.addEventListener("change", describe);
      describe();
      const found = this.labelled(spec, name, select, (control) => JSON.stringify(control.value));
      found.element.append(about);
      return { ...found, label: () => ({ name: select.value, colour: spec.colour }) };
    }

    make_choice(spec, value, name) {
      const options = value === undefined || spec.options.includes(value) ? spec.options : [value, ...spec.options];
      const select = make("select", {}, ...options.map((each) =>
        make("option", { value: each, selected: each === value }, seen(each))));
      return this.labelled(spec, name, select, (control) => JSON.stringify(control.value));
    }

    make_text(spec, value, name) {
      const long = (value || "").length > 60 || (value || "").includes("\n");
      const control = make(long ? "textarea" : "input", { value: value || "", rows: 4, dir: "auto" });
      return this.labelled(spec, name, control, (field) => JSON.stringify(field.value));
    }

    make_quote(spec, value, name) {
      const control = make("input", { value: value || "", className: "quote", title: seen(value || ""), dir: "auto" });
      return this.labelled(spec, name, control, (field, path) => {
        this.quotes.set(path, field);
        return JSON.stringify(field.value);
      });
    }

    make_number(spec, value, name) {
      const shown = value === undefined ? "" : spec.places ? value.toFixed(spec.places) : String(value);
      const control = make("input", { value: shown, inputMode: "decimal", className: "number" });
      return this.labelled(spec, name, control, (field) => {
        const text = field.value.trim();
        return NUMBER.test(text) ? text : JSON.stringify(text);
      });
    }

    make_integer(spec, value, name) { return this.make_number(spec, value, name); }

    make_boolean(spec, value, name) {
      const control = make("input", { type: "checkbox", checked: value === true });
      return this.labelled(spec, name, control, (field) => String(field.checked));
    }

    make_json(spec, value, name) {
      const text = value === undefined ? "null" : JSON.stringify(value, null, 2);
      const control = make("textarea", { value: text, rows: Math.min(12, text.split("\n").length + 1), className: "mono", spellcheck: false });
      return this.labelled(spec, name, control, (field) => field.value.trim() || "null");
    }

    make_object(spec, value, name) {
      const element = make("fieldset", { className: "of" });
      if (name) element.append(make("legend", {}, spec.title || tell(name)));
      const parts = spec.fields.map((field) => this.optional(field, value ? value[field.key] : undefined, !value));
      const known = new Set(spec.fields.map((field) => field.key));
      for (const [key, extra] of Object.entries(value || {})) {
        if (!known.has(key)) parts.push(this.optional({ key, required: false, node: { kind: "json" } }, extra));
      }
      element.append(...parts.map((part) => part.element));
      return { element, write: (path, depth) => {
        element.dataset.path = path;
        const written = [];
        const label = parts.map((part) => part.inner && part.inner.label).find(Boolean);
        for (const part of parts) {
          if (!part.inner) continue;
          const at = `${path}/${escape(part.key)}`;
          const before = this.lists.length;
          written.push(`${pad(depth + 1)}${JSON.stringify(part.key)}: ${part.inner.write(at, depth + 1)}`);
          if (label) for (const list of this.lists.slice(before)) list.label ??= label();
        }
        return written.length ? `{\n${written.join(",\n")}\n${pad(depth)}}` : "{}";
      } };
    }

    // A key that need not be there is there when somebody adds it.
    optional(field, value, fresh = false) {
      const element = make("div");
      const part = { key: field.key, element, inner: null };
      const put = (given) => {
        part.inner = this.widget(field.node, given, field.key);
        element.replaceChildren(part.inner.element);
        if (!field.required) element.append(this.button(this.words.remove, field.key, () => { take(); this.changed(); }));
      };
      const take = () => {
        part.inner = null;
        const add = this.button(this.words.add, field.key, () => { put(undefined); this.changed(); });
        element.replaceChildren(make("span", { className: "small muted" }, `${tell(field.key)}: ${this.words.absent} `), add);
      };
      if (value !== undefined || (fresh && field.required)) put(value);
      else take();
      return part;
    }

    button(word, name, act) {
      const button = make("button", { type: "button", className: "quiet" }, word);
      button.setAttribute("aria-label", `${word}: ${tell(name)}`);
      button.addEventListener("click", act);
      return button;
    }

    make_array(spec, value, name) {
      const element = make("fieldset", { className: "of" }, make("legend", {}, spec.title || tell(name)));
      const items = [];
      const body = make("div");
      const single = { ...spec.item, single: true };
      const add = (given) => {
        const title = single.kind === "object" ? String(items.length + 1) : `${name} ${items.length + 1}`;
        const item = this.widget(single, given, title);
        const row = make("div", { className: "row" }, item.element);
        row.append(this.button("×", `${this.words.remove} ${name}`, () => {
          items.splice(items.indexOf(item), 1);
          row.remove();
          this.changed();
        }));
        items.push(item);
        body.append(row);
        return item;
      };
      for (const each of value || []) add(each);
      element.append(body, this.button(`+ ${this.words.add}`, name, () => {
        const item = add(undefined);
        this.changed();
        (item.field || item.element.querySelector("input, select, textarea"))?.focus();
      }));
      return { element, write: (path, depth) => {
        element.dataset.path = path;
        if (spec.item.kind === "quote") {
          this.lists.push({ path, name: tell(name), add: (text) => {
            const empty = items.find((item) => !item.field.value);
            const item = empty || add(text);
            item.field.value = text;
            this.changed();
            return item.field;
          } });
        }
        const written = items.map((item, index) => pad(depth + 1) + item.write(`${path}/${index}`, depth + 1));
        return written.length ? `[\n${written.join(",\n")}\n${pad(depth)}]` : "[]";
      } };
    }
  }

  desk.Form = Form;
  desk.make = make;
  desk.seen = seen;
})();
