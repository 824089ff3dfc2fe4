// Interface texts, in 24 languages, from the service.

import { loadSetting } from "./dom.js";

// --- languages ---

/** The name of each of the 24 languages in itself; browsers do not know all of them. */
const NAMES = {
  bg: "Български",
  cs: "Čeština",
  da: "Dansk",
  de: "Deutsch",
  el: "Ελληνικά",
  en: "English",
  es: "Español",
  et: "Eesti",
  fi: "Suomi",
  fr: "Français",
  ga: "Gaeilge",
  hr: "Hrvatski",
  hu: "Magyar",
  it: "Italiano",
  lt: "Lietuvių",
  lv: "Latviešu",
  mt: "Malti",
  nl: "Nederlands",
  pl: "Polski",
  pt: "Português",
  ro: "Română",
  sk: "Slovenčina",
  sl: "Slovenščina",
  sv: "Svenska",
};

export const LANGUAGES = Object.keys(NAMES);

/** The name of a language in itself. */
export const languageName = (language) => NAMES[language] ?? language;

// --- interface texts ---

let texts = {};
/** Number of the latest request, to ignore responses that arrive late. */
let latest = 0;

/**
 * The interface text for a key, with values for its {placeholders}; without texts, the words of the key.
 * @param {string} key @param {Record<string, unknown>} [values]
 */
export function t(key, values = {}) {
  const text = texts[key] ?? key.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Whether there is an interface text for a key. */
export const hasText = (key) => Object.hasOwn(texts, key);

/** What separates clauses and citations: in Greek a raised point, since the semicolon is its question mark. */
export const separator = () => (document.documentElement.lang === "el" ? "· " : "; ");

/** The language that the user chose before, or the first supported language of the browser. */
export function preferredLanguage() {
  const known = [loadSetting("language"), ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())];
  return known.find((language) => LANGUAGES.includes(language)) ?? "en";
}

/**
 * Load the texts of a language and translate the page; if that fails, the texts stay.
 * @returns {Promise<boolean>} whether the page is in this language now, or in one that was chosen since
 */
export async function setLanguage(language) {
  const mine = (latest += 1);
  try {
    const answer = await fetch(`/v1/words/${language}`);
    const found = answer.ok && (await answer.json());
    if (!found || mine !== latest) return mine !== latest;
    texts = found;
  } catch {
    return mine !== latest;
  }
  document.documentElement.lang = language;
  translate(document);
  return true;
}

/** Fill the elements with `data-word` (text), `data-placeholder` and `data-label` (accessible name, tooltip of buttons). */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-word]")) element.textContent = t(element.dataset.word);
  for (const element of root.querySelectorAll("[data-placeholder]")) element.placeholder = t(element.dataset.placeholder);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.dataset.label));
    if (element.matches("button")) element.dataset.tip = t(element.dataset.label);
  }
}

// --- dates ---

/** A date such as 2024-05-01 as the interface language writes it; browsers do not know all of them. */
export function formatDate(iso) {
  const [year, month, day] = iso.split("-").map(Number);
  const values = { year, month: t(`month_${month}`), day };
  return day && hasText("date_written") ? t("date_written", values) : iso;
}

/** "Consolidated text", with its date if known. */
export const consolidationText = (iso) => (iso ? `${t("consolidated")}: ${formatDate(iso)}` : t("consolidated"));
