// The page "Look into layers": another word or network in place of the one that is there without this script.
(function () {
  "use strict";
  const root = document.querySelector("#layers");
  if (!root) return;
  const find = (selector) => root.querySelector(selector);
  const { words, networks } = JSON.parse(find("#layers-data").textContent);
  const network = find(".layers-network"), word = find(".layers-word");

  function element(name, parent, text = "") {
    const made = document.createElement(name);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function show() {
    const { words: read, at } = words[word.value], body = find("tbody"), sentence = find(".layers-sentence");
    sentence.replaceChildren();
    read.forEach((each, k) => {
      element(k === at ? "b" : "span", sentence, each);
      sentence.append(" ");
    });
    sentence.append(`(${network.value})`);
    body.replaceChildren();
    networks[network.value].words[word.value].forEach(({ neighbours, tag, p }, layer) => {
      const row = element("tr", body), near = (element("th", row, layer).scope = "row", element("td", row));
      for (const [before, same, after] of neighbours) {
        const span = element("span", near);
        span.className = `layers-near${same.toLowerCase() === read[at].toLowerCase() ? " layers-same" : ""}`;
        span.append(`${before} `);
        element("b", span, same);
        span.append(` ${after}`);
      }
      element("td", row, `${tag} (${p.toFixed(2)})`);
    });
    history.replaceState(null, "", `#${new URLSearchParams({ network: network.value, word: word.value })}`);
  }

  const asks = new URLSearchParams(location.hash.slice(1));
  if (asks.get("network") in networks) network.value = asks.get("network");
  if (words[asks.get("word")]) word.value = asks.get("word");
  for (const select of [network, word]) select.addEventListener("change", show);
  find(".layers-choice").hidden = false;
  show();
})();
