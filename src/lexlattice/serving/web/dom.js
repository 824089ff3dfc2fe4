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

/** Bring into sight, without gliding for those who do not want it. */
export function show(element, block = "center") {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block, inline: "nearest", behavior: still ? "auto" : "smooth" });
}
