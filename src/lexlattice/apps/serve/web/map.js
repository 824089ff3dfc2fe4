// The act map: a bar per article, its strength by colour, stars where something was chosen.

import { byId, make } from "./dom.js";
import { t } from "./i18n.js";
import { shadeOf } from "./selection.js";
import { goToUnit, listen, state, view } from "./state.js";

/** Kinds of sections that are not coloured: the model does not choose among them. */
const PLAIN = ["title", "preamble"];
/** Kinds of sections before the articles, which share a band. */
const FRONT = [...PLAIN, "recitals"];
/** From this number of bars on, stars are drawn as dots, and bars without gaps. */
const DENSE = 160;
/** Words added to each section's, so that short ones can be seen. */
const LEAST_WORDS = 20;

/**
 * Bars in the order of the act; `places` are the first and last unit.
 * @type {{section: any, element: HTMLElement, shade: number, count: number}[]}
 */
let bars = [];
/** The bar that the pointer or the arrow keys are at, or -1. */
let pointed = -1;
let tip;
/** Milliseconds in which the pointer can move from a bar onto the tip; and a timer. */
const LEAVING = 250;
let timer = 0;

export function initMap() {
  const strip = byId("map-bars");
  tip = make("div", { class: "map-tip", "aria-hidden": "true", hidden: true });
  byId("map").append(tip);
  for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-labelledby": "map-name", "aria-valuemin": 0 })) {
    strip.setAttribute(name, value);
  }
  listen((changed) => {
    if (changed.has("version")) render();
    if (["version", "chosen", "words"].some((name) => changed.has(name))) updateStars();
    if (changed.has("version") || changed.has("reading")) markCurrent();
  });
  strip.addEventListener("pointermove", ({ clientX, clientY }) => {
    clearTimeout(timer);
    const place = barAt(clientX, clientY);
    if (place !== pointed) point(place);
  });
  for (const element of [strip, tip]) element.addEventListener("pointerleave", leaveSoon);
  tip.addEventListener("pointerenter", () => clearTimeout(timer));
  addEventListener("keydown", onEscape, true);
  strip.addEventListener("click", ({ clientX, clientY }) => jump(barAt(clientX, clientY)));
  strip.addEventListener("focus", () => strip.matches(":focus-visible") && point(Math.max(0, currentBar())));
  strip.addEventListener("blur", () => point(-1));
  strip.addEventListener("keydown", onKey);
}

function render() {
  const { sections, units, steps } = view();
  const final = steps.at(-1);
  const { highest } = state.versions[state.active];
  const strip = byId("map-bars");
  const depth = bandDepth(sections);
  const bandOf = ({ kind, enclosing }) => (kind === "article" ? (enclosing[Math.min(depth, enclosing.length - 1)] ?? "") : "");
  const prefix = commonWord(sections.map(bandOf).filter(Boolean));
  bars = [];
  [pointed, tip.hidden] = [-1, true];
  tip.lang = view().language;
  strip.replaceChildren();
  let [band, key, total] = [null, null, 0];
  for (const section of sections.filter(({ first }) => first >= 0)) {
    const name = bandOf(section);
    const next = `${FRONT.includes(section.kind) ? "front" : section.kind} ${name}`;
    if (next !== key) {
      const label = make("span", { class: "band-name" }, name.slice(prefix.length));
      band = make("div", { class: "band", lang: view().language }, label, make("div", { class: "band-bars" }));
      [key, total] = [next, 0];
      strip.append(band);
    }
    const strongest = Math.max(...final.slice(section.first, section.last + 1));
    const shade = PLAIN.includes(section.kind) ? -1 : shadeOf(strongest, highest);
    const element = make("i", { class: `map-bar ${section.kind} ${shade < 0 ? "plain" : `s${shade}`}` });
    const weight = Math.sqrt(wordsOf(section, units) + LEAST_WORDS);
    // Set as properties: the service's policy blocks style attributes.
    element.style.flexGrow = weight.toFixed(1);
    total += weight;
    band.style.flexGrow = total.toFixed(1);
    band.lastChild.append(element);
    bars.push({ section, element, shade, count: 0 });
  }
  byId("map").hidden = bars.every(({ shade }) => shade < 0);
  strip.classList.toggle("dense", bars.length > DENSE);
  strip.classList.toggle("nameless", !sections.some(bandOf));
  strip.setAttribute("aria-valuemax", bars.length - 1);
  for (const element of strip.children) element.style.setProperty("--bars", element.lastChild.childElementCount);
}

const wordsOf = ({ first, last }, units) => units.slice(first, last + 1).reduce((sum, { words }) => sum + words, 0);

/** How deep the divisions are that make up bands: the outermost of which there are several. */
function bandDepth(sections) {
  const articles = sections.filter(({ kind }) => kind === "article");
  for (let depth = 0; depth < 3; depth += 1) {
    if (new Set(articles.map(({ enclosing }) => enclosing[depth])).size > 1) return depth;
  }
  return 0;
}

/** The first word of all names, if it is the same ("CHAPTER "): labels are short of room. */
function commonWord(names) {
  const [word] = /^\p{L}+\s+/u.exec(names[0] ?? "") ?? [""];
  return names.every((name) => name.startsWith(word)) ? word : "";
}

function updateStars() {
  const { units } = view();
  for (const bar of bars) bar.count = 0;
  const bySection = new Map(bars.map((bar) => [bar.section.index, bar]));
  for (const place of state.chosen) bySection.get(units[place].section).count += 1;
  for (const { element, count } of bars) element.classList.toggle("starred", count > 0);
  describe();
}

/** The index of the bar of the section being read, or -1. */
const currentBar = () => bars.findIndex(({ section }) => section.index === state.reading);

function markCurrent() {
  const current = currentBar();
  for (const [place, { element }] of bars.entries()) element.classList.toggle("current", place === current);
  if (bars[current]) reveal(bars[current].element);
  describe();
}

/** Scroll the strip to a bar: the longest acts have more bars than a small screen has room for. */
function reveal(element) {
  const [strip, bar] = [byId("map-bars").getBoundingClientRect(), element.getBoundingClientRect()];
  if (bar.left < strip.left || bar.right > strip.right) byId("map-bars").scrollLeft += bar.left - strip.left - strip.width / 2;
}

/** The bar below or nearest to a point. */
function barAt(x, y) {
  const exact = bars.findIndex(({ element }) => contains(element.getBoundingClientRect(), x, y));
  if (exact >= 0) return exact;
  const distance = ({ element }) => {
    const { left, right } = element.getBoundingClientRect();
    return Math.max(left - x, x - right, 0);
  };
  const distances = bars.map(distance);
  return distances.indexOf(Math.min(...distances));
}

const contains = ({ left, right, top, bottom }, x, y) => left <= x && x <= right && top <= y && y <= bottom;

/** Hide the tip once the pointer has left both the bars and the tip; while the bars have the focus, it stays. */
function leaveSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => byId("map-bars").matches(":focus-visible") || point(-1), LEAVING);
}

/** Escape hides the tip, and nothing else. */
function onEscape(event) {
  if (event.key !== "Escape" || tip.hidden) return;
  event.stopPropagation();
  tip.hidden = true;
}

/** Show the name of a bar, or of none (-1). */
function point(place) {
  clearTimeout(timer);
  bars[pointed]?.element.classList.remove("pointed");
  pointed = bars[place] ? place : -1;
  tip.hidden = pointed < 0;
  describe();
  if (pointed < 0) return;
  const { section, element, count } = bars[pointed];
  element.classList.add("pointed");
  reveal(element);
  const about = [section.enclosing.at(-1)].filter((name) => name && section.kind === "article");
  tip.replaceChildren(
    make("b", {}, section.name),
    ...(section.heading ? [make("span", {}, section.heading)] : []),
    ...(count ? [make("span", { class: "map-tip-star" }, `★ ${count}`)] : []),
    ...about.map((name) => make("small", {}, name)),
  );
  placeTip(element);
}

/** Put the tip below a bar, within the width of the map. */
function placeTip(element) {
  const [map, bar] = [byId("map").getBoundingClientRect(), element.getBoundingClientRect()];
  const left = bar.left + bar.width / 2 - map.left - tip.offsetWidth / 2;
  tip.style.insetInlineStart = `${Math.max(4, Math.min(left, map.width - tip.offsetWidth - 4))}px`;
}

/** Tell screen readers the bar that is pointed at, or else the current one. */
function describe() {
  const place = pointed >= 0 ? pointed : Math.max(0, currentBar());
  if (!bars[place]) return;
  const { section, shade, count } = bars[place];
  const name = [section.name, section.heading].filter(Boolean).join(" · ");
  const strip = byId("map-bars");
  strip.lang = document.documentElement.lang;
  strip.ariaDescription = t("go_hint");
  strip.setAttribute("aria-valuenow", place);
  strip.setAttribute("aria-valuetext", shade < 0 ? name : t("map_label", { name, strength: shade + 1, count }));
}

function jump(place) {
  if (!bars[place]) return;
  const { section } = bars[place];
  point(-1);
  goToUnit(section.first, "map");
}

function onKey(event) {
  const here = pointed >= 0 ? pointed : Math.max(0, currentBar());
  const moves = {
    ArrowLeft: here - 1,
    ArrowDown: here - 1,
    ArrowRight: here + 1,
    ArrowUp: here + 1,
    PageDown: here - 10,
    PageUp: here + 10,
    Home: 0,
    End: bars.length - 1,
  };
  if (event.key in moves) point(Math.max(0, Math.min(bars.length - 1, moves[event.key])));
  else if (event.key === "Enter" || event.key === " ") jump(here);
  else return;
  event.preventDefault();
}
