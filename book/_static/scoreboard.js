// Filters of the scoreboard: by section, by verdict, by words. Without this script the whole table is shown.
(function () {
  "use strict";
  const place = document.querySelector(".scoreboard-filter");
  if (!place) return;
  const tables = Array.from(document.querySelectorAll("table.scoreboard[data-section]"));
  const rows = tables.flatMap((table) => Array.from(table.tBodies[0].rows));

  function control(text, element) {
    const label = document.createElement("label");
    label.append(text, element);
    place.append(label);
    element.addEventListener("input", show);
    element.addEventListener("change", show);
    return element;
  }

  function choice(text, values) {
    const select = document.createElement("select");
    for (const value of ["all", ...values]) select.add(new Option(value, value === "all" ? "" : value));
    return control(text, select);
  }

  const section = choice("section", tables.map((table) => table.dataset.section));
  const verdict = choice("verdict", [...new Set(rows.map((row) => row.dataset.verdict))].sort());
  const words = control("words", Object.assign(document.createElement("input"), { type: "search" }));
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  place.append(count);

  function show() {
    const wanted = words.value.trim().toLowerCase();
    let shown = 0;
    for (const table of tables) {
      let any = false;
      for (const row of table.tBodies[0].rows) {
        const fits = (!section.value || table.dataset.section === section.value)
          && (!verdict.value || row.dataset.verdict === verdict.value)
          && row.textContent.toLowerCase().includes(wanted);
        row.hidden = !fits;
        any ||= fits;
        shown += fits;
      }
      (table.closest("section") || table).hidden = !any;
    }
    count.textContent = `${shown} of ${rows.length} claims`;
  }

  place.hidden = false;
  show();
})();
