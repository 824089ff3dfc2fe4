// The URL of what is shown: ?celex=…|example=…|recent=…&act=…&lang=de&words=400&focus=articles&with=fr#art-6.par-1

import { state, view } from "./state.js";

/**
 * What a URL names. `act` is the CELEX number of an act that was opened from a file, for browsers that do not keep it; `from` is the language of the version that the selection was made on, if it is not the one shown.
 * @typedef {{celex?: string, example?: string, recent?: string, act?: string, lang?: string, from?: string, with?: string,
 *   words?: number, focus: "all"|"articles", provision: string}} Address
 */

/** Read a URL. @param {{search: string, hash: string}} url @returns {Address} */
export function readAddress({ search, hash }) {
  const query = new URLSearchParams(search);
  const words = Number.parseInt(query.get("words") ?? "", 10);
  return {
    ...Object.fromEntries(query),
    words: words > 0 ? words : undefined,
    focus: query.get("focus") === "articles" ? "articles" : "all",
    provision: provisionIn(hash),
  };
}

/** The provision that a hash names, or "". */
export function provisionIn(hash) {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return hash.slice(1);
  }
}

/** The query string and hash of what is shown; a link with them shows the same. */
export function currentAddress() {
  const languageOf = (number) => state.versions[number]?.view.language;
  const isProjected = state.base !== state.active;
  const query = Object.entries({
    ...identityOf(state.versions),
    lang: languageOf(state.active),
    from: isProjected && languageOf(state.base),
    words: state.budget,
    focus: state.focus !== "all" && state.focus,
    with: state.second >= 0 && languageOf(state.second),
  }).filter(([, value]) => value);
  const unit = view().units[state.current];
  return `?${new URLSearchParams(query)}${unit ? `#${encodeURIComponent(unit.id)}` : ""}`;
}

/**
 * How the URL names an act: by its CELEX number, as an example, or by a key under which the browser may keep it.
 * @param {import("./state.js").Version[]} versions
 */
export function identityOf(versions) {
  const sources = versions.map(({ source }) => source);
  for (const key of ["celex", "example"]) {
    if (sources.every((source) => source[key])) return { [key]: sources[0][key] };
  }
  return { recent: keyOf(versions[0]), act: versions[0].view.celex };
}

/** The same act opened again has the same key. */
function keyOf({ source: { file, text, celex }, view: { title, language, words } }) {
  const content = file ? [file.name, file.size] : [text ?? celex];
  return hash(JSON.stringify([...content, title, language, words]));
}

/** FNV-1a with 53 bits, as text: a key in the user's own browser need not resist attacks. */
function hash(text) {
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return ((high >>> 11) * 2 ** 32 + (low >>> 0)).toString(36);
}
