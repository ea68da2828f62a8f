// On paper nothing can be opened: what a page folds is open while it is printed.
(function () {
  "use strict";
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll(".bd-article details:not([open])"));
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
})();
