// Links do the work; this adds clicks beside them, and shows both ends of the one that was followed.
(() => {
  "use strict";

  const PREFIX = "item:";

  function showBothEnds() {
    const name = decodeURIComponent(location.hash.slice(1));
    const unit = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
    for (const old of document.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    const item = document.getElementById(PREFIX + unit);
    if (item) {
      item.setAttribute("aria-current", "true");
      document.getElementById(unit).setAttribute("aria-current", "true");
    }
  }

  document.addEventListener("click", (event) => {
    const isForSelecting = !getSelection().isCollapsed;
    if (isForSelecting || event.target.closest("a")) return;
    event.target.closest(".item, .place")?.querySelector("a").click();
  });
  addEventListener("hashchange", showBothEnds);
  showBothEnds();
})();
