// The act itself: all of its provisions, with a bar that shows how much each matters, and the chosen ones marked.

import { shade } from "./choosing.js";
import { byId, firstSeen, make, putBelowTop, show } from "./dom.js";
import { goTo, listen, salience, state, view } from "./state.js";
import { tableOf } from "./tables.js";
import { word } from "./words.js";

/** The span of each unit, and the paragraphs with the places of their units. */
let spans = [];
let paragraphs = [];
let marked = new Set();

export function prepareAct() {
  listen((changed) => {
    if (changed.has("version")) build();
    if (changed.has("version") || changed.has("step")) paint();
    if (changed.has("chosen")) mark();
    if (changed.has("words")) for (const place of marked) spans[place].firstChild.ariaLabel = starred(place);
    if (changed.has("current")) point();
  });
  byId("act").addEventListener("keydown", walk);
  byId("text-of-act").addEventListener("click", (event) => {
    const span = event.target.closest(".unit");
    if (!span || !(getSelection().isCollapsed || event.target.closest("a"))) return;
    event.preventDefault();
    goTo(Number(span.dataset.place), "act");
  });
  byId("contents-list").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    byId("contents").open = false;
    goTo(Number(link.dataset.place), "contents");
  });
}

function build() {
  const { sections, units, language } = view();
  const text = byId("text-of-act");
  const entries = [];
  [spans, paragraphs, marked] = [[], [], new Set()];
  text.lang = byId("contents-list").lang = language;
  text.replaceChildren();
  let [part, paragraph, index, around] = [null, null, -1, []];
  for (const [place, unit] of units.entries()) {
    if (unit.section !== index) {
      index = unit.section;
      const section = sections[index];
      for (const division of section.enclosing.filter((name, depth) => around[depth] !== name)) {
        text.append(make("h3", { class: "division" }, division));
        entries.push(make("li", { class: "division" }, division));
      }
      around = section.enclosing;
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
  const { place, offset } = state.seen.act;
  if (place >= 0) putBelowTop(byId("act"), spans[place], offset);
}

/** The place of what stands first in the act, and how far below its top. */
export function topmost() {
  const pane = byId("act");
  const found = firstSeen(pane, spans, pane.querySelector(".act-head").offsetHeight);
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

/** Shade the bars beside the paragraphs, and what is marked. */
function paint() {
  const { values, highest } = salience();
  for (const { element, places, depth } of paragraphs) {
    const most = Math.max(...places.map((place) => values[place]));
    element.className = `paragraph depth-${depth} s${shade(most, highest)}`;
  }
}

/** Mark what is chosen, with a way to its item; only what changed is touched. */
function mark() {
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
    spans[place].prepend(make("a", { class: "star", href: address, "aria-label": starred(place) }, "★"));
  }
  marked = new Set(state.chosen);
}

/** Where a star leads. */
const starred = (place) => `${word("summary")}: ${view().units[place].citation}`;

function point() {
  for (const old of document.querySelectorAll(".act [aria-current]")) old.removeAttribute("aria-current");
  const span = spans[state.current];
  if (!span) return;
  span.setAttribute("aria-current", "true");
  if (state.origin !== "act") show(span, { atOnce: state.origin === "version" });
  if (state.origin !== "contents" && state.origin !== "keys") return;
  span.tabIndex = -1;
  span.focus({ preventScroll: true });
}

/** J and K lead from provision to provision, wherever these keys are on the keyboard. */
function walk(event) {
  const way = { KeyJ: 1, KeyK: -1 }[event.code];
  if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
  const { place } = state.current < 0 ? topmost() : { place: state.current + way };
  if (spans[place]) goTo(place, "keys");
}
