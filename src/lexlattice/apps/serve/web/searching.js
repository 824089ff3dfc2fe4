// Finds provisions by number, headings and words in an act: what the search dialog shows, apart from how it looks.

import { fold, foldWithPositions } from "./fold.js";

/** Shorter words are found at the beginning of words only: "art" is not looked for in "part". */
const MIN_LETTERS_INSIDE = 4;
/** More words than this are no citation. */
const MAX_CITATION_WORDS = 4;
/** What people mean first when they type a number only; other parts of an act must be named. */
const NUMBERED = ["article", "annex", "recitals"];
const NUMBER = /^(?:\d+\p{L}{0,2}|[ivxlc]+|\p{L})$/u;

/**
 * @typedef {{section: number, place: number, text: string, folded: string, positions: number[]|null, piece: number,
 *   isHeading: boolean}} Passage a unit; the heading of a section; or a piece between provisions, by its number
 * @typedef {{passage: Passage, marks: [number, number][]}} Hit with the parts of the text that were found
 * @typedef {{provisions: Hit[], hits: Hit[]}} Found provisions cited by number, and words and headings
 */

/** All texts of an act, folded. @returns {Passage[]} in the order of the act */
export function indexOf({ units, sections, furniture }) {
  const passages = [];
  const add = (text, rest) =>
    passages.push({ text, ...foldWithPositions(text), place: -1, piece: -1, isHeading: false, ...rest });
  let next = 0;
  let section = -1;
  const addHeadings = (until) => {
    while (section < until) {
      section += 1;
      const { label, heading, enclosing, first } = sections[section];
      const before = sections[section - 1]?.enclosing ?? [];
      const divisions = enclosing.filter((name, depth) => before[depth] !== name);
      for (const text of [...divisions, [label, heading].filter(Boolean).join(" ")].filter(Boolean)) {
        add(text, { section, place: first, isHeading: true });
      }
    }
  };
  const addPiece = (number) => {
    const { text, section: inside } = furniture[number];
    addHeadings(inside);
    add(text, { section: Math.max(0, inside), piece: number });
  };
  for (const [place, unit] of units.entries()) {
    while (furniture[next]?.before <= place) addPiece(next++);
    addHeadings(unit.section);
    add(unit.text, { section: unit.section, place });
  }
  while (next < furniture.length) addPiece(next++);
  addHeadings(sections.length - 1);
  return passages;
}

/**
 * Find what a user asks for.
 * @param {Passage[]} passages @param {any} view of the act @param {string} query
 * @returns {Found}
 */
export function find(passages, view, query) {
  const folded = fold(query).trim();
  const words = folded.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (!words.length) return { provisions: [], hits: [] };
  const provisions = findProvisions(passages, view, words);
  const isNumber = words.every((word) => NUMBER.test(word)) && /\d/.test(folded);
  return { provisions, hits: isNumber && provisions.length ? [] : findWords(passages, words) };
}

// --- provisions by number ---

/** Provisions that a citation means: "6", "art. 6(1)", "recital 26", "annex II", "6 artikla 1 kohta". */
function findProvisions(passages, { units, sections, provisions }, words) {
  const numbers = words.filter((word) => NUMBER.test(word));
  const names = words.filter((word) => !NUMBER.test(word));
  const isCitation = numbers.length && names.length <= MAX_CITATION_WORDS && (names.length || /\d/.test(numbers[0]));
  if (!isCitation) return [];
  const found = [];
  const seen = new Set();
  for (const passage of passages) {
    const unit = units[passage.place];
    if (passage.isHeading && isNamed(sections[passage.section], passage, numbers, names)) {
      seen.add(passage.section);
      found.push({ passage, marks: [] });
    }
    if (!unit || passage.isHeading || seen.has(passage.section)) continue;
    if (!names.length && !NUMBERED.includes(sections[unit.section].kind)) continue;
    const named = unit.id.split(".").filter((part) => !part.startsWith("s-")); // sentences are not cited by number
    const parts = named.map((part) => fold(part.slice(part.indexOf("-") + 1)));
    if (parts[0] !== numbers[0] || !isPath(numbers, parts)) continue;
    // Only the first unit of what is cited.
    const key = `${unit.section} ${unit.id.split(".")[0]}`;
    if (seen.has(key)) continue;
    const { label, name } = sections[unit.section];
    const whole = provisions[unit.id.split(".")[0]] ?? "";
    const known = fold(`${label} ${name} ${whole} ${unit.citation}`).match(/[\p{L}\p{N}]+/gu) ?? [];
    // The rest may be words such as "paragraph" or "point", which not all citations have.
    if (names.length && !names.some((word) => known.some((other) => other.startsWith(word)))) continue;
    seen.add(key);
    found.push({ passage, marks: [] });
  }
  const rank = ({ passage }) => NUMBERED.indexOf(sections[passage.section].kind);
  return found.sort((a, b) => rank(a) - rank(b));
}

/** Whether a heading is that of the annex that is named, "Annex IV", which may begin with a table or have no units. */
function isNamed({ kind, label, number }, { text }, numbers, names) {
  if (numbers.length !== 1 || kind !== "annex" || fold(number) !== numbers[0]) return false;
  const known = fold(label).match(/[\p{L}\p{N}]+/gu) ?? [];
  return names.length > 0 && label && text.startsWith(label) && names.every((word) => known.some((other) => other.startsWith(word)));
}

/** Whether numbers are a path of an id: 6, 1 and a of art-6.par-1.pt-a, but also 6 and a. */
function isPath(numbers, parts) {
  let at = 0;
  for (const number of numbers) {
    at = parts.indexOf(number, at) + 1;
    if (!at) return false;
  }
  return true;
}

// --- words ---

/** Passages with the words one after the other; if there are none, those with all of the words. */
function findWords(passages, words) {
  const sources = words.map(sourceOf);
  const phrase = new RegExp(sources.join("[^\\p{L}\\p{N}]+"), "gu");
  const hits = passages.flatMap((passage) =>
    [...passage.folded.matchAll(phrase)].map((match) => ({ passage, marks: [markOf(passage, match)] })),
  );
  if (hits.length || words.length === 1) return hits;
  const patterns = sources.map((source) => new RegExp(source, "gu"));
  return passages
    .filter(({ folded }) => patterns.every((pattern) => folded.search(pattern) >= 0))
    .map((passage) => ({ passage, marks: allMarks(passage, patterns) }));
}

/** A whole number; or a word up to its end, since words of a sequence may have endings, as in "legitimate interests". */
function sourceOf(word) {
  if (/^\d/.test(word)) return `(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`;
  return `${word.length < MIN_LETTERS_INSIDE ? "(?<![\\p{L}\\p{N}])" : ""}${word}[\\p{L}\\p{N}]*`;
}

const allMarks = (passage, patterns) =>
  patterns
    .flatMap((pattern) => [...passage.folded.matchAll(pattern)].map((match) => markOf(passage, match)))
    .sort(([a], [b]) => a - b)
    .filter(([start], index, all) => !index || start >= all[index - 1][1]);

/** Where a match is in the original text. */
function markOf({ positions }, { index, 0: text }) {
  const [start, end] = [index, index + text.length];
  return positions ? [positions[start], positions[end]] : [start, end];
}
