// Blocks of the summary: provisions with nested points, marked omissions and citations, as in rendering/blocks.py.

import { view } from "./state.js";

/**
 * @typedef {{text: string, omission: import("./omissions.js").Omission}} Mark of what is left out
 * @typedef {{places: number[], pieces: (string|Mark)[], level: number}} Line sentences of one provision, or a mark only
 * @typedef {{places: number[], citation: string, lines: Line[]}} Block a provision with its selected units
 */

/** @param {number[]} places sorted @param {import("./omissions.js").Omission[]} omissions @returns {Block[]} */
export function blocksOf(places, omissions) {
  const { units } = view();
  const shown = new Set(places.map((place) => units[place].provision));
  const marks = new Map(places.map((place) => [place, omissions.filter(({ after }) => after === place)]));
  const runs = [];
  for (const place of places) {
    const key = `${units[place].section} ${rootOf(units, place, shown).root}`;
    if (runs.at(-1)?.key === key) runs.at(-1).places.push(place);
    else runs.push({ key, places: [place] });
  }
  return runs.map((run) => {
    const lines = linesOf(units, run.places, marks, shown);
    return { places: run.places, lines, citation: citationOfBlock(lines, rootOf(units, run.places[0], shown).root) };
  });
}

/** The text of a block as the library renders it, marks included. @param {Block} block */
export const textOf = ({ lines }) => lines.map(({ pieces }) => pieces.map(pieceText).join(" ")).join("\n");

const pieceText = (piece) => piece.text ?? piece;

/** The outermost shown provision above a unit, and the number of levels in between. */
function rootOf(units, place, shown) {
  let [root, level, steps] = [units[place].provision, 0, 0];
  for (let at = place; units[at].above >= 0; at = units[at].above) {
    steps += units[at].step;
    const { provision } = units[units[at].above];
    if (shown.has(provision)) [root, level] = [provision, steps];
  }
  return { root, level };
}

/** Marks of omitted sentences go into the text, all others on separate lines. */
function linesOf(units, places, marks, shown) {
  const lines = [];
  let apart = [];
  let before = "";
  for (const place of places) {
    const { provision, text } = units[place];
    if (provision !== before) {
      lines.push(...apart, { places: [], pieces: [], level: rootOf(units, place, shown).level });
      [apart, before] = [[], provision];
    }
    const line = lines.at(-1);
    line.places.push(place);
    line.pieces.push(text);
    for (const omission of marks.get(place)) {
      const [first] = omission.missing;
      if (units[first].provision === provision) line.pieces.push(markOf(omission));
      else apart.push({ places: [], pieces: [markOf(omission)], level: rootOf(units, first, shown).level });
    }
  }
  return [...lines, ...apart];
}

/** The mark of an omission: of points their number and, if they have any, their numbers. @returns {Mark} */
export function markOf(omission) {
  const { missing, isPoints } = omission;
  if (!isPoints) return { omission, text: "[…]" };
  const { omission_marks: marks, omission_numbers: pattern } = view();
  const [mark, numbers] = [marks[missing.length - 1], numbersOf(missing)];
  return { omission, text: numbers ? `${mark.slice(0, -1)}${pattern.replace("{numbers}", () => numbers)}]` : mark };
}

/** The numbers of points as the act writes them: "(b), (c)" or "(b)–(f)"; empty if not all have one. */
export function numbersOf(places) {
  const numbers = places.map((place) => numberOf(view().units[place]));
  if (!numbers.every(Boolean)) return "";
  return numbers.length > 2 ? `${numbers[0]}–${numbers.at(-1)}` : numbers.join(", ");
}

/** The number of a point with the brackets that the act writes around it, without a stop; empty for an indent. */
function numberOf({ number, text }) {
  const literal = number.replace(/[^\p{L}\p{N}\s]/gu, "\\$&");
  return number && (new RegExp(`^\\(?\\s?${literal}\\s?\\)?`).exec(text)?.[0].trim() ?? number);
}

/** The citation of the only outer line, or of the paragraph if there are several. */
function citationOfBlock(lines, root) {
  const outer = lines.filter(({ level, places }) => level === 0 && places.length);
  return outer.length === 1 ? citationOf(outer[0].places) : view().paragraphs[root];
}

/**
 * The citation of a whole provision, or of several runs of its sentences; else of one run of sentences.
 * @param {number[]} places of units of one provision
 */
export function citationOf(places) {
  const { units, provisions, sentences } = view();
  const { provision, citation } = units[places[0]];
  if (places.length === 1) return citation;
  const isIn = (place) => units[place]?.provision === provision;
  let first = 0;
  while (isIn(places[0] - first - 1)) first += 1;
  const isRun = places.at(-1) - places[0] === places.length - 1;
  if (provision in provisions && (!isRun || (first === 0 && !isIn(places.at(-1) + 1)))) return provisions[provision];
  const { one, two, opening, closing } = sentences;
  const several = places.length === 2 ? two[first] : opening[first] + closing[first + places.length - 1];
  const place = citation.lastIndexOf(one[first]);
  return place < 0 ? citation : citation.slice(0, place) + several + citation.slice(place + one[first].length);
}
