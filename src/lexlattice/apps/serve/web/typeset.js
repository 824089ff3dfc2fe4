// Sets the whole text of an act: sections with their headings, paragraphs, tables, and all that stands between them.

import { isCapitals, make, tableOf } from "./dom.js";

/**
 * Words after which a chunk ends. The browser lays out only the chunks near the window, so that acts of any length scroll
 * smoothly; a chunk is about a screen.
 */
const CHUNK_WORDS = 300;
/** What an act begins its provisions with: "1.", "(a)", "1.2.", "iv)", a dash; it hangs in the margin. */
const NUMBER =
  /^(?:\((?:\p{L}{1,3}|[ivxlcdm]{1,6}|\d{1,3}\p{L}{0,2})\)|(?:\d{1,3}(?:\.\d{1,3}){0,3}\p{Ll}{0,2}|\p{L}|[ivxlc]{1,5})(?:\.|\))|[—–•·-])(?=\s)/iu;
/** Headings of sections start at this level: those of the panes are one above. */
const TOP_LEVEL = 3;

/**
 * @typedef {{element: HTMLElement, places: number[], base: string}} Paragraph base: its classes apart from its shade
 * @typedef {{element: HTMLElement, first: number, last: number, words: number, letters: number, paragraphs: number,
 *   headings: number}} Chunk first and last: its units, -1 if it has none; numbers of what is in it
 * @typedef {{parts: HTMLElement[], headings: (HTMLElement|null)[], spans: HTMLElement[], paragraphs: Paragraph[],
 *   chunks: Chunk[], furniture: HTMLElement[]}} TypesetAct parts and headings by section, spans by unit
 */

/**
 * Set the text of an act.
 * @param {any} view of an act
 * @param {string} prefix of the ids of its units
 * @returns {TypesetAct}
 */
export function typeset({ sections, units, furniture, language }, prefix) {
  /** @type {TypesetAct} */
  const act = { parts: [], headings: [], spans: [], paragraphs: [], chunks: [], furniture: [] };
  let [part, chunk, paragraph, list] = [null, null, null, null];
  let section = -1;

  const startChunk = () => {
    const element = make("div", { class: "chunk" });
    chunk = { element, first: -1, last: -1, words: 0, letters: 0, paragraphs: 0, headings: 0 };
    act.chunks.push(chunk);
    part.append(chunk.element);
    [paragraph, list] = [null, null];
  };
  const startPart = (attributes, ...children) => {
    part = make("section", attributes, ...children);
    act.parts.push(part);
    startChunk();
  };
  const startSection = () => {
    section += 1;
    const { kind, name, label, heading } = sections[section];
    const hasHeading = Boolean(label || heading);
    // Sections without a heading of their own get one that only screen readers tell.
    const hidden = hasHeading || !name ? [] : [make(levelOf(0), { class: "part-name visually-hidden" }, name)];
    startPart({ class: `part ${kind}`, "data-section": section }, ...hidden);
    const lines = headingsOf(sections, section);
    chunk.element.append(...lines);
    chunk.headings += lines.length;
    act.headings.push(hasHeading ? lines.at(-1) : null);
  };
  const count = (text, words) => {
    chunk.words += words;
    chunk.letters += text.length;
  };
  const add = (element, text, words) => {
    if (chunk.words > CHUNK_WORDS) startChunk();
    if (element.role !== "listitem") list = null;
    else if (!list) chunk.element.append((list = make("div", { role: "list" })));
    (list ?? chunk.element).append(element);
    chunk.paragraphs += 1 + (text.match(/\n/g)?.length ?? 0);
    count(text, words);
  };
  const addPiece = (piece) => {
    while (section < piece.section) startSection();
    if (!part) startPart({ class: "part front" });
    const element = pieceOf(piece, sections[section]?.enclosing.length ?? 0);
    add(element, piece.text, piece.text.split(/\s+/).length);
    act.furniture.push(element);
    paragraph = null;
  };
  const addUnit = (unit, place) => {
    while (section < unit.section) startSection();
    const isTable = unit.kind === "table";
    const names = { class: "unit", id: prefix + unit.id, "data-id": unit.id, "data-place": place };
    const span = make(isTable ? "div" : "span", names);
    if (paragraph && unit.continues && !isTable) {
      span.append(unit.text);
      paragraph.element.append(" ", span);
      count(unit.text, unit.words);
    } else {
      const begun = paragraphOf(unit, span);
      add(begun.element, unit.text, unit.words);
      act.paragraphs.push(begun);
      paragraph = isTable ? null : begun;
    }
    act.paragraphs.at(-1).places.push(place);
    chunk.first = chunk.first < 0 ? place : chunk.first;
    chunk.last = place;
    act.spans.push(span);
  };

  let next = 0;
  for (const [place, unit] of units.entries()) {
    while (furniture[next]?.before <= place) addPiece(furniture[next++]);
    addUnit(unit, place);
  }
  while (next < furniture.length) addPiece(furniture[next++]);
  while (section < sections.length - 1) startSection();
  for (const each of act.parts) each.lang = language;
  return act;
}

/** A paragraph, or a table, that begins with a unit. */
function paragraphOf({ kind, text, depth, citation }, span) {
  const isTable = kind === "table";
  const number = isTable ? "" : (NUMBER.exec(text)?.[0] ?? "");
  if (isTable) span.append(namedTable(text, citation));
  else if (number) span.append(make("span", { class: "number" }, number), text.slice(number.length));
  else span.append(text);
  const base = ["paragraph", `depth-${depth}`, number && "numbered", capitals(text)].filter(Boolean).join(" ");
  // Points are items of a list, flat with levels: lists in each other would not fit into chunks.
  const isPoint = depth > 0 && !isTable;
  const names = { class: base, role: isPoint && "listitem", "aria-level": isPoint && depth };
  return { element: make(isTable ? "div" : "p", names, span), places: [], base };
}

/** A table; if it can get the focus, because it may scroll, with a name. */
function namedTable(text, name) {
  const table = tableOf(text);
  if (table.tabIndex >= 0) {
    table.setAttribute("role", "group");
    table.setAttribute("aria-label", name);
  }
  return table;
}

/** The headings of the divisions that begin with a section, and its own. */
function headingsOf(sections, index) {
  const { label, heading, enclosing } = sections[index];
  const before = sections[index - 1]?.enclosing ?? [];
  const differs = enclosing.findIndex((name, depth) => name !== before[depth]);
  const divisions = differs < 0 ? [] : enclosing.slice(differs);
  const lines = [label, heading].filter(Boolean).map((line) => make("span", { class: capitals(line) }, line));
  return [
    ...divisions.map((name, depth) =>
      make(levelOf(differs + depth), { class: ["division", capitals(name)].filter(Boolean).join(" ") }, name),
    ),
    ...(lines.length ? [make(levelOf(enclosing.length), { class: "heading" }, ...lines)] : []),
  ];
}

const levelOf = (depth) => `h${Math.min(6, TOP_LEVEL + depth)}`;

const capitals = (text) => isCapitals(text) && "capitals";

/** What is neither a unit nor a heading of a section: formulas, signatures, tables and so on. */
function pieceOf({ kind, text }, depth) {
  const name = ["furniture", kind, capitals(text)].filter(Boolean).join(" ");
  if (kind === "table" && /[\t\n]/.test(text)) return make("div", { class: name }, tableOf(text));
  return make(kind === "heading" ? levelOf(depth + 1) : "p", { class: name }, text);
}
