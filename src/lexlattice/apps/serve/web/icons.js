// Icons: paths on a grid of 16, drawn in the colour of the text around them.

import { draw } from "./dom.js";

const PATHS = {
  list: "M2 4h.01M5 4h9M2 8h.01M5 8h9M2 12h.01M5 12h9",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.6 10.6 14 14",
  theme: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12M8 5h3.5M8 8h6M8 11h4.5",
  file: "M9 1.5H4a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1v-8zM9 1.5v4h4",
  quote: "M3 10c2 0 3-1.5 3-4V4H3v3h3M10 10c2 0 3-1.5 3-4V4h-3v3h3",
  shield: "M8 1.5 2.5 3.5v4c0 3.5 2.3 5.7 5.5 7 3.2-1.3 5.5-3.5 5.5-7v-4zM5.5 8l2 2 3.5-4",
  globe: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2",
  close: "M4 4l8 8M12 4l-8 8",
  share: "M8 10V2M5 4.5 8 1.5l3 3M3 8.5v5h10v-5",
  plus: "M8 3v10M3 8h10",
  columns: "M2 3h12v10H2zM8 3v10",
  copy: "M10.5 3.5v-1a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1h1M5.5 4.5h8v10h-8z",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7",
  why: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.2 6.3c.1-1 .8-1.7 1.8-1.7s1.9.7 1.9 1.6c0 1.3-1.8 1.4-1.8 2.8M8.1 11.2v.1",
  play: "M5 3l8 5-8 5z",
  pause: "M5 3v10M11 3v10",
  down: "M4 6l4 4 4-4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  check: "M3 8.5l3.5 3.5L13 4.5",
};

/** An icon. @param {keyof typeof PATHS} name */
export function icon(name) {
  const svg = draw("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
  svg.append(draw("path", { d: PATHS[name] }));
  return svg;
}

/** Put the icons into the elements that name one with `data-icon`. */
export function drawIcons(root) {
  for (const element of root.querySelectorAll("[data-icon]")) element.replaceChildren(icon(element.dataset.icon));
}
