// The text around a hit of a search.

import { make } from "./dom.js";

/** Letters around a hit. */
const AROUND = 70;

/**
 * The text around a hit, with what was found marked.
 * @param {import("./searching.js").Hit} hit
 * @returns {(Node|string)[]}
 */
export function snippetOf({ passage: { text }, marks }) {
  const first = marks[0]?.[0] ?? 0;
  const last = marks.at(-1)?.[1] ?? 0;
  // From the beginning of a word to the end of one.
  const from = first <= AROUND ? 0 : text.indexOf(" ", first - AROUND) + 1 || first;
  const space = text.lastIndexOf(" ", last + 2 * AROUND);
  const until = last + 2 * AROUND >= text.length ? text.length : Math.max(last, space);
  const parts = [from ? "… " : ""];
  let at = Math.min(from, first);
  for (const [start, end] of marks) {
    parts.push(text.slice(at, start), make("mark", {}, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at, until), until < text.length ? " …" : ""];
}
