// Another version of the act: what corresponds to what is asked for once, before it is shown.

import { byId, make } from "./dom.js";
import { LANGUAGES, nameOf } from "./languages.js";
import { pairsOf } from "./service.js";
import { load, tellNews, tellTrouble } from "./start.js";
import { listen, showVersion, state } from "./state.js";
import { word } from "./words.js";

const OTHER = "other:";
let turn = 0;

export function prepareVersions() {
  listen((changed) => changed.has("version") && offer());
  byId("version").addEventListener("change", async ({ target: { value } }) => {
    const { celex } = state.versions[0].source;
    const language = value.startsWith(OTHER) && value.slice(OTHER.length);
    if (language) await load([{ celex, language }], { celex, language });
    else await switchTo(Number(value));
    byId("version").value = state.now;
  });
}

/** Show another version once it is known what corresponds to what; if that cannot be known, say so and stay. */
export async function switchTo(number) {
  const [base, other] = [state.versions[state.base], state.versions[number]];
  const mine = (turn += 1);
  if (base !== other && !base.pairs.has(other)) {
    tellTrouble();
    tellNews(word("working"), true);
    try {
      const [from, to] = [base, other].map(({ source, view }) => ({ ...source, language: view.language }));
      base.pairs.set(other, await pairsOf(from, to));
    } catch (error) {
      return tellTrouble(error);
    } finally {
      tellNews("");
    }
  }
  if (mine === turn && state.versions[number] === other && state.versions[state.base] === base) showVersion(number);
}

/** The versions that are there, and those that can be fetched. */
function offer() {
  const names = state.versions.map(({ view: { language } }) => nameOf(language));
  const label = (name, place) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${place + 1})`);
  const options = names.map((name, place) => make("option", { value: place }, label(name, place)));
  const others = state.versions[0].source.celex ? LANGUAGES.filter((code) => !names.includes(nameOf(code))) : [];
  if (others.length) {
    const further = others.map((code) => make("option", { value: OTHER + code, lang: code }, nameOf(code)));
    options.push(make("optgroup", { label: word("others") }, ...further));
  }
  byId("version").replaceChildren(...options);
  byId("version").value = state.now;
  byId("versions").hidden = names.length + others.length < 2;
}
