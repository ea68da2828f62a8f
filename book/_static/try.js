// The page "Try it yourself": a network is fetched on a click, and answers in the page. What a reader types is only ever text.
(function () {
  "use strict";
  const root = document.querySelector("#try");
  if (!root || !window.bertology) return;
  const { Network, fill, likelihood } = window.bertology;
  const find = (selector) => root.querySelector(selector);
  const say = (text) => { find(".try-status").textContent = text; };
  const stored = JSON.parse(find("#try-stored").textContent);
  let networks = null;

  async function load() {
    const answer = await fetch(root.dataset.weights);
    if (!answer.ok) throw new Error(`the weights could not be read (${answer.status})`);
    const whole = Number(root.dataset.bytes), parts = [], reader = answer.body.getReader();
    for (let n = 0, part; !(part = await reader.read()).done; ) {
      parts.push(part.value);
      n += part.value.length;
      say(`${Math.round((100 * n) / whole)} % of ${(whole / 1e6).toFixed(1)} MB`);
    }
    const { network, tokenizer } = Network.read(await new Blob(parts).arrayBuffer());
    networks = { mini: network, untrained: network.untrained(), tokenizer };
  }

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

  async function answers() {
    const text = find("#try-text").value;
    const trained = fill(networks.mini, networks.tokenizer, text), random = fill(networks.untrained, networks.tokenizer, text);
    if (!trained) return say("Put [MASK] in the sentence, once.");
    const large = stored.fill.find((s) => s.text === text)?.mpnet;
    const head = ["mini", "untrained", ...(large ? ["mpnet (stored)"] : [])];
    table(find("#try-fillers"), head, trained.map((_, k) => [trained, random, ...(large ? [large] : [])].map((each) => filler(each[k]))));
    location.hash = new URLSearchParams({ s: text });
    say("");
  }

  async function comparison() {
    const texts = ["#try-a", "#try-b"].map((id) => find(id).value);
    if (texts.some((t) => !t.trim() || t.includes("[MASK]")) || texts[0] === texts[1]) return say("Type two different sentences, without a mask.");
    const rows = texts.map((text) => [text]);
    for (const name of ["mini", "untrained"]) {
      const found = [];
      for (const text of texts) found.push(await likelihood(networks[name], networks.tokenizer, text, (k, n) => say(`${name}: piece ${k} of ${n}`)));
      found.forEach((each, k) => rows[k].push(`${each.nats.toFixed(2)} (${each.pieces} pieces)`));
      rows[2] = [...(rows[2] || ["first less second, in nats"]), (found[0].nats - found[1].nats).toFixed(2)];
    }
    table(find("#try-nats"), ["sentence", "mini", "untrained"], rows);
    location.hash = new URLSearchParams({ a: texts[0], b: texts[1] });
    say("");
  }

  async function asked(event, then) {
    event?.preventDefault();
    const buttons = root.querySelectorAll("button");
    buttons.forEach((button) => { button.disabled = true; });
    try {
      if (!networks) await load();
      await then();
    } catch (error) {
      say(location.protocol === "file:" ? "A page opened as a file cannot read the weights: serve the folder (python -m http.server)." : String(error.message));
    } finally {
      buttons.forEach((button) => { button.disabled = false; });
    }
  }

  find("#try-fill").addEventListener("submit", (event) => asked(event, answers));
  find("#try-compare").addEventListener("submit", (event) => asked(event, comparison));
  find("#try-mask").addEventListener("click", () => {
    const box = find("#try-text");
    box.setRangeText("[MASK]", box.selectionStart, box.selectionEnd, "end");
    box.focus();
  });
  for (const link of root.querySelectorAll("a[data-text]")) {
    link.addEventListener("click", (event) => {
      find("#try-text").value = link.dataset.text;
      asked(event, answers);
    });
  }
  for (const link of root.querySelectorAll("a[data-a]")) {
    link.addEventListener("click", (event) => {
      find("#try-a").value = link.dataset.a;
      find("#try-b").value = link.dataset.b;
      asked(event, comparison);
    });
  }
  root.classList.add("alive");
  const state = new URLSearchParams(location.hash.slice(1));
  if (state.has("s")) find("#try-text").value = state.get("s");
  if (state.has("a")) find("#try-a").value = state.get("a");
  if (state.has("b")) find("#try-b").value = state.get("b");
})();
