// Defined terms: their definitions on hover, and a list of them.
//
// Words in the text that are defined are no tab stops: there are thousands of them, and the text would become unusable by
// keyboard. Whoever does not use a pointer finds all definitions in the list of terms, which is one; and a key leads from
// term to term in the current provision.

import { actText, decorate, firstVisibleUnit } from "./act.js";
import { byId, make, moveFocus } from "./dom.js";
import { t } from "./i18n.js";
import { previewOf } from "./links.js";
import { hidePreview, providePreview } from "./preview.js";
import { wrapParts } from "./ranges.js";
import { goToUnit, listen, state, view } from "./state.js";

/** Longer terms may have an ending: "controllers", "Verantwortlichen". */
const [MIN_LETTERS_FOR_ENDING, MAX_ENDING] = [5, 3];
/** Parts of an act whose words are not about what it provides. */
const PLAIN_SECTIONS = ["title", "preamble", "notes"];

/** A pattern that finds terms, and the number of each definition by its folded term, of the view they were made from. */
let [pattern, numbers, madeFrom] = [null, new Map(), null];

export function initTerms() {
  listen((changed) => changed.has("version") && open());
  decorate(addTerms);
  providePreview(".term, #terms-list a", (element) => {
    const { term, place } = view().definitions[Number(element.dataset.term)];
    const { units } = view();
    const citation = units[place].citation;
    return { ...previewOf(place, units[place].provision), title: term, note: t("defined_in", { citation }) };
  });
  byId("terms-list").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    hidePreview();
    goToUnit(Number(link.dataset.place), "contents");
  });
  byId("text-of-act").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches(".term")) return;
    event.preventDefault();
    hidePreview();
    goToUnit(view().definitions[Number(event.target.dataset.term)].place, "reference");
  });
}

/** Move the focus to the next defined term of the current provision, which shows its definition; after the last, the first. */
export function goToTerm() {
  const place = state.current < 0 ? firstVisibleUnit().place : state.current;
  if (place < 0) return;
  actText().prepare(place);
  const paragraph = actText().elementOf(place).closest(".paragraph");
  const terms = [...paragraph.querySelectorAll(".term")];
  const next = terms[(terms.indexOf(document.activeElement) + 1) % terms.length];
  if (!next) return;
  next.role = "link"; // the Enter key leads to the definition
  moveFocus(next);
}

function open() {
  const { definitions, units, language } = view();
  const { compare } = new Intl.Collator(language);
  const sorted = definitions.map((each, number) => ({ ...each, number })).sort((a, b) => compare(a.term, b.term));
  byId("terms").hidden = !definitions.length;
  byId("terms-count").textContent = String(definitions.length);
  byId("terms-list").lang = language;
  byId("terms-list").replaceChildren(
    ...sorted.map(({ term, place, number }) =>
      make("li", {}, make("a", { href: `#${units[place].id}`, "data-place": place, "data-term": number }, term)),
    ),
  );
}

const fold = (text) => text.toLowerCase().replace(/\s+/g, " ");

/** Whole words; longer terms first, so that "personal data breach" is not taken for "personal data". */
function patternOf(definitions) {
  const sources = definitions
    .map(({ term }) => term)
    .sort((a, b) => b.length - a.length)
    .map((term) => {
      const words = term.trim().split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
      const hasEnding = (term.match(/\p{L}/gu) ?? []).length >= MIN_LETTERS_FOR_ENDING;
      return `(${words.join("\\s+")})${hasEnding ? `\\p{L}{0,${MAX_ENDING}}` : ""}`;
    });
  // Not in words with a hyphen either: "high-risk" is not about a "risk".
  return new RegExp(`(?<![\\p{L}\\p{N}]|[\\p{L}\\p{N}][-‑])(?:${sources.join("|")})(?![\\p{L}\\p{N}]|[-‑]\\p{L})`, "giu");
}

function update() {
  const { definitions } = view();
  if (madeFrom === definitions) return;
  numbers = new Map(definitions.map(({ term }, number) => [fold(term), number]));
  pattern = definitions.length ? patternOf(definitions) : null;
  madeFrom = definitions;
}

/** Mark the first occurrence of each term in each paragraph, except where it is defined. */
function addTerms(places, act) {
  update();
  if (!pattern) return;
  const { units, sections, definitions } = view();
  let seen = new Set();
  for (const place of places) {
    const { text, continues, section, kind } = units[place];
    if (!continues) seen = new Set();
    if (PLAIN_SECTIONS.includes(sections[section].kind) || kind === "table") continue;
    const parts = [];
    for (const match of text.matchAll(pattern)) {
      const number = numbers.get(fold(match.slice(1).find((group) => group !== undefined)));
      if (number === undefined || seen.has(number) || definitions[number].place === place) continue;
      seen.add(number);
      const element = make("span", { class: "term", "data-term": number });
      parts.push({ start: match.index, end: match.index + match[0].length, element });
    }
    if (parts.length) wrapParts(act.elementOf(place), text, parts);
  }
}
