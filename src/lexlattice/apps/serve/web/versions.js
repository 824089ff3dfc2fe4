// The menu of language versions: those loaded, those that can be fetched, and adding one from a file.

import { byId, make } from "./dom.js";
import { consolidationText, languageName, LANGUAGES, t } from "./i18n.js";
import { load, switchTo } from "./sources.js";
import { initFileInput } from "./start.js";
import { listen, state } from "./state.js";

const OTHER = "other:";

export function initVersions() {
  listen((changed) => (changed.has("version") || changed.has("words")) && render());
  byId("version").addEventListener("change", async ({ target: { value } }) => {
    const { celex } = state.versions[0].source;
    const language = value.startsWith(OTHER) && value.slice(OTHER.length);
    if (language) await load([{ celex, language }], { query: { celex, language }, isAddition: true });
    else await switchTo(Number(value));
    byId("version").value = state.active;
  });
  initFileInput("more", true);
}

function render() {
  const names = state.versions.map(({ view }) => labelOf(view));
  const label = (name, place) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${place + 1})`);
  const options = names.map((name, place) => make("option", { value: place }, label(name, place)));
  const there = state.versions.map(({ view }) => view.language);
  const others = state.versions[0].source.celex ? LANGUAGES.filter((code) => !there.includes(code)) : [];
  if (others.length) {
    const further = others.map((code) => make("option", { value: OTHER + code, lang: code }, languageName(code)));
    options.push(make("optgroup", { label: t("others") }, ...further));
  }
  byId("version").replaceChildren(...options);
  byId("version").value = state.active;
  byId("versions").hidden = names.length + others.length < 2;
}

const labelOf = ({ language, consolidated }) =>
  [languageName(language), ...(consolidated === null ? [] : [consolidationText(consolidated)])].join(" · ");
