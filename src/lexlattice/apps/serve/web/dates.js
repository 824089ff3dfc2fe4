// Days, as the language of the page writes them.

import { word } from "./words.js";

/** A day such as 2024-05-01 in words, English ones in Europe's order; as it is where the browser lacks the language. */
export function day(iso) {
  const lang = document.documentElement.lang.replace(/^en$/, "en-IE");
  const date = new Date(`${iso}T00:00:00Z`);
  if (Number.isNaN(date.valueOf()) || !Intl.DateTimeFormat.supportedLocalesOf(lang).length) return iso;
  return date.toLocaleDateString(lang, { dateStyle: "long", timeZone: "UTC" });
}

/** That a text is consolidated, and as of which day if that is known. */
export const consolidatedOn = (iso) => (iso ? `${word("consolidated")}: ${day(iso)}` : word("consolidated"));
