// Elements, made with text only: whatever an act says is shown, never interpreted.

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

/** The same for drawings. */
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

/** Bring into sight, gliding unless it is to be at once, or for those who want no motion. */
export function show(element, { block = "center", atOnce = false } = {}) {
  const isStill = atOnce || matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block, inline: "nearest", behavior: isStill ? "auto" : "smooth" });
}

/**
 * The first element that is to be seen in a pane, and how far below its top; none where the pane is not shown.
 * @param {Element} pane @param {Iterable<Element>} elements @param {number} [covered] from the top
 */
export function firstSeen(pane, elements, covered = 0) {
  const top = topOf(pane) + covered;
  if (!pane.checkVisibility()) return undefined;
  for (const element of elements) {
    const box = element.getBoundingClientRect();
    if (box.bottom > top) return { element, offset: box.top - topOf(pane) };
  }
  return undefined;
}

/** Put an element so far below the top of its pane, at once. */
export function putBelowTop(pane, element, offset) {
  const scroller = pane.scrollHeight > pane.clientHeight ? pane : document.scrollingElement;
  scroller.scrollTop += element.getBoundingClientRect().top - topOf(pane) - offset;
}

/** Where the page itself scrolls, a pane begins above what is to be seen. */
const topOf = (pane) => Math.max(0, pane.getBoundingClientRect().top);
