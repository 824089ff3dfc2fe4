// Highlights what a search found in the text, where the browser can: without it, the provision gone to is still marked.

import { decorate, actText } from "./act.js";
import { rangeOf } from "./ranges.js";
import { listen } from "./state.js";

const [NAME, CURRENT_NAME] = ["search", "search-current"];
/** The units that links were added to so far: others change before they come into view, and with them their ranges. */
let ready = new Set();
/** The hits of units, by place, and the ranges shown. @type {Map<number, import("./searching.js").Hit[]>} */
let [byPlace, shown] = [new Map(), null];

export function initHighlights() {
  if (!globalThis.CSS?.highlights) return;
  listen((changed) => changed.has("version") && (ready = new Set()));
  decorate((places) => {
    for (const place of places) ready.add(place);
    if (byPlace.size) places.forEach(addRanges);
  });
}

/**
 * Highlight hits; those that were are no longer.
 * @param {import("./searching.js").Hit[]} hits @param {import("./searching.js").Hit} [current] the one gone to
 */
export function highlightHits(hits, current) {
  if (!globalThis.CSS?.highlights) return;
  byPlace = Map.groupBy(hits, ({ passage }) => (passage.isHeading ? -1 : passage.place));
  shown = new Highlight();
  if (hits.length) CSS.highlights.set(NAME, shown);
  else CSS.highlights.delete(NAME);
  for (const place of byPlace.keys()) if (ready.has(place)) addRanges(place);
  CSS.highlights.delete(CURRENT_NAME);
  if (current && byPlace.get(current.passage.place)?.includes(current)) showCurrent(current);
}

function showCurrent({ passage: { place, text }, marks }) {
  actText().prepare(place);
  const ranges = marks.map(([start, end]) => rangeOf(actText().elementOf(place), text, start, end)).filter(Boolean);
  const highlight = new Highlight(...ranges);
  highlight.priority = 1;
  CSS.highlights.set(CURRENT_NAME, highlight);
}

function addRanges(place) {
  for (const { passage, marks } of byPlace.get(place) ?? []) {
    for (const [start, end] of marks) {
      const range = rangeOf(actText().elementOf(place), passage.text, start, end);
      if (range) shown.add(range);
    }
  }
}
