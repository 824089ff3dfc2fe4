// The versions of the act that are there, those that can be fetched, and a way to add one.

import { consolidatedOn } from "./dates.js";
import { byId, make } from "./dom.js";
import { LANGUAGES, nameOf } from "./languages.js";
import { load, switchTo } from "./opening.js";
import { prepareFiles } from "./start.js";
import { listen, state } from "./state.js";
import { word } from "./words.js";

const OTHER = "other:";

export function prepareVersions() {
  listen((changed) => (changed.has("version") || changed.has("words")) && offer());
  byId("version").addEventListener("change", async ({ target: { value } }) => {
    const { celex } = state.versions[0].source;
    const language = value.startsWith(OTHER) && value.slice(OTHER.length);
    if (language) await load([{ celex, language }], { query: { celex, language }, isMore: true });
    else await switchTo(Number(value));
    byId("version").value = state.now;
  });
  prepareFiles("more", true);
}

function offer() {
  const names = state.versions.map(({ view }) => labelOf(view));
  const label = (name, place) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${place + 1})`);
  const options = names.map((name, place) => make("option", { value: place }, label(name, place)));
  const there = state.versions.map(({ view }) => view.language);
  const others = state.versions[0].source.celex ? LANGUAGES.filter((code) => !there.includes(code)) : [];
  if (others.length) {
    const further = others.map((code) => make("option", { value: OTHER + code, lang: code }, nameOf(code)));
    options.push(make("optgroup", { label: word("others") }, ...further));
  }
  byId("version").replaceChildren(...options);
  byId("version").value = state.now;
  byId("versions").hidden = names.length + others.length < 2;
}

const labelOf = ({ language, consolidated }) =>
  [nameOf(language), ...(consolidated === null ? [] : [consolidatedOn(consolidated)])].join(" · ");
