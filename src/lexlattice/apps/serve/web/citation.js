// How people cite provisions, and their ELI addresses: the rules of reading/citations/act_names.py and eli.py.

import { view } from "./state.js";

const PROVISION = "{provision}";
/** Steps of ids that ELI addresses have too, and how deep these go. */
const STEPS = { art: "art", par: "par", pt: "pnt", rec: "rct", anx: "anx" };
const DEEPEST = 3;

/** "Article 6(1) of Regulation (EU) 2016/679", in the act's language. @param {string} provision such as "Article 6(1)" */
export function fullCitation(provision) {
  const { citation_form: form, citation_rules: rules } = view();
  if (form === PROVISION) return provision;
  if (form.startsWith(PROVISION)) {
    const closing = rules.comma && provision.includes(",") ? "," : "";
    return capitalized(form.replace(PROVISION, () => provision + closing));
  }
  // A capital that only begins the citation goes; the one of "I. melléklet" stays.
  const [first, second = ""] = provision;
  const isWord = second !== second.toUpperCase();
  const lowered = isWord ? first.toLowerCase() + provision.slice(1) : provision;
  return capitalized(form.replace(PROVISION, () => possessed(lowered, rules.possessed)));
}

/** Words of a provision change after the act in some languages: Hungarian "cikk", "cikke". */
function possessed(provision, words) {
  for (const { 0: word, index } of provision.matchAll(/\p{L}+/gu)) {
    if (Object.hasOwn(words, word)) return provision.slice(0, index) + words[word] + provision.slice(index + word.length);
  }
  return provision;
}

const capitalized = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The ELI address of a provision, or of the smallest part around it that has one; empty if the act has none. */
export function eliOf(id) {
  const { eli } = view();
  const steps = [];
  for (const step of id.split(".").slice(0, DEEPEST)) {
    const [, name, number] = /^(art|par|pt|rec|anx)-([0-9A-Za-z]+)$/.exec(step) ?? [];
    if (!name) break;
    steps.push(`${STEPS[name]}_${number}`);
  }
  const end = eli.lastIndexOf("/");
  return [eli.slice(0, end), ...steps, eli.slice(end + 1)].filter(Boolean).join("/");
}
