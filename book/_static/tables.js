// Long tables of runs and models: sorted by any column, narrowed down by words. Without this script a table is whole.
(function () {
  "use strict";
  const LONG = 8; // lines from which on a table cannot be taken in at a glance
  for (const place of document.querySelectorAll(".family-runs")) {
    const table = place.querySelector("table");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    if (rows.length < LONG) continue;

    const number = (text) => parseFloat(text.replace(/,/g, "").replace("−", "-"));
    const none = (text) => text === "–" || text === "";
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, k) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: head.textContent });
      const texts = rows.map((row) => row.cells[k].textContent.trim());
      const figures = texts.every((text) => none(text) || !isNaN(number(text))) && !texts.every(none);
      button.addEventListener("click", () => {
        const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        const key = (row) => row.cells[k].textContent.trim();
        const compare = (a, b) => figures ? number(a) - number(b) : a.localeCompare(b);
        // what has no figure stands last, whichever way the others go
        body.append(...rows.slice().sort((a, b) => none(key(a)) - none(key(b)) || sign * compare(key(a), key(b)) || 0));
      });
      head.replaceChildren(button);
    });

    const search = Object.assign(document.createElement("input"), { type: "search" });
    const label = document.createElement("label");
    label.append("words: ", search);
    const count = document.createElement("span");
    count.setAttribute("role", "status");
    const bar = document.createElement("p");
    bar.className = "table-filter";
    bar.append(label, count);
    place.before(bar);

    const texts = new Map(rows.map((row) => [row, Array.from(row.cells, (cell) => ` ${cell.textContent}`).join("").toLowerCase()]));
    function show() {
      const words = search.value.toLowerCase().split(/\s+/); // each begins a word of the line: "rate" is not in "generated"
      for (const row of rows) row.hidden = !words.every((word) => texts.get(row).includes(` ${word}`));
      const left = rows.filter((row) => !row.hidden).length;
      count.textContent = left === rows.length ? `${left} lines; a heading sorts` : `${left} of ${rows.length} lines`;
    }
    search.addEventListener("input", show);
    show();
  }
})();
