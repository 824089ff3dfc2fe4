// Links do the work; this adds clicks beside them, and shows both ends of the one that was followed.
(() => {
  "use strict";

  const places = () => [...document.querySelectorAll(".place")];
  const itemOf = (place) => goalOf(place.querySelector("a"));

  function goalOf({ hash }) {
    try {
      return document.getElementById(decodeURIComponent(hash.slice(1)));
    } catch {
      return null; // what is no address may still stand behind a #
    }
  }

  function showBothEnds() {
    for (const old of document.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    const target = goalOf(location);
    const item = target?.closest(".item") ?? (target?.matches(".place") ? itemOf(target).closest(".item") : null);
    if (!item) return;
    // An item may hold several sentences and points, each with its own place.
    const ends = [item, ...places().filter((place) => item.contains(itemOf(place)))];
    for (const end of ends) end.setAttribute("aria-current", "true");
    // Going back or forth, browsers scroll the window, but no side of it.
    const side = target.closest(".summary, .act");
    if (side.scrollHeight > side.clientHeight) target.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("click", (event) => {
    const isForSelecting = !getSelection().isCollapsed;
    if (isForSelecting || event.target.closest("a, details")) return;
    const piece = event.target.closest(".item [id]");
    const place = piece && places().find((place) => itemOf(place) === piece);
    if (place) location.hash = place.id;
    else event.target.closest(".item, .place")?.querySelector("a").click();
  });
  addEventListener("hashchange", showBothEnds);
  showBothEnds();
})();
