// The contents: a tree of divisions and articles, with stars and strength, that follows the place being read.

import { actText } from "./act.js";
import { byId, isCapitals, make, moveFocus } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { closeContents, setSheet } from "./layout.js";
import { shadeOf } from "./selection.js";
import { goToUnit, listen, salience, setReading, state, view } from "./state.js";

/** With more entries, only the division being read is open, and those that the user opened. */
const MAX_OPEN_ENTRIES = 45;
/** Milliseconds after which the contents follow the text. */
const FOLLOW_INTERVAL = 120;
/** Arrow keys lead from entry to entry. */
const STEPS = { ArrowDown: 1, ArrowUp: -1 };
const SCROLL_KEYS = ["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End", " "];

/**
 * An entry of the tree. `sections` are those in it, `units` the places of a recital.
 * @typedef {{row: HTMLElement, link: HTMLElement, button?: HTMLElement, list?: HTMLElement, above: Entry|null,
 *   sections: number[], isAuto: boolean}} Entry
 */

/** @type {Entry[]} */
let entries = [];
/** The entries of sections, by index; of recitals, by the place of their first unit. */
let [ofSection, ofRecital] = [new Map(), new Map()];
/** @type {Entry|null} */
let current = null;
/** The place jumped to, which counts as the place being read until the user scrolls; and a timer. */
let [pinned, timer] = [-1, 0];

export function initContents() {
  listen((changed) => {
    if (changed.has("version")) render();
    if (changed.has("version") || changed.has("step")) updateStrength();
    if (["version", "chosen", "words"].some((name) => changed.has(name))) updateStars();
    if (changed.has("version") || changed.has("words")) entries.forEach(label);
    if (changed.has("current") && state.current >= 0) pinned = state.current;
    if (changed.has("version") || changed.has("current")) followSoon();
  });
  byId("contents-list").addEventListener("click", onClick);
  byId("contents-list").addEventListener("keydown", onKey);
  for (const name of ["wheel", "touchmove", "pointerdown"]) addEventListener(name, unpin, { passive: true });
  addEventListener("keydown", ({ key }) => SCROLL_KEYS.includes(key) && unpin());
  // Captured: on some screens the page scrolls, on others the pane does.
  addEventListener("scroll", ({ target }) => (target === document || target === byId("act")) && followSoon(), {
    capture: true,
    passive: true,
  });
}

// --- the tree ---

function render() {
  const { sections, language } = view();
  [entries, ofSection, ofRecital, current, pinned] = [[], new Map(), new Map(), null, -1];
  const root = make("ul", {});
  // The open divisions, outermost first.
  let open = [];
  for (const section of sections) {
    const same = section.enclosing.findIndex((name, depth) => open[depth]?.name !== name);
    open = open.slice(0, same < 0 ? section.enclosing.length : same);
    for (const name of section.enclosing.slice(open.length)) {
      const entry = addEntry(open.at(-1)?.entry.list ?? root, open.at(-1)?.entry ?? null, [name], section.first, true);
      entry.row.classList.add("division");
      open.push({ name, entry });
    }
    const above = open.at(-1)?.entry ?? null;
    const isRecitals = section.kind === "recitals";
    const names = [section.name || view().units[section.first]?.citation || "", section.heading];
    const entry = addEntry(above?.list ?? root, above, names, section.first, isRecitals);
    entry.link.dataset.section = section.index;
    ofSection.set(section.index, entry);
    for (let each = entry; each; each = each.above) each.sections.push(section.index);
    if (isRecitals) addRecitals(entry, section);
  }
  const isLong = entries.length > MAX_OPEN_ENTRIES;
  for (const entry of entries) if (entry.button) toggle(entry, !isLong && entry.row.classList.contains("division"));
  byId("contents-list").lang = language;
  byId("contents-list").replaceChildren(root);
}

function addEntry(list, above, names, first, isTree) {
  const [name, heading] = names;
  const { units, language: lang } = view();
  const link = make("a", { href: `#${units[first]?.id ?? ""}`, "data-place": first });
  link.append(make("span", { class: "branch-name", lang }, name), ...(heading ? [" ", make("span", { lang }, heading)] : []));
  const strength = make("i", { class: "strength", "aria-hidden": "true" });
  const row = make("div", { class: isCapitals(name) ? "branch capitals" : "branch" }, strength, link);
  const item = make("li", {}, row);
  const entry = { row, link, above, sections: [], isAuto: true };
  if (isTree) {
    entry.list = make("ul", {});
    entry.button = make("button", { type: "button", class: "fold quiet" }, icon("down"));
    row.prepend(entry.button);
    item.append(entry.list);
  }
  entries.push(entry);
  list.append(item);
  return entry;
}

/** Recitals are many, and have no headings: their numbers are listed. */
function addRecitals(entry, { first, last }) {
  const { units } = view();
  entry.list.className = "recital-numbers";
  let before = "";
  for (let place = first; place >= 0 && place <= last; place += 1) {
    const name = recitalOf(units[place]);
    if (name === before) continue;
    before = name;
    const number = name.replace(/^rec-/, "");
    const link = make("a", { href: `#${units[place].id}`, "data-place": place, "aria-label": citationOf(place) }, number);
    entry.list.append(make("li", {}, link));
    ofRecital.set(name, link);
  }
}

const recitalOf = (unit) => unit.id.split(".")[0];

/** The citation of the recital that begins at a place. */
const citationOf = (place) => view().provisions[recitalOf(view().units[place])] ?? view().units[place].citation;

function toggle(entry, isOpen) {
  entry.list.hidden = !isOpen;
  label(entry);
}

/** The link and the button are in the language of the page, for what they say apart from the act's own words. */
function label({ button, list, link }) {
  link.lang = document.documentElement.lang;
  if (!button) return;
  button.lang = link.lang;
  button.setAttribute("aria-expanded", String(!list.hidden));
  button.setAttribute("aria-label", `${t(list.hidden ? "expand" : "collapse")}: ${link.textContent}`);
}

// --- stars and strength ---

function updateStars() {
  const { units } = view();
  const [counts, starred] = [new Map(), new Set()];
  for (const place of state.chosen) {
    const unit = units[place];
    counts.set(unit.section, (counts.get(unit.section) ?? 0) + 1);
    if (ofRecital.has(recitalOf(unit))) starred.add(recitalOf(unit));
  }
  for (const { row, link, sections } of entries) {
    const count = sections.reduce((sum, section) => sum + (counts.get(section) ?? 0), 0);
    row.querySelector(".stars")?.remove();
    link.ariaDescription = count ? t("chosen_count", { count }) : null;
    if (count) row.append(make("span", { class: "stars", "aria-hidden": "true" }, "★", make("b", {}, String(count))));
  }
  for (const [name, link] of ofRecital) {
    link.classList.toggle("is-starred", starred.has(name));
    link.ariaDescription = starred.has(name) ? t("chosen") : null;
  }
}

/** Colour each entry by the strength of its strongest unit; what is no provision has no colour. */
function updateStrength() {
  const { values, highest } = salience();
  const { sections } = view();
  for (const { row, sections: inside } of entries) {
    let most = -1;
    for (const index of inside) {
      const { kind, first, last } = sections[index];
      if (kind === "title" || kind === "preamble" || kind === "notes" || first < 0) continue;
      for (let place = first; place <= last; place += 1) most = Math.max(most, values[place]);
    }
    row.querySelector(".strength").className = most < 0 ? "strength" : `strength s${shadeOf(most, highest)}`;
  }
}

// --- clicks and keys ---

function onClick(event) {
  const button = event.target.closest(".fold");
  const link = event.target.closest("a");
  const entry = button && entries.find((each) => each.button === button);
  if (entry) {
    entry.isAuto = false;
    toggle(entry, entry.list.hidden);
    markCurrent();
  }
  if (!link) return;
  event.preventDefault();
  const place = Number(link.dataset.place);
  if (place >= 0) return goToUnit(place, "contents");
  // A section without provisions, such as an annex that is only a table.
  const section = Number(link.dataset.section);
  closeContents();
  setSheet(false);
  const part = actText().elements.parts.find((each) => each.dataset.section === String(section));
  actText().revealSection(section);
  moveFocus(part);
}

/** Arrow keys move from entry to entry, and open and close divisions. */
function onKey(event) {
  const links = [...byId("contents-list").querySelectorAll("a")].filter((link) => link.checkVisibility());
  const place = links.indexOf(document.activeElement);
  const next = links[place + (STEPS[event.key] ?? 0)];
  const entry = entries.find(({ row }) => row.contains(document.activeElement));
  if (event.key in STEPS && place >= 0) next?.focus();
  else if (entry?.button && event.key === "ArrowRight" && entry.list.hidden) entry.button.click();
  else if (entry?.button && event.key === "ArrowLeft" && !entry.list.hidden) entry.button.click();
  else if (entry?.above && event.key === "ArrowLeft") entry.above.link.focus();
  else return;
  event.preventDefault();
}

// --- the place being read ---

const unpin = () => (pinned = -1);

/** Follow the text, but not in each frame, which would make it jerk. */
function followSoon() {
  timer ||= setTimeout(() => {
    timer = 0;
    requestAnimationFrame(follow);
  }, FOLLOW_INTERVAL);
}

function follow() {
  if (!view() || !actText()) return;
  const place = pinned >= 0 ? pinned : actText().firstVisibleUnit().place;
  if (place < 0) return;
  const unit = view().units[place];
  setReading(unit.section);
  const entry = ofSection.get(unit.section);
  const recital = ofRecital.get(recitalOf(unit)) ?? null;
  if (entry === current && recital === byId("contents-list").querySelector(".is-current")) return;
  for (const old of byId("contents-list").querySelectorAll(".is-current")) old.classList.remove("is-current");
  recital?.classList.add("is-current");
  if (entry !== current) {
    openOnly(entry);
    current = entry;
  }
  markCurrent();
}

/** Open the divisions around an entry, and close those that were opened only for the previous one. */
function openOnly(entry) {
  if (entries.length <= MAX_OPEN_ENTRIES) return;
  const around = new Set();
  for (let each = entry.above; each; each = each.above) around.add(each);
  for (const each of entries) {
    if (each.isAuto && each.row.classList.contains("division")) toggle(each, around.has(each));
  }
}

/** Mark the entry being read, or the closed division around it, and keep it in view. */
function markCurrent() {
  const tree = byId("contents-list");
  for (const old of tree.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
  if (!current) return;
  let shown = current.link;
  for (let each = current.above; each; each = each.above) if (each.list.hidden) shown = each.link;
  const recital = tree.querySelector(".is-current");
  if (recital?.checkVisibility()) shown = recital;
  shown.setAttribute("aria-current", "location");
  const pane = tree.closest(".pane");
  if (!pane.checkVisibility() || tree.contains(document.activeElement)) return;
  const [box, area] = [shown.getBoundingClientRect(), pane.getBoundingClientRect()];
  const isInView = box.top > area.top + 48 && box.bottom < area.bottom - 48;
  if (!isInView) pane.scrollTop += box.top - area.top - area.height / 3;
}
