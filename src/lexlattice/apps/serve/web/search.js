// Search in the act: a dialog for article numbers, words and headings; then from hit to hit in the text.

import { actText } from "./act.js";
import { byId, make, moveFocus } from "./dom.js";
import { highlightHits, initHighlights } from "./highlight.js";
import { t } from "./i18n.js";
import { setSheet } from "./layout.js";
import { find, indexOf } from "./searching.js";
import { snippetOf } from "./snippets.js";
import { goToUnit, listen, state, view } from "./state.js";

/** Milliseconds without a key after which the search runs. */
const PAUSE = 80;
/** Hits that are listed at first, of all and of one provision; and how many more each time that more are asked for. */
const [MAX_LISTED, MAX_PER_PROVISION, MORE] = [80, 4, 500];

/** The folded texts of a view. */
let index = { of: null, passages: [] };
/** What was found, in all and by number; and how many are listed at most, of all and of one provision. */
let [found, room] = [{ provisions: [], hits: [] }, [MAX_LISTED, MAX_PER_PROVISION]];
/** The hits listed, in the order of their options, null for more of them; the selected option; and the hit gone to. */
let [listed, selected, visited, lastQuery, timer] = [[], -1, -1, "", 0];

export function initSearch() {
  const field = byId("search-text");
  initHighlights();
  listen((changed) => {
    if (changed.has("version")) endSearch();
    if (changed.has("words")) showBar();
  });
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
    if (option) choose(Number(option.dataset.index));
  });
  for (const [id, direction] of [["next-hit", 1], ["previous-hit", -1]]) {
    byId(id).addEventListener("click", () => {
      step(direction);
      byId(id).focus({ preventScroll: true }); // for the next press
    });
  }
  byId("end-search").addEventListener("click", () => {
    endSearch();
    moveFocus(actText().elementOf(state.current) ?? byId("act"));
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
  if (event.key === "Escape") return byId("hit-bar").contains(event.target) ? byId("end-search").click() : endSearch();
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
    if (listed.length) choose(Math.max(0, selected));
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
  found = find(index.passages, view(), query);
  visited = -1;
  room = [MAX_LISTED, MAX_PER_PROVISION];
  showBar();
  render();
}

function render() {
  const list = byId("search-hits");
  const { provisions, hits } = found;
  const [most, mostOfOne] = room;
  listed = [];
  list.lang = view().language;
  const groups = [...Map.groupBy(hits, ({ passage }) => keyOf(passage)).values()].sort((a, b) => rankOf(a) - rankOf(b));
  const parts = provisions.length ? [groupOf("", provisions, provisions.length)] : [];
  for (const group of groups) {
    if (listed.length >= most) break;
    parts.push(groupOf(nameOf(group[0].passage), group.slice(0, mostOfOne), group.length));
  }
  const [shown, count] = [listed.length, provisions.length + hits.length];
  if (shown < count) parts.push(moreOption());
  list.replaceChildren(...parts);
  const counts = [t("hits", { count }), ...(shown < count ? [t("hits_shown", { count: shown })] : [])];
  byId("search-count").textContent = lastQuery.trim() && (count ? counts.join(" · ") : t("no_hits"));
  byId("search-text").setAttribute("aria-expanded", String(listed.length > 0));
  selected = -1;
  select(listed.length ? 0 : -1);
}

/** What is found in headings comes first, then articles, annexes and the rest, each in the order of the act. */
function rankOf(group) {
  if (group.some(({ passage }) => passage.isHeading)) return 0;
  return 1 + (["article", "annex"].indexOf(view().sections[group[0].passage.section].kind) + 3) % 3;
}

/** The last option of a list that is cut. */
function moreOption() {
  const number = listed.push(null) - 1;
  const lang = document.documentElement.lang;
  return make("div", { ...optionNames(number), class: "hit more", lang }, t("show_more"));
}

/** Go to the hit of an option, or list more hits and select the first one that is new. */
function choose(number) {
  if (listed[number]) return go(listed[number]);
  const before = new Set(listed);
  room = [room[0] + MORE, Infinity];
  render();
  select(Math.max(0, listed.findIndex((hit) => hit && !before.has(hit))));
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
    // Hits below the name of their article tell the provision to screen readers only.
    const [citation, number] = [citationOf(hit), listed.push(hit) - 1];
    const before = name ? make("span", { class: "visually-hidden" }, `${citation}: `) : make("b", {}, `${citation} `);
    return make("div", optionNames(number), ...(citation ? [before] : []), ...snippetOf(hit));
  });
  return make("div", { role: "group", "aria-label": name || t("search") }, ...(head ? [head] : []), ...options);
}

const optionNames = (number) => ({
  class: "hit",
  role: "option",
  id: `hit-${number}`,
  "data-index": number,
  "aria-selected": "false",
});

/** The citation of the provision that a hit is in; empty between provisions. */
const citationOf = ({ passage: { place, isHeading } }) => {
  const { units, provisions } = view();
  const unit = isHeading ? undefined : units[place];
  return unit ? (provisions[unit.provision] ?? unit.citation) : "";
};

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
  visited = found.hits.indexOf(hit);
  highlightHits(found.hits, hit);
  showBar();
  const { place, piece, section, isHeading } = hit.passage;
  if (place >= 0 && !isHeading) return goToUnit(place, "search");
  if (place >= 0) goToUnit(place, "search");
  const element = piece >= 0 ? actText().elements.furniture[piece] : actText().elements.headings[section];
  if (!element) return;
  setSheet(false);
  actText().revealElement(element, { isStart: true });
  moveFocus(element);
}

/** Go to the next or previous hit; after the last comes the first. */
const step = (direction) => go(found.hits.at((visited + direction) % found.hits.length));

/** The bar that leads from hit to hit: the number of the hit gone to, and for screen readers its provision. */
function showBar() {
  byId("hit-bar").hidden = visited < 0;
  if (visited < 0) return;
  const hit = found.hits[visited];
  const name = make("span", { class: "visually-hidden", lang: view().language }, citationOf(hit) || nameOf(hit.passage));
  byId("hit-count").replaceChildren(`${visited + 1} ${t("of")} ${found.hits.length} `, name);
}

function endSearch() {
  [found, listed, selected, visited, lastQuery] = [{ provisions: [], hits: [] }, [], -1, -1, ""];
  showBar();
  highlightHits([]);
  byId("search-hits").replaceChildren();
}
