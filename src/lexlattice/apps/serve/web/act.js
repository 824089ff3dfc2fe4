// The act pane: all provisions, with a bar that shows their salience, and the selected ones marked.

import { byId, firstVisible, make, scrollToOffset, show, tableOf } from "./dom.js";
import { t } from "./i18n.js";
import { shadeOf } from "./selection.js";
import { goToUnit, listen, salience, state, view } from "./state.js";

/** The element of each unit, and the paragraphs with the indices of their units. */
let spans = [];
let paragraphs = [];
let marked = new Set();

export function initAct() {
  listen((changed) => {
    if (changed.has("version")) render();
    if (changed.has("version") || changed.has("step")) updateShades();
    if (changed.has("chosen")) updateMarks();
    if (changed.has("words")) for (const place of marked) spans[place].firstChild.ariaLabel = starLabel(place);
    if (changed.has("current")) markCurrent();
  });
  byId("act").addEventListener("keydown", onKey);
  byId("text-of-act").addEventListener("click", (event) => {
    const span = event.target.closest(".unit");
    if (!span || !(getSelection().isCollapsed || event.target.closest("a"))) return;
    event.preventDefault();
    goToUnit(Number(span.dataset.place), "act");
  });
  byId("contents-list").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    byId("contents").open = false;
    goToUnit(Number(link.dataset.place), "contents");
  });
}

function render() {
  const { sections, units, language } = view();
  const text = byId("text-of-act");
  const entries = [];
  [spans, paragraphs, marked] = [[], [], new Set()];
  text.lang = byId("contents-list").lang = language;
  text.replaceChildren();
  let [part, paragraph, index, enclosing] = [null, null, -1, []];
  for (const [place, unit] of units.entries()) {
    if (unit.section !== index) {
      index = unit.section;
      const section = sections[index];
      for (const division of section.enclosing.filter((name, depth) => enclosing[depth] !== name)) {
        text.append(make("h3", { class: "division" }, division));
        entries.push(make("li", { class: "division" }, division));
      }
      enclosing = section.enclosing;
      part = make("div", { class: `part ${section.kind}` }, ...headingOf(section));
      text.append(part);
      entries.push(entryOf(section, unit, place));
    }
    const isTable = unit.kind === "table";
    const span = make(isTable ? "div" : "span", { class: "unit", id: `u:${unit.id}`, "data-place": place });
    span.append(isTable ? tableOf(unit.text) : unit.text);
    if (paragraph && unit.goes_on && !isTable && paragraph.element.parentNode === part) paragraph.element.append(" ", span);
    else {
      paragraph = { element: make(isTable ? "div" : "p", { class: "paragraph" }, span), places: [], depth: unit.depth };
      paragraphs.push(paragraph);
      part.append(paragraph.element);
    }
    paragraph.places.push(place);
    spans.push(span);
  }
  byId("contents-list").replaceChildren(...entries);
  byId("act").scrollTop = 0;
  const { place, offset } = state.scroll.act;
  if (place >= 0) scrollToOffset(byId("act"), spans[place], offset);
}

/** The first visible unit and its distance from the top. */
export function firstVisibleUnit() {
  const pane = byId("act");
  const found = firstVisible(pane, spans, pane.querySelector(".act-head").offsetHeight);
  return { place: found ? spans.indexOf(found.element) : -1, offset: found?.offset ?? 0 };
}

function headingOf({ label, heading, enclosing }) {
  const lines = [label, heading].filter(Boolean).map((line) => make("span", {}, line));
  return lines.length ? [make(enclosing.length ? "h4" : "h3", {}, ...lines)] : [];
}

function entryOf({ name, heading }, unit, place) {
  const text = [name, heading].filter(Boolean).join(" · ") || unit.citation;
  return make("li", {}, make("a", { href: `#${unit.id}`, "data-place": place }, text));
}

/** Shade the bars beside the paragraphs by salience. */
function updateShades() {
  const { values, highest } = salience();
  for (const { element, places, depth } of paragraphs) {
    const most = Math.max(...places.map((place) => values[place]));
    element.className = `paragraph depth-${depth} s${shadeOf(most, highest)}`;
  }
}

/** Mark the selected units with a link to their item; only changed units are touched. */
function updateMarks() {
  const { units } = view();
  for (const place of marked) {
    if (state.chosen.has(place)) continue;
    spans[place].classList.remove("chosen");
    spans[place].querySelector("a")?.remove();
  }
  for (const place of state.chosen) {
    if (marked.has(place)) continue;
    spans[place].classList.add("chosen");
    const address = `#${units[place].id}`;
    spans[place].prepend(make("a", { class: "star", href: address, "aria-label": starLabel(place) }, "★"));
  }
  marked = new Set(state.chosen);
}

/** The label of the link to an item. */
const starLabel = (place) => `${t("summary")}: ${view().units[place].citation}`;

function markCurrent() {
  for (const old of document.querySelectorAll(".act [aria-current]")) old.removeAttribute("aria-current");
  const span = spans[state.current];
  if (!span) return;
  span.setAttribute("aria-current", "true");
  if (state.origin !== "act") show(span, { atOnce: state.origin === "version" });
  if (state.origin !== "contents" && state.origin !== "keys") return;
  span.tabIndex = -1;
  span.focus({ preventScroll: true });
}

/** Go to the next or previous provision with J and K, by key position on any keyboard layout. */
function onKey(event) {
  const direction = { KeyJ: 1, KeyK: -1 }[event.code];
  if (!direction || event.ctrlKey || event.altKey || event.metaKey) return;
  const { place } = state.current < 0 ? firstVisibleUnit() : { place: state.current + direction };
  if (spans[place]) goToUnit(place, "keys");
}
