// Helpers for elements and browser storage. Elements get text only, never HTML: acts are untrusted input.

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * An element with attributes and children; strings become text.
 * @param {string} name
 * @param {Record<string, unknown>} [attributes] those that are false or missing are left out
 * @param {...(Node|string)} children
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  set(element, attributes);
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
export function draw(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  set(element, attributes);
  return element;
}

function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
}

/** Jumps over more screens than this are instant: nobody can follow the text that would rush by. */
const MAX_SMOOTH_SCREENS = 2;

/** Scroll an element into view: smoothly if it is near, unless `atOnce` or the user prefers reduced motion. */
export function show(element, { block = "center", atOnce = false } = {}) {
  const pane = element.closest(".pane, dialog") ?? document.documentElement;
  const distance = Math.abs(element.getBoundingClientRect().top - pane.getBoundingClientRect().top);
  const isFar = distance > MAX_SMOOTH_SCREENS * innerHeight;
  const isStill = atOnce || isFar || matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block, inline: "nearest", behavior: isStill ? "instant" : "smooth" });
}

/** Move the focus to an element that a link leads to, without scrolling. */
export function moveFocus(element) {
  if (!element.matches("a, button, input, select, textarea, summary, [tabindex]")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/**
 * The first visible element of a pane and its distance from the top; undefined if the pane is hidden.
 * @param {Element} pane @param {Iterable<Element>} elements @param {number} [covered] pixels at the top that are covered
 */
export function firstVisible(pane, elements, covered = 0) {
  const top = topOf(pane) + covered;
  if (!pane.checkVisibility()) return undefined;
  for (const element of elements) {
    const box = element.getBoundingClientRect();
    if (box.bottom > top) return { element, offset: box.top - topOf(pane) };
  }
  return undefined;
}

/** Scroll a pane so that an element is at a distance from its top. */
export function scrollToOffset(pane, element, offset) {
  const scroller = pane.scrollHeight > pane.clientHeight ? pane : document.scrollingElement;
  scroller.scrollTop += element.getBoundingClientRect().top - topOf(pane) - offset;
}

/** The visible top of a pane: on narrow screens the page scrolls, and the pane starts above the viewport. */
const topOf = (pane) => Math.max(0, pane.getBoundingClientRect().top);

/** Tables with more columns scroll in a narrow window, so they must be focusable by keyboard. */
const MAX_STATIC_COLUMNS = 3;

/** A table from text: rows are lines, cells are separated by tabs. */
export function tableOf(text) {
  const rows = text.split("\n").map((row) => row.split("\t"));
  const width = Math.max(...rows.map((row) => row.length));
  const lines = rows.map((row) => {
    const isAlone = row.slice(1).every((cell) => !cell.trim()); // a caption, or a heading between rows
    if (isAlone && width > 1) return make("tr", {}, make("td", { colspan: width }, row[0]));
    return make("tr", {}, ...Array.from({ length: width }, (_, column) => cellOf(row[column])));
  });
  return make("div", { class: "table", ...(width > MAX_STATIC_COLUMNS && { tabindex: 0 }) }, make("table", {}, ...lines));
}

const cellOf = (text = "") => make("td", {}, text);

/** Whether a text is set in capitals, and longer than an abbreviation: such texts are shown smaller. */
export function isCapitals(text) {
  const letters = text.match(/\p{L}/gu) ?? [];
  const capitals = letters.filter((letter) => letter !== letter.toLowerCase());
  return letters.length > 12 && capitals.length > 0.8 * letters.length;
}

/** A setting saved in the browser, or null. */
export function loadSetting(key) {
  try {
    return localStorage.getItem(`lexlattice.${key}`);
  } catch {
    return null;
  }
}

/** Save a setting for the next visit, where the browser allows it. */
export function saveSetting(key, value) {
  try {
    localStorage.setItem(`lexlattice.${key}`, value);
  } catch {
    // Storage is blocked; the page works without it.
  }
}
