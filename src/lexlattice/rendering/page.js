// Links do the work; this adds clicks beside them, and shows both ends of the one that was followed.
(() => {
  "use strict";

  const goalOf = ({ hash }) => document.getElementById(decodeURIComponent(hash.slice(1)));

  function showBothEnds() {
    for (const old of document.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    const link = [...document.links].find(({ hash }) => hash && hash === location.hash);
    if (!link) return;
    const target = goalOf(link);
    const ends = [link, target].map((end) => end.closest(".item, .place"));
    const item = ends.find((end) => end.matches(".item"));
    // An item may hold several sentences, each with its own place.
    const places = [...document.querySelectorAll(".place")].filter((place) => item.contains(goalOf(place.querySelector("a"))));
    for (const end of [item, ...places]) end.setAttribute("aria-current", "true");
    // Going back or forth, browsers scroll the window, but no side of it.
    const side = target.closest(".summary, .act");
    if (side.scrollHeight > side.clientHeight) target.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("click", (event) => {
    const isForSelecting = !getSelection().isCollapsed;
    if (isForSelecting || event.target.closest("a")) return;
    event.target.closest(".item, .place")?.querySelector("a").click();
  });
  addEventListener("hashchange", showBothEnds);
  showBothEnds();
})();
