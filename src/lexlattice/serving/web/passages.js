// What is read in one go, what it says, and how it is cited.

import { view } from "./state.js";

/** Sentences of one provision that follow each other are read as one. @param {number[]} places in their order */
export function passagesOf(places) {
  const { units } = view();
  const passages = [];
  for (const place of places) {
    const last = passages.at(-1)?.at(-1);
    if (last === place - 1 && units[last].provision === units[place].provision) passages.at(-1).push(place);
    else passages.push([place]);
  }
  return passages;
}

export const textOf = (places) => places.map((place) => view().units[place].text).join(" ");

/** As people cite: a provision if all of it is there, else from which of its sentences to which. */
export function citationOf(places) {
  const { units, wholes, sentences } = view();
  const { provision, citation } = units[places[0]];
  if (places.length === 1) return citation;
  const isIn = (place) => units[place]?.provision === provision;
  let first = 0;
  while (isIn(places[0] - first - 1)) first += 1;
  if (first === 0 && !isIn(places.at(-1) + 1) && provision in wholes) return wholes[provision];
  const { one, two, opening, closing } = sentences;
  const several = places.length === 2 ? two[first] : opening[first] + closing[first + places.length - 1];
  const place = citation.lastIndexOf(one[first]);
  return place < 0 ? citation : citation.slice(0, place) + several + citation.slice(place + one[first].length);
}
