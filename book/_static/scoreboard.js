// Filters and sorting of the scoreboard, with the state in the address. Without this script the whole table is shown.
(function () {
  "use strict";
  const place = document.querySelector(".scoreboard-filter");
  const table = document.querySelector("table.scoreboard.claims");
  if (!place || !table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const state = new URLSearchParams(location.search);
  const controls = Array.from(place.querySelectorAll("select, input"));
  const clear = place.querySelector("button"), count = document.querySelector(".scoreboard-count");
  const value = (control) => (control.type === "checkbox" ? (control.checked ? "1" : "") : control.value);
  for (const control of controls) {
    if (control.type === "checkbox") control.checked = state.has(control.name);
    else control.value = state.get(control.name) || "";
    if (control.selectedIndex < 0) control.value = ""; // an address with an outcome that no claim has (any more)
    for (const event of ["input", "change"]) control.addEventListener(event, show);
  }
  clear.addEventListener("click", () => {
    for (const control of controls) {
      if (control.type === "checkbox") control.checked = false; else control.value = "";
    }
    show();
  });

  // How often each sign, or the word "reported", stands in a column: "3 ✓ 2 ◐"
  function tally(shown, column) {
    const signs = shown.map((row) => row.cells[column].dataset.sign);
    return ["✓", "◐", "✕", "?", "reported", "–"].map((s) => [signs.filter((x) => x === s).length, s]).filter(([n]) => n)
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

  // Words are looked for singly, in any order; of kinds of evidence a row may have several.
  function fits(row) {
    const text = row.textContent.toLowerCase();
    return controls.every((control) => {
      const wanted = value(control);
      if (!wanted) return true;
      if (control.name === "words") return wanted.toLowerCase().split(/\s+/).every((word) => text.includes(word));
      return control.name === "kind" ? row.dataset.kinds.split(" ").includes(wanted) : row.dataset[control.name] === wanted;
    });
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
    for (const control of controls) {
      if (value(control)) state.set(control.name, value(control)); else state.delete(control.name);
    }
    const query = state.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
    const counts = shown.length ? [1, 2, 3].map((k) => `${heads[k].textContent}: ${tally(shown, k)}`) : [];
    count.textContent = [`${shown.length} of ${rows.length} claims`, ...counts].join(" · ");
    clear.disabled = !controls.some(value);
  }

  place.hidden = false;
  show();
})();
