// Quotes in the source texts: drawn anew from what the gate found, and taken from a selection.
"use strict";
(() => {
  const desk = (window.assayDesk = window.assayDesk || {});
  const LEVELS = 3;
  const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/;

  // The text nodes of a source, without the captions of its folded parts.
  function textNodes(source) {
    const walker = document.createTreeWalker(source, NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement.closest("summary") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    const found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    return found;
  }

  // Offsets in code points, as the gate counts, to offsets in UTF-16, as the page does.
  function unitsOf(text) {
    if (!PAIRS.test(text)) return (point) => point;
    const at = [];
    let unit = 0;
    for (const char of text) { at.push(unit); unit += char.length; }
    at.push(unit);
    return (point) => at[Math.min(point, at.length - 1)];
  }

  function clear(source) {
    for (const link of source.querySelectorAll("a.ev")) {
      let inner = link;
      while (inner.firstElementChild?.matches("span")) inner = inner.firstElementChild;
      link.replaceWith(...inner.childNodes);
    }
    source.normalize();
  }

  // spans: [{path, source, start, stop}], colours and tags from `about(path)`.
  desk.draw = (spans, about) => {
    for (const source of document.querySelectorAll(".text[data-source]")) {
      const here = spans.map((span, index) => ({ ...span, number: index + 1 }))
        .filter((span) => span.source === source.dataset.source)
        .sort((a, b) => a.start - b.start || b.stop - a.stop);
      clear(source);
      if (here.length) drawSource(source, here.slice(0, 200), about);
    }
  };

  function drawSource(source, spans, about) {
    const nodes = textNodes(source);
    const unit = unitsOf(nodes.map((node) => node.data).join(""));
    for (const span of spans) Object.assign(span, { from: unit(span.start), to: unit(span.stop) });
    const begun = new Set();
    let at = 0;
    for (const node of nodes) {
      const end = at + node.data.length;
      const over = spans.filter((span) => span.from < end && span.to > at);
      if (over.length) {
        const cuts = [...new Set([at, end, ...over.flatMap((span) => [span.from, span.to])])]
          .filter((cut) => cut >= at && cut <= end).sort((a, b) => a - b);
        const pieces = cuts.slice(1).map((stop, index) => {
          const start = cuts[index];
          const text = node.data.slice(start - at, stop - at);
          const there = over.filter((span) => span.from <= start && span.to >= stop).slice(0, LEVELS);
          return there.length ? piece(text, there, begun, about) : document.createTextNode(text);
        });
        const fold = node.parentElement.closest("details.fold");
        if (fold) fold.open = true;
        node.replaceWith(...pieces);
      }
      at = end;
    }
  }

  function piece(text, spans, begun, about) {
    const link = desk.make("a", { className: "ev", href: `#${desk.fieldId(spans[0].path)}`, draggable: false });
    link.dataset.paths = JSON.stringify(spans.map((span) => span.path));
    let inner = link;
    spans.forEach((span, level) => {
      const { name, colour } = about(span.path);
      const line = desk.make("span", { className: `c${colour} l${level}` });
      if (!begun.has(span.number)) {
        begun.add(span.number);
        line.id = `e-${desk.fieldId(span.path)}`;
        line.dataset.tag = desk.seen(name);
      }
      inner.append(line);
      inner = line;
    });
    inner.append(text);
    return link;
  }

  desk.fieldId = (path) => `f${path.replaceAll("/", "-")}`;

  // What is selected in a source, as it stands there.
  desk.selected = () => {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    const holder = range.commonAncestorContainer;
    const source = (holder.nodeType === 1 ? holder : holder.parentElement).closest(".text[data-source]");
    if (!source) return null;
    const part = range.cloneContents();
    for (const caption of part.querySelectorAll("summary")) caption.remove();
    const text = part.textContent.trim();
    return text ? { text, box: range.getBoundingClientRect() } : null;
  };

  // "Quote for …" beside a selection: one button for each list of quotes in the form.
  desk.offerQuotes = (lists, words, take) => {
    const box = desk.make("div", { className: "quoter", hidden: true, id: "quoter" });
    box.setAttribute("role", "toolbar");
    box.setAttribute("aria-label", words.quote_for);
    document.body.append(box);
    const close = () => { box.hidden = true; };
    const offer = () => {
      const found = desk.selected();
      if (!found) { if (!box.contains(document.activeElement)) close(); return; }
      const buttons = lists().map((list) => {
        const name = list.label ? list.label.name : list.name;
        const button = desk.make("button", { type: "button" }, desk.make("bdi", {}, desk.seen(name || list.name)));
        button.addEventListener("click", () => { close(); take(list, found.text); });
        return button;
      });
      if (!buttons.length) return;
      box.replaceChildren(desk.make("span", {}, words.quote_for), ...buttons);
      box.hidden = false;
      box.style.left = `${Math.max(8, Math.min(found.box.left, innerWidth - 400))}px`;
      box.style.top = `${Math.max(8, Math.min(found.box.bottom + 8, innerHeight - box.offsetHeight - 8))}px`;
    };
    let waiting = 0;
    document.addEventListener("selectionchange", desk.onSelection = () => {
      clearTimeout(waiting);
      waiting = setTimeout(offer, 200);
    });
    return close;
  };
})();
