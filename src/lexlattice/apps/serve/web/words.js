// The words of the interface: English until those of another language have come from the service.

import { LANGUAGES } from "./languages.js";

const ENGLISH = {
  open: "Open an act",
  drop: "Drop a file here",
  choose: "Choose a file",
  paste: "Or paste the text of an act",
  read: "Read",
  celex: "CELEX number",
  fetch: "Fetch",
  example: "Open an example",
  working: "Working…",
  lattice: "Lattice",
  act: "Act",
  summary: "Summary",
  contents: "Contents",
  words: "Words",
  step: "Step",
  play: "Play",
  pause: "Pause",
  chosen: "Chosen",
  salience: "Salience",
  copy: "Copy with citation",
  copied: "Copied",
  export: "Export",
  print: "Print",
  version: "Language version",
  interface: "Language of the page",
  theme: "Light or dark",
  back: "Back to the start",
  failed: "That did not work",
  sections: "Sections",
  position: "Position",
  verbatim: "Word for word, nothing rewritten",
  adopted: "As adopted; later changes are not in it",
  consolidated: "Consolidated text",
  skip: "Skip to the summary",
  nothing: "Nothing fits into so few words",
  of: "of",
  lacking: "Not in this version",
  others: "Other languages",
  add: "Add a version",
  close: "Close",
  cancel: "Cancel",
  unreachable: "The service cannot be reached",
  missing: "Not found",
  another: "Another act, not opened",
  hint: "Choose a cell to read it here",
  advice: "This is not legal advice.",
};

let words = ENGLISH;
let turn = 0;

/** The word for a key in the language of the page. */
export const word = (key) => words[key] ?? ENGLISH[key] ?? key;

/** The language that the reader chose before, or the first of the browser's that the page knows. */
export function preferred() {
  const known = [stored("language"), ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())];
  return known.find((language) => LANGUAGES.includes(language)) ?? "en";
}

/**
 * Fetch the words of a language and put them wherever the page has a place for one; if they cannot be had, those that
 * are there stay.
 * @returns {Promise<boolean>} whether the page speaks it now, or one that was chosen since
 */
export async function speak(language) {
  const mine = (turn += 1);
  try {
    const answer = await fetch(`/v1/words/${language}`);
    const found = answer.ok && (await answer.json());
    if (!found || mine !== turn) return mine !== turn;
    words = { ...ENGLISH, ...found };
  } catch {
    return mine !== turn;
  }
  document.documentElement.lang = language;
  fill(document);
  return true;
}

/** Put words into `data-word` (text) and `data-label` (name for those who hear the page, and a hint for the mouse). */
export function fill(root) {
  for (const element of root.querySelectorAll("[data-word]")) element.textContent = word(element.dataset.word);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", word(element.dataset.label));
    if (element.matches("button")) element.title = word(element.dataset.label);
  }
}

/** What the browser keeps for the page; nothing where it may not. */
export function stored(key) {
  try {
    return localStorage.getItem(`lexlattice.${key}`);
  } catch {
    return null;
  }
}

/** Keep a choice of the reader's for the next visit, where the browser allows it. */
export function store(key, value) {
  try {
    localStorage.setItem(`lexlattice.${key}`, value);
  } catch {
    // A browser that keeps nothing still shows everything.
  }
}
