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
  for (const name of [NAME, CURRENT_NAME]) CSS.highlights.delete(name);
  shown = new Highlight();
  byPlace = Map.groupBy(hits.filter(isInUnit), ({ passage }) => passage.place);
  for (const place of byPlace.keys()) if (ready.has(place)) addRanges(place);
  for (const hit of hits) if (hit.passage.piece >= 0) rangesOf(hit).forEach((range) => shown.add(range));
  if (hits.length) CSS.highlights.set(NAME, shown);
  if (!current || !hits.includes(current)) return;
  if (isInUnit(current)) actText().prepare(current.passage.place);
  const highlight = new Highlight(...rangesOf(current));
  highlight.priority = 1;
  CSS.highlights.set(CURRENT_NAME, highlight);
}

const isInUnit = ({ passage }) => passage.piece < 0 && !passage.isHeading;

function addRanges(place) {
  for (const hit of byPlace.get(place) ?? []) rangesOf(hit).forEach((range) => shown.add(range));
}

/** Where a hit is; headings, which several lines are made of, are not highlighted. */
function rangesOf({ passage: { place, piece, text, isHeading }, marks }) {
  const element = piece >= 0 ? actText().elements.furniture[piece] : !isHeading && actText().elementOf(place);
  return element ? marks.map(([start, end]) => rangeOf(element, text, start, end)).filter(Boolean) : [];
}
