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

/** From where to where, without saying twice what both ends share. */
export function citationOf(places) {
  const [first, last] = [places[0], places.at(-1)].map((place) => view().units[place].citation);
  if (first === last) return first;
  const [begin, end] = [first.split(" "), last.split(" ")];
  const shared = begin.findIndex((part, turn) => part !== end[turn]);
  return shared < 0 ? first : [...begin, "–", ...end.slice(shared)].join(" ");
}
