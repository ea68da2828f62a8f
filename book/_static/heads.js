// The page "Look into heads": a grid of all heads of a network, and the lines of the one that is chosen over a sentence.
// Maps are fetched per network when it is chosen; those of the first view are in the page.
(function () {
  "use strict";
  const root = document.querySelector("#heads");
  if (!root || !window.bertology) return;
  const SVG = "http://www.w3.org/2000/svg", ROW = 26, LEFT = 120, RIGHT = 280, WIDTH = 400;
  const data = JSON.parse(root.querySelector("#heads-data").textContent);
  const find = (selector) => root.querySelector(selector);
  const say = (text) => { find(".heads-status").textContent = text; };
  const files = {}, own = { units: null };
  const first = Object.keys(data.networks)[0];
  let state = { network: first, sentence: 0, block: 1, head: 1, relation: "" }, shown = null;

  // A sentence's maps: units (words and special tokens), and weights from 0 to 1 by block, head, from and to.
  function unpacked(network, { units, maps }) {
    const bytes = Uint8Array.from(atob(maps), (c) => c.charCodeAt(0)), U = units.length, A = data.networks[network].heads;
    return { units, weight: (l, a, i, j) => bytes[((l * A + a) * U + i) * U + j] / 255 };
  }

  async function maps(network, sentence) {
    if (sentence < 0) return own;
    if (network === first && sentence === 0) return unpacked(network, data.first);
    if (!files[network]) {
      say("Reading the maps …");
      const answer = await fetch(`${root.dataset.maps}${network}.json`);
      if (!answer.ok) throw new Error(`the maps could not be read (${answer.status})`);
      files[network] = (await answer.json()).sentences;
      say("");
    }
    return unpacked(network, files[network][sentence]);
  }

  // The words of one's own sentence: attention summed over the pieces attended to, averaged over those attending.
  function joined(tokenizer, { ids, words }, layers, A, text) {
    const T = ids.length, names = tokenizer.words(text), member = [], units = [];
    words.forEach((word, t) => {
      if (word < 0 || word !== words[t - 1]) units.push(word < 0 ? tokenizer.vocabulary[ids[t]] : names[word]);
      member.push(units.length - 1);
    });
    const U = units.length, sizes = units.map((_, u) => member.filter((m) => m === u).length);
    const whole = layers.map((map) => {
      const out = new Float32Array(A * U * U);
      for (let a = 0; a < A; a++) for (let i = 0; i < T; i++) for (let j = 0; j < T; j++) {
        out[(a * U + member[i]) * U + member[j]] += map[(a * T + i) * T + j] / sizes[member[i]];
      }
      return out;
    });
    return { units, weight: (l, a, i, j) => whole[l][(a * U + i) * U + j] };
  }

  function element(name, attributes, parent, text = "") {
    const made = name === "svg" || parent?.namespaceURI === SVG ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    parent?.append(made);
    return made;
  }

  const ink = () => getComputedStyle(root).color.match(/\d+/g).slice(0, 3).map(Number);

  function thumbnail(canvas, l, a) {
    const U = shown.units.length, context = canvas.getContext("2d"), [r, g, b] = ink();
    canvas.width = canvas.height = U;
    const image = context.createImageData(U, U);
    for (let i = 0; i < U; i++) for (let j = 0; j < U; j++) image.data.set([r, g, b, 255 * Math.sqrt(shown.weight(l, a, i, j))], 4 * (i * U + j));
    context.putImageData(image, 0, 0);
  }

  const known = (block, head) => data.networks[state.network].named.filter((each) => each.block === block && each.head === head);

  // A head, and what claims name it for.
  function label(block, head) {
    const about = [...new Set(known(block, head).map((each) => each.about))].join(", ");
    return `Block ${block}, head ${head}${about && `: ${about}`}`;
  }

  function grid() {
    const { layers, heads } = data.networks[state.network], place = find(".heads-grid");
    place.style.setProperty("--heads", heads);
    if (place.childElementCount !== layers * heads || place.dataset.network !== state.network) {
      place.replaceChildren();
      place.dataset.network = state.network;
      for (let k = 0; k < layers * heads; k++) element("canvas", {}, element("button", { type: "button" }, place));
    }
    Array.from(place.children).forEach((button, k) => {
      const block = Math.floor(k / heads) + 1, head = (k % heads) + 1, chosen = block === state.block && head === state.head;
      button.title = label(block, head);
      button.setAttribute("aria-label", button.title);
      button.setAttribute("aria-pressed", chosen);
      button.classList.toggle("heads-known", known(block, head).length > 0);
      button.tabIndex = chosen ? 0 : -1;
      thumbnail(button.firstChild, block - 1, head - 1);
    });
  }

  // The pairs (from, to) of the chosen relation, as units; [CLS] is unit 0.
  function pairs() {
    const found = data.networks[state.network].named.find((each) => each.relation === state.relation);
    if (!state.relation || !found || data.networks[state.network].texts || state.sentence < 0) return [];
    const mine = data.sentences[state.sentence].arcs.filter(([, , relation]) => relation === state.relation);
    return mine.map(([word, head]) => (found.direction === "head to dependent" ? [head + 1, word + 1] : [word + 1, head + 1]));
  }

  // The word that a word attends to most: no special token, not itself.
  function most(i, weight) {
    const U = shown.units.length, others = Array.from({ length: U }, (_, j) => j).filter((j) => j !== i && !/^\[(CLS|SEP)\]$/.test(shown.units[j]));
    return others.reduce((best, j) => (weight(i, j) > weight(i, best) ? j : best), others[0]);
  }

  // Those of the chosen head, or of another one that is pointed at.
  function lines({ block, head } = state) {
    const weight = (i, j) => shown.weight(block - 1, head - 1, i, j);
    const picture = find(".heads-lines"), U = shown.units.length, gold = pairs(), y = (k) => ROW * (k + 0.5);
    picture.replaceChildren();
    picture.setAttribute("viewBox", `0 0 ${WIDTH} ${ROW * U}`);
    for (let i = 0; i < U; i++) for (let j = 0; j < U; j++) {
      const w = weight(i, j), right = gold.some(([from, to]) => from === i && to === j);
      if (w < 0.02 && !right) continue;
      element("line", { x1: LEFT, y1: y(i), x2: RIGHT, y2: y(j), "data-from": i, class: right ? "heads-gold" : "heads-line", "stroke-opacity": right ? Math.max(w, 0.25) : w }, picture);
    }
    shown.units.forEach((unit, i) => {
      const to = Array.from({ length: U }, (_, j) => j).sort((a, b) => weight(i, b) - weight(i, a)).slice(0, 3);
      const says = `${unit} attends to ${to.map((j) => `${shown.units[j]} ${weight(i, j).toFixed(2)}`).join(", ")}`;
      const from = element("text", { x: LEFT - 8, y: y(i) + 5, "text-anchor": "end", tabindex: 0, role: "img", "aria-label": says }, picture, unit);
      for (const event of ["mouseenter", "focus"]) from.addEventListener(event, () => point(picture, i));
      for (const event of ["mouseleave", "blur"]) from.addEventListener(event, () => point(picture, -1));
      element("text", { x: RIGHT + 8, y: y(i) + 5, class: gold.some(([, to]) => to === i) ? "heads-right" : "" }, picture, unit);
    });
    find(".heads-title").textContent = label(block, head);
    const said = gold.map(([from, to]) => {
      const at = most(from, weight);
      return `“${shown.units[from]}” looks most at “${shown.units[at]}” (${weight(from, at).toFixed(2)})` + (at === to ? ", as the tree has it" : `; the tree has “${shown.units[to]}” (${weight(from, to).toFixed(2)})`);
    });
    const last = shown.units.map((_, i) => weight(i, U - 1)).reduce((a, b) => a + b, 0) / U;
    find(".heads-says").textContent = said.length ? `${said.join(". ")}.` : `On average ${Math.round(100 * last)} % of this head's attention goes to the last token.`;
  }

  // Only the lines of one word, or all of them (-1).
  function point(picture, word) {
    for (const line of picture.querySelectorAll("line")) line.classList.toggle("heads-off", word >= 0 && Number(line.dataset.from) !== word);
  }

  function names() {
    const place = find(".heads-named"), { named } = data.networks[state.network];
    place.replaceChildren();
    for (const each of named) {
      const value = each.rival === undefined ? "" : `: ${each.value.toFixed(2)} (offset ${each.rival.toFixed(2)})`;
      const button = element("button", { type: "button" }, place, `${each.about}${value}`);
      button.addEventListener("click", () => go({ block: each.block, head: each.head, relation: each.relation, sentence: withRelation(each.relation) }));
    }
  }

  // The sentence shown, or the first one that has the relation.
  function withRelation(relation) {
    const has = (k) => !relation || data.networks[state.network].texts || data.sentences[k]?.arcs.some((arc) => arc[2] === relation);
    return has(state.sentence) ? state.sentence : data.sentences.findIndex((_, k) => has(k));
  }

  async function go(change) {
    const next = { ...state, ...change }, { layers, heads, named, texts } = data.networks[next.network];
    if (change.network) {
      const best = named.find((each) => each.relation === state.relation) || named.find((each) => each.about === "object") || named[0];
      Object.assign(next, { block: best.block, head: best.head, relation: best.relation, sentence: 0 }, change);
    }
    next.block = Math.min(Math.max(next.block, 1), layers);
    next.head = Math.min(Math.max(next.head, 1), heads);
    const sentences = texts || data.sentences.map((each) => each.words.join(" "));
    next.sentence = Math.min(Math.max(next.sentence, next.network === "mini" && own.units ? -1 : 0), sentences.length - 1);
    try {
      shown = await maps(next.network, next.sentence);
    } catch (error) {
      return say(window.bertology.why(error));
    }
    const other = next.network !== state.network || !find(".heads-named").childElementCount;
    state = next;
    const select = find(".heads-sentence");
    select.replaceChildren(...sentences.map((text, k) => new Option(text, k)));
    if (own.units && state.network === "mini") select.add(new Option(own.units.slice(1, -1).join(" "), -1));
    select.value = state.sentence;
    find(".heads-network").value = state.network;
    if (other) names();
    grid();
    lines();
    const { network, sentence, block, head, relation } = state;
    const asked = sentence < 0 ? `?${new URLSearchParams({ own: own.text })}` : "";
    history.replaceState(null, "", `${location.pathname}${asked}#${new URLSearchParams({ network, sentence, block, head, relation })}`);
  }

  async function asked(event) {
    event.preventDefault();
    const button = find(".heads-own button"), text = find(".heads-own input").value;
    button.disabled = true;
    try {
      const { network, tokenizer } = await window.bertology.loaded(root.dataset, say);
      const encoded = tokenizer.encode(text);
      if (encoded.ids.length < 3 || encoded.ids.length > 64) throw new Error("Type a sentence of up to 62 pieces.");
      const layers = [];
      network.states(encoded.ids, layers);
      Object.assign(own, { text }, joined(tokenizer, encoded, layers, network.config.num_attention_heads, text));
      say("");
      await go({ network: "mini", sentence: -1 });
    } catch (error) {
      say(window.bertology.why(error));
    } finally {
      button.disabled = false;
    }
  }

  for (const [name, { title }] of Object.entries(data.networks)) find(".heads-network").add(new Option(title, name));
  find(".heads-network").addEventListener("change", (event) => go({ network: event.target.value }));
  find(".heads-sentence").addEventListener("change", (event) => go({ sentence: Number(event.target.value) }));
  find(".heads-own").addEventListener("submit", asked);
  function at(event) { // the head of a button of the grid
    const button = event.target.closest("button"), k = Array.from(event.currentTarget.children).indexOf(button);
    const { heads } = data.networks[state.network];
    return button && { block: Math.floor(k / heads) + 1, head: (k % heads) + 1 };
  }
  find(".heads-grid").addEventListener("click", (event) => {
    const place = at(event);
    if (!place) return;
    const named = known(place.block, place.head), best = named.find((each) => each.relation === state.relation) || named[0];
    go({ ...place, relation: best ? best.relation : state.relation });
  });
  find(".heads-grid").addEventListener("mouseover", (event) => shown && lines(at(event) || state));
  find(".heads-grid").addEventListener("mouseleave", () => shown && lines());
  find(".heads-grid").addEventListener("keydown", (event) => {
    const { heads } = data.networks[state.network];
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: heads, ArrowUp: -heads }[event.key];
    const buttons = Array.from(event.currentTarget.children), next = buttons[buttons.indexOf(event.target) + step];
    if (!step || !next) return;
    event.preventDefault();
    next.click();
    next.focus();
  });
  new MutationObserver(() => shown && grid()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const asks = new URLSearchParams(location.hash.slice(1)), text = new URLSearchParams(location.search).get("own");
  const network = asks.get("network") in data.networks ? asks.get("network") : first, best = data.networks[network].named.find((each) => each.about === "object");
  find(".heads-live").hidden = false;
  root.classList.add("alive");
  const number = (name, otherwise) => (Number.isInteger(Number(asks.get(name) ?? NaN)) ? Number(asks.get(name)) : otherwise);
  go({
    network,
    sentence: number("sentence", 0),
    block: number("block", best.block),
    head: number("head", best.head),
    relation: asks.get("relation") ?? best.relation,
  }).then(() => { // a form in a chapter leads here with a sentence
    if (!text) return;
    find(".heads-own input").value = text;
    find(".heads-own").requestSubmit();
  });
})();
