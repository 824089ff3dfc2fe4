// Search in the act: a dialog for article numbers, words and headings; then from hit to hit in the text.

import { actText } from "./act.js";
import { byId, make, moveFocus } from "./dom.js";
import { highlightHits, initHighlights } from "./highlight.js";
import { t } from "./i18n.js";
import { find, indexOf } from "./searching.js";
import { goToUnit, listen, view } from "./state.js";

/** Milliseconds without a key after which the search runs. */
const PAUSE = 80;
/** Hits that are listed, of all and of one provision; all are counted, and F3 leads to all of them. */
const [MAX_LISTED, MAX_PER_PROVISION] = [80, 4];
/** Letters around a hit. */
const AROUND = 70;

/** The folded texts of a view. */
let index = { of: null, passages: [] };
/** @type {import("./searching.js").Hit[]} */
let hits = [];
/** The hits listed, in the order of their options; the selected option; and the hit gone to. */
let [listed, selected, visited, lastQuery, timer] = [[], -1, -1, "", 0];

export function initSearch() {
  const field = byId("search-text");
  initHighlights();
  listen((changed) => changed.has("version") && endSearch());
  byId("open-search").addEventListener("click", openSearch);
  addEventListener("keydown", onPageKey);
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(run, PAUSE);
  });
  field.addEventListener("keydown", onFieldKey);
  byId("search-form").addEventListener("submit", (event) => event.preventDefault());
  byId("search-hits").addEventListener("click", ({ target }) => {
    const option = target.closest("[role=option]");
    if (option) go(listed[Number(option.dataset.index)]);
  });
}

/** Open the dialog, with the last query selected. */
function openSearch() {
  const dialog = byId("search");
  if (!view() || dialog.open) return;
  dialog.showModal();
  byId("search-text").select();
  run();
}

/** From hit to hit with F3, until Escape. */
function onPageKey(event) {
  if (event.defaultPrevented || visited < 0 || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return endSearch();
  if (event.key !== "F3") return;
  event.preventDefault();
  step(event.shiftKey ? -1 : 1);
}

function onFieldKey(event) {
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
  if (event.key in moves && listed.length) {
    select(Math.max(0, Math.min(listed.length - 1, selected + moves[event.key])));
  } else if (event.key === "Enter" && !event.isComposing) {
    clearTimeout(timer);
    run();
    if (listed.length) go(listed[Math.max(0, selected)]);
  } else if (event.key === "Escape") byId("search").close();
  else return;
  event.preventDefault();
}

// --- the list of hits ---

function run() {
  const query = byId("search-text").value;
  if (index.of !== view()) index = { of: view(), passages: indexOf(view()) };
  else if (query === lastQuery && byId("search-hits").children.length) return;
  lastQuery = query;
  const found = find(index.passages, view(), query);
  hits = found.hits;
  visited = -1;
  render(found);
  const count = found.provisions.length + hits.length;
  byId("search-count").textContent = query.trim() && (count ? t("hits", { count }) : t("no_hits"));
}

function render({ provisions }) {
  const list = byId("search-hits");
  listed = [];
  list.lang = view().language;
  const groups = Map.groupBy(hits, ({ passage }) => keyOf(passage));
  const parts = provisions.length ? [groupOf("", provisions, provisions.length)] : [];
  for (const group of groups.values()) {
    if (listed.length >= MAX_LISTED) break;
    parts.push(groupOf(nameOf(group[0].passage), group.slice(0, MAX_PER_PROVISION), group.length));
  }
  list.replaceChildren(...parts);
  byId("search-text").setAttribute("aria-expanded", String(listed.length > 0));
  selected = -1;
  select(listed.length ? 0 : -1);
}

/** Hits are grouped by article or annex, and by recital. */
const keyOf = ({ section, place }) => `${section} ${recitalOf(section, place)}`;

const recitalOf = (section, place) =>
  view().sections[section].kind === "recitals" && place >= 0 ? view().units[place].id.split(".")[0] : "";

function nameOf({ section, place }) {
  const { name, heading } = view().sections[section];
  const recital = recitalOf(section, place);
  if (recital) return view().provisions[recital] ?? view().units[place].citation;
  return [name, heading].filter(Boolean).join(" · ");
}

function groupOf(name, group, count) {
  const head = name && make("div", { class: "hit-head", role: "presentation" }, make("span", {}, name));
  if (count > 1 && head) head.append(make("span", {}, String(count)));
  const options = group.map((hit) => {
    const number = listed.push(hit) - 1;
    const names = { class: "hit", role: "option", id: `hit-${number}`, "data-index": number, "aria-selected": "false" };
    return make("div", names, ...(name ? [] : [make("b", {}, citationOf(hit))]), ...snippetOf(hit));
  });
  return make("div", { role: "group", "aria-label": name || t("search") }, ...(head ? [head] : []), ...options);
}

const citationOf = ({ passage: { place } }) => {
  const { units, provisions } = view();
  return provisions[units[place].provision] ?? units[place].citation;
};

/** The text around a hit, with what was found marked. */
function snippetOf({ passage: { text }, marks }) {
  const first = marks[0]?.[0] ?? 0;
  const last = marks.at(-1)?.[1] ?? 0;
  // From the beginning of a word to the end of one.
  const from = first <= AROUND ? 0 : text.indexOf(" ", first - AROUND) + 1 || first;
  const space = text.lastIndexOf(" ", last + 2 * AROUND);
  const until = last + 2 * AROUND >= text.length ? text.length : Math.max(last, space);
  const parts = [from ? "… " : ""];
  let at = Math.min(from, first);
  for (const [start, end] of marks) {
    parts.push(text.slice(at, start), make("mark", {}, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at, until), until < text.length ? " …" : ""];
}

function select(number) {
  const [field, options] = [byId("search-text"), byId("search-hits").querySelectorAll("[role=option]")];
  options[selected]?.setAttribute("aria-selected", "false");
  selected = number;
  options[number]?.setAttribute("aria-selected", "true");
  options[number]?.scrollIntoView({ block: "nearest" });
  if (number < 0) field.removeAttribute("aria-activedescendant");
  else field.setAttribute("aria-activedescendant", options[number].id);
}

// --- in the text ---

/** Go to a hit, and highlight all hits in the text. */
function go(hit) {
  byId("search").close();
  visited = hits.indexOf(hit);
  highlightHits(hits, hit);
  const { place, piece, section, isHeading } = hit.passage;
  if (place >= 0 && !isHeading) return goToUnit(place, "search");
  if (place >= 0) goToUnit(place, "search");
  const element = piece >= 0 ? actText().elements.furniture[piece] : actText().elements.headings[section];
  if (!element) return;
  actText().revealElement(element, { isStart: true });
  moveFocus(element);
}

/** Go to the next or previous hit; after the last comes the first. */
const step = (direction) => go(hits[(visited + direction + hits.length) % hits.length]);

function endSearch() {
  [hits, listed, selected, visited, lastQuery] = [[], [], -1, -1, ""];
  highlightHits([]);
  byId("search-hits").replaceChildren();
}
