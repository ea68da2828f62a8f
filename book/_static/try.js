// "Try it yourself", the page and the small forms in chapters: a network is fetched on a click, and answers in the page.
// What a reader types is only ever text.
(function () {
  "use strict";
  if (!window.bertology) return;
  const { fill, likelihood, loaded, why } = window.bertology;
  const UNTRAINED = "untrained (drawn here)"; // another draw than the stored one
  const random = new WeakMap(); // a network -> the untrained one of its shape

  function element(name, text, parent) {
    const made = document.createElement(name);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function table(place, head, rows) {
    const made = document.createElement("table"), top = element("tr", "", element("thead", "", made)), body = element("tbody", "", made);
    for (const name of head) element("th", name, top).scope = "col";
    for (const row of rows) {
      const line = element("tr", "", body);
      for (const cell of row) element("td", cell, line);
    }
    place.replaceChildren(made);
  }

  const percent = (p) => (p < 0.001 ? "under 0.1 %" : `${(100 * p).toFixed(1)} %`);
  const filler = (answer) => (answer ? `${answer[0]} (${percent(answer[1])})` : "");

  function alive(root) {
    const find = (selector) => root.querySelector(selector);
    let status = null; // of the form that is asked
    const say = (text) => { status.textContent = text; };
    const stored = JSON.parse(find(".try-examples").textContent), kept = root.id === "try"; // one page's address keeps the text
    let networks = null, tokenizer = null;

    async function load() {
      const read = await loaded(root.dataset, say);
      if (!random.has(read.network)) random.set(read.network, read.network.untrained());
      networks = { mini: read.network, untrained: random.get(read.network) };
      tokenizer = read.tokenizer;
    }

    async function answers() {
      const text = find(".try-text").value;
      const trained = fill(networks.mini, tokenizer, text), untrained = fill(networks.untrained, tokenizer, text);
      if (!trained) return say("Put [MASK] in the sentence, once.");
      const large = stored.fill.find((s) => s.text === text)?.mpnet;
      const head = ["mini", UNTRAINED, ...(large ? ["mpnet (stored)"] : [])];
      table(find(".try-fillers"), head, trained.map((_, k) => [trained, untrained, ...(large ? [large] : [])].map((each) => filler(each[k]))));
      if (kept) location.hash = new URLSearchParams({ s: text });
      say("");
    }

    async function comparison() {
      const texts = [".try-a", ".try-b"].map((name) => find(name).value);
      if (texts.some((t) => !t.trim() || t.includes("[MASK]")) || texts[0] === texts[1]) return say("Type two different sentences, without a mask.");
      const rows = texts.map((text) => [text]), large = stored.pairs.find((s) => s.a === texts[0] && s.b === texts[1])?.mpnet;
      for (const name of ["mini", "untrained"]) {
        const found = [];
        for (const text of texts) found.push(await likelihood(networks[name], tokenizer, text, (k, n) => say(`${name}: piece ${k} of ${n}`)));
        found.forEach((each, k) => rows[k].push(`${each.nats.toFixed(2)} (${each.pieces} pieces)`));
        rows[2] = [...(rows[2] || ["first less second, in nats"]), (found[0].nats - found[1].nats).toFixed(2)];
      }
      if (large) [...large, large[0] - large[1]].forEach((nats, k) => rows[k].push(nats.toFixed(2)));
      table(find(".try-nats"), ["sentence", "mini", UNTRAINED, ...(large ? ["mpnet (stored)"] : [])], rows);
      if (kept) location.hash = new URLSearchParams({ a: texts[0], b: texts[1] });
      say("");
    }

    async function asked(event, then) {
      event.preventDefault();
      status = find(then === answers ? ".try-fill" : ".try-compare").nextElementSibling;
      const buttons = root.querySelectorAll("button");
      buttons.forEach((button) => { button.disabled = true; });
      try {
        if (!networks) await load();
        await then();
      } catch (error) {
        say(why(error));
      } finally {
        buttons.forEach((button) => { button.disabled = false; });
      }
    }

    find(".try-fill")?.addEventListener("submit", (event) => asked(event, answers));
    find(".try-compare")?.addEventListener("submit", (event) => asked(event, comparison));
    find(".try-mask")?.addEventListener("click", () => {
      const box = find(".try-text");
      box.setRangeText("[MASK]", box.selectionStart, box.selectionEnd, "end");
      box.focus();
    });
    for (const link of root.querySelectorAll("[data-text]")) {
      link.addEventListener("click", (event) => {
        find(".try-text").value = link.dataset.text;
        asked(event, answers);
      });
    }
    for (const link of root.querySelectorAll("[data-a]")) {
      link.addEventListener("click", (event) => {
        find(".try-a").value = link.dataset.a;
        find(".try-b").value = link.dataset.b;
        asked(event, comparison);
      });
    }
    root.classList.add("alive");
    if (!kept) return;
    const state = new URLSearchParams(location.hash.slice(1));
    for (const [name, box] of [["s", ".try-text"], ["a", ".try-a"], ["b", ".try-b"]]) {
      if (state.has(name)) find(box).value = state.get(name);
    }
  }

  document.querySelectorAll(".try:not(.alive)").forEach(alive);
})();
