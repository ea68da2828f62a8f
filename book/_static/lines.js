// The filter over the landing page's lines; without this script every chapter can be unfolded and read as it is.
(function () {
  "use strict";
  const grid = document.querySelector(".claim-grid");
  if (!grid) return;
  const folds = Array.from(grid.querySelectorAll(".lines-of"));
  const place = Object.assign(document.createElement("div"), { className: "lines-filter" });
  const count = Object.assign(document.createElement("span"), { role: "status" });

  function control(text, element) {
    const label = document.createElement("label");
    label.append(text, " ", element);
    place.append(label);
    element.addEventListener("input", show);
    return element;
  }

  function choice(text, values) {
    const select = document.createElement("select");
    for (const [value, said] of Object.entries({ "": "any", ...values })) select.add(new Option(said, value));
    return control(text, select);
  }

  const outcomes = { holds: "holds", part: "mixed, or untrained too", not: "does not hold", open: "open or untestable", none: "none" };
  const words = control("words", Object.assign(document.createElement("input"), { type: "search" }));
  const chosen = {
    real: choice("BERT", outcomes),
    sized: choice("a network of its size", outcomes),
    known: choice("known of BERT by", { released: "its outputs", reported: "a study's figure", related: "related outputs", none: "nothing" }),
  };

  function show() {
    const asked = words.value.trim().toLowerCase();
    const filtered = asked !== "" || Object.values(chosen).some((select) => select.value);
    let n = 0;
    for (const fold of folds) {
      let here = 0;
      for (const row of fold.querySelectorAll("tbody tr")) {
        const fits = Object.entries(chosen).every(([key, select]) => !select.value || row.dataset[key] === select.value);
        row.hidden = !(fits && row.textContent.toLowerCase().includes(asked));
        here += !row.hidden;
      }
      fold.hidden = filtered && !here;
      fold.open = filtered && here > 0;
      n += here;
    }
    count.textContent = filtered ? `${n} claims` : "";
  }

  place.append(count);
  grid.prepend(place);
})();
