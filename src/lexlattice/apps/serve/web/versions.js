// The menus of language versions: those loaded, those that can be fetched, and adding one from a file.

import { byId, make } from "./dom.js";
import { consolidationText, languageName, LANGUAGES, t } from "./i18n.js";
import { load, switchTo } from "./sources.js";
import { initFileInput } from "./start.js";
import { listen, state } from "./state.js";

const OTHER = "other:";

export function initVersions() {
  listen((changed) => (changed.has("version") || changed.has("words")) && render());
  byId("version").addEventListener("change", async ({ target: { value } }) => {
    if (value.startsWith(OTHER)) await load([sourceIn(value.slice(OTHER.length))], { isAddition: true });
    else await switchTo(Number(value));
    byId("version").value = state.active;
  });
  initFileInput("more", true);
}

function render() {
  byId("version").replaceChildren(...versionOptions());
  byId("version").value = state.active;
  byId("versions").hidden = state.versions.length + otherLanguages().length < 2;
}

/** Options for all versions: loaded ones have their index as value, others their language. */
export function versionOptions(isOffered = () => true) {
  const names = state.versions.map(({ view }) => labelOf(view));
  const label = (name, place) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${place + 1})`);
  const loaded = names.map((name, place) =>
    make("option", { value: place, lang: state.versions[place].view.language }, label(name, place)),
  );
  const others = otherLanguages().map((code) => make("option", { value: OTHER + code, lang: code }, languageName(code)));
  return [
    ...loaded.filter((_, place) => isOffered(place)),
    ...(others.length ? [make("optgroup", { label: t("others") }, ...others)] : []),
  ];
}

/** The language that an option stands for, or null if its version is loaded. */
export const languageOf = (value) => (value.startsWith(OTHER) ? value.slice(OTHER.length) : null);

/** Languages in which the act can be had: fetched by its CELEX number, or as an example. */
function otherLanguages() {
  const { celex, example } = state.versions[0].source;
  const there = state.versions.map(({ view }) => view.language);
  return celex || example ? LANGUAGES.filter((code) => !there.includes(code)) : [];
}

/** Where to load the act in another language from. */
export function sourceIn(language) {
  const { celex, example } = state.versions[0].source;
  return example ? { example, language } : { celex, language };
}

export const labelOf = ({ language, status }) =>
  [languageName(language), ...(status.kind === "consolidated" ? [consolidationText(status.date)] : [])].join(" · ");
