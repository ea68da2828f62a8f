// Points of a picture that say what they are, and kinds that can be left out. Without this script the picture is whole,
// each point has its title, and the tables beside it have the same figures.
(function () {
  "use strict";
  for (const place of document.querySelectorAll(".tradeoff")) {
    const points = Array.from(place.querySelectorAll("g.pt"));
    const said = place.querySelector(".tradeoff-said");
    const key = place.querySelector(".tradeoff-key");
    if (!points.length || !said || !key) continue;
    const hint = "Point at a model, or go through them with the arrow keys.";
    said.textContent = hint;

    // Whose models: what the key names becomes a box to be ticked.
    const boxes = Array.from(key.querySelectorAll("span")).map((name) => {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
      const label = document.createElement("label");
      label.className = name.className;
      label.append(box, ` ${name.textContent}`);
      name.replaceWith(label);
      box.dataset.whose = name.dataset.whose;
      box.addEventListener("change", show);
      return box;
    });
    const ways = [...new Set(points.map((point) => point.dataset.way))].filter((way) => way !== "baseline").sort();
    const select = document.createElement("select");
    select.add(new Option("all ways", ""));
    for (const way of ways) select.add(new Option(way, way));
    select.addEventListener("change", show);
    const label = document.createElement("label");
    label.append("how: ", select);
    key.append(label);

    const shown = () => points.filter((point) => !point.hasAttribute("hidden"));

    // One point at a time can be reached by Tab; the arrows go on from it, from left to right.
    function choose(point, focus) {
      for (const other of points) {
        other.setAttribute("tabindex", other === point ? "0" : "-1");
        other.classList.toggle("chosen", other === point);
      }
      said.textContent = point ? point.getAttribute("aria-label") : hint;
      if (focus && point) point.focus();
    }

    function show() {
      const whose = boxes.filter((box) => box.checked).map((box) => box.dataset.whose);
      for (const point of points) {
        const fits = whose.includes(point.dataset.whose) && (!select.value || point.dataset.way === select.value);
        point.toggleAttribute("hidden", !fits);
      }
      const front = place.querySelector(".front");
      if (front) front.toggleAttribute("hidden", !whose.includes("ours") || select.value !== "");
      choose(null);
      const left = shown();
      if (left.length) left[0].setAttribute("tabindex", "0");
      said.textContent = left.length === points.length ? hint : `${left.length} of ${points.length} models`;
    }

    const across = (point) => parseFloat(point.querySelector("circle").getAttribute("cx"));
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    for (const point of points) {
      for (const event of ["mouseenter", "focus", "click"]) point.addEventListener(event, () => choose(point));
      point.addEventListener("keydown", (event) => {
        if (!(event.key in step)) return;
        event.preventDefault();
        const order = shown().sort((a, b) => across(a) - across(b));
        const next = order[(order.indexOf(point) + step[event.key] + order.length) % order.length];
        choose(next, true);
      });
    }
    show();
  }
})();
