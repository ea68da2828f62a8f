// Filters and sorting of the scoreboard, with the state in the address. Without this script the whole table is shown.
(function () {
  "use strict";
  const place = document.querySelector(".scoreboard-filter");
  const table = document.querySelector("table.scoreboard.claims");
  if (!place || !table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const state = new URLSearchParams(location.search);
  const controls = {};

  function control(name, text, element) {
    const label = document.createElement("label");
    if (element.type === "checkbox") label.append(element, ` ${text}`); else label.append(text, element);
    place.append(label);
    controls[name] = element;
    element.addEventListener("input", show);
    element.addEventListener("change", show);
    return element;
  }

  function choice(name, text, values) {
    const select = document.createElement("select");
    select.add(new Option("all", ""));
    for (const value of values) select.add(new Option(value, value));
    select.value = state.get(name) || "";
    if (select.selectedIndex < 0) select.value = ""; // an address with an outcome that no claim has (any more)
    return control(name, text, select);
  }

  function tick(name, text) {
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: state.has(name) });
    return control(name, text, box);
  }

  const values = (key) => [...new Set(rows.map((row) => row.dataset[key]))].sort();
  choice("section", "section", [...new Set(rows.map((row) => row.dataset.section))]);
  choice("real", "BERT", values("real"));
  choice("mini", "mini", values("mini"));
  choice("kind", "evidence", values("kinds").flatMap((v) => v.split(" ")).filter((v, k, all) => v && all.indexOf(v) === k));
  tick("disagree", "BERT and mini disagree");
  tick("twin", "untrained passes too");
  const search = Object.assign(document.createElement("input"), { type: "search", value: state.get("words") || "" });
  control("words", "words", search);
  const clear = Object.assign(document.createElement("button"), { type: "button", textContent: "show all" });
  clear.addEventListener("click", () => {
    for (const element of Object.values(controls)) {
      if (element.type === "checkbox") element.checked = false; else element.value = "";
    }
    show();
  });
  place.append(clear);
  const count = document.createElement("p");
  count.className = "scoreboard-count";
  count.setAttribute("role", "status");
  place.after(count);

  // How often each sign stands in a column: "3 ✓ 2 ◐"
  function tally(shown, column) {
    const signs = shown.map((row) => row.cells[column].dataset.sign);
    return ["✓", "◐", "✕", "?", "–"].map((s) => [signs.filter((x) => x === s).length, s]).filter(([n]) => n)
      .map(([n, s]) => `${n} ${s}`).join("  ");
  }

  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, k) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: head.textContent });
    button.addEventListener("click", () => {
      const down = state.get("sort") === String(k) && !state.has("down");
      state.set("sort", k);
      if (down) state.set("down", 1); else state.delete("down");
      show();
    });
    head.replaceChildren(button);
  });

  function fits(row) {
    const text = row.textContent.toLowerCase();
    const kinds = row.dataset.kinds.split(" ");
    return (!controls.section.value || row.dataset.section === controls.section.value)
      && (!controls.real.value || row.dataset.real === controls.real.value)
      && (!controls.mini.value || row.dataset.mini === controls.mini.value)
      && (!controls.kind.value || kinds.includes(controls.kind.value))
      && (!controls.disagree.checked || row.dataset.disagree === "1")
      && (!controls.twin.checked || row.dataset.twin === "1")
      && search.value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }

  function show() {
    for (const row of rows) row.hidden = !fits(row);
    const shown = rows.filter((row) => !row.hidden);
    const by = heads[state.get("sort")] ? state.get("sort") : null;
    const sign = state.has("down") ? -1 : 1;
    // outcomes from ✓ to –; texts by their first letter or digit: "[CLS]" stands under C
    const key = (row) => (row.cells[by].dataset.rank || "") + row.cells[by].textContent.replace(/[^\p{L}\p{N} ]/gu, "");
    const ordered = by === null ? rows : [...rows].sort((a, b) => sign * key(a).localeCompare(key(b)));
    body.append(...ordered);
    heads.forEach((head, k) => {
      if (String(k) === by) head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    for (const [name, element] of Object.entries(controls)) {
      const value = element.type === "checkbox" ? (element.checked ? "1" : "") : element.value;
      if (value) state.set(name, value); else state.delete(name);
    }
    const query = state.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
    const counts = shown.length ? [1, 2, 3].map((k) => `${heads[k].textContent}: ${tally(shown, k)}`) : [];
    count.textContent = [`${shown.length} of ${rows.length} claims`, ...counts].join(" · ");
    clear.disabled = !Object.values(controls).some((e) => (e.type === "checkbox" ? e.checked : e.value));
  }

  place.hidden = false;
  show();
})();
