// What is read in one go: provisions with their points nested and cuts marked, and how each is cited; as blocks.py has it.

import { view } from "./state.js";

/**
 * @typedef {{places: number[], pieces: string[], level: number}} Line sentences of one provision, or a mark alone
 * @typedef {{places: number[], citation: string, lines: Line[]}} Block a provision with what is chosen of it
 */

/** @param {number[]} places in their order @param {import("./cuts.js").Cut[]} cuts @returns {Block[]} */
export function blocksOf(places, cuts) {
  const { units } = view();
  const shown = new Set(places.map((place) => units[place].provision));
  const marks = new Map(places.map((place) => [place, cuts.filter(({ after }) => after === place)]));
  const runs = [];
  for (const place of places) {
    const key = `${units[place].section} ${climbed(units, place, shown).root}`;
    if (runs.at(-1)?.key === key) runs.at(-1).places.push(place);
    else runs.push({ key, places: [place] });
  }
  return runs.map((run) => {
    const lines = linesOf(units, run.places, marks, shown);
    return { places: run.places, lines, citation: citationOfBlock(lines, climbed(units, run.places[0], shown).root) };
  });
}

export const textOf = ({ lines }) => lines.map(({ pieces }) => pieces.join(" ")).join("\n");

/** The outermost provision shown that a unit hangs from or stands beside, and how far it is below. */
function climbed(units, place, shown) {
  let [root, level, steps] = [units[place].provision, 0, 0];
  for (let at = place; units[at].above >= 0; at = units[at].above) {
    steps += units[at].step;
    const { provision } = units[units[at].above];
    if (shown.has(provision)) [root, level] = [provision, steps];
  }
  return { root, level };
}

/** Marks of sentences stand in the text, all others on lines of their own. */
function linesOf(units, places, marks, shown) {
  const lines = [];
  let apart = [];
  let before = "";
  for (const place of places) {
    const { provision, text } = units[place];
    if (provision !== before) {
      lines.push(...apart, { places: [], pieces: [], level: climbed(units, place, shown).level });
      [apart, before] = [[], provision];
    }
    const line = lines.at(-1);
    line.places.push(place);
    line.pieces.push(text);
    for (const cut of marks.get(place)) {
      const [first] = cut.missing;
      if (units[first].provision === provision) line.pieces.push(markOf(cut));
      else apart.push({ places: [], pieces: [markOf(cut)], level: climbed(units, first, shown).level });
    }
  }
  return [...lines, ...apart];
}

const markOf = ({ missing, isOfPoints }) => (isOfPoints ? view().marks[missing.length - 1] : "[…]");

/** As its text if that is one line with points below, else as the paragraph around all. */
function citationOfBlock(lines, root) {
  const outer = lines.filter(({ level, places }) => level === 0 && places.length);
  return outer.length === 1 ? citationOf(outer[0].places) : view().paragraphs[root];
}

/** As people cite: a provision if all of it is there, or several stretches, else from which of its sentences to which. */
function citationOf(places) {
  const { units, wholes, sentences } = view();
  const { provision, citation } = units[places[0]];
  if (places.length === 1) return citation;
  const isIn = (place) => units[place]?.provision === provision;
  let first = 0;
  while (isIn(places[0] - first - 1)) first += 1;
  const isRun = places.at(-1) - places[0] === places.length - 1;
  if (provision in wholes && (!isRun || (first === 0 && !isIn(places.at(-1) + 1)))) return wholes[provision];
  const { one, two, opening, closing } = sentences;
  const several = places.length === 2 ? two[first] : opening[first] + closing[first + places.length - 1];
  const place = citation.lastIndexOf(one[first]);
  return place < 0 ? citation : citation.slice(0, place) + several + citation.slice(place + one[first].length);
}
