// The head of the summary: title, facts, what kind of text it is, and what nobody may miss.

import { byId, make } from "./dom.js";
import { consolidationText, formatDate, separator, t } from "./i18n.js";
import { hasSelection, listen, state, view } from "./state.js";

/** Of a title in capitals, as old acts have them, more than this share of the letters are upper-case. */
const CAPITALS = 0.7;
/** Longer titles, in characters, are set small. */
const LONG = 140;

export function initHead() {
  listen((changed) => {
    if (changed.has("version") || changed.has("words")) render();
    if (["version", "chosen", "words"].some((name) => changed.has(name))) renderLacking();
  });
}

function render() {
  const { title, name, celex, language, status } = view();
  const heading = title || name || celex || t("act");
  byId("title").textContent = heading;
  byId("title").classList.toggle("capitals", isInCapitals(heading));
  byId("title").classList.toggle("long", heading.length > LONG);
  byId("title").lang = byId("name").lang = byId("items").lang = language;
  byId("name").textContent = name || heading;
  byId("facts").replaceChildren(...facts());
  byId("notices").replaceChildren(...notices().map((sentence) => make("p", {}, sentence)));
  // Without a summary, a notice says it.
  byId("adopted").textContent = hasSelection() ? statusText(status) || t("adopted") : "";
}

export function isInCapitals(text) {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.filter((letter) => letter !== letter.toLowerCase()).length > CAPITALS * letters.length;
}

function facts() {
  const { name, title, celex, date, language, status } = view();
  const number = status.celex || celex;
  return [
    ...(name && name !== title ? [make("span", { class: "fact-name", lang: language }, name)] : []),
    ...(statusText(status) ? [make("span", { class: `chip ${status.kind}` }, statusText(status))] : []),
    ...(date ? [make("span", {}, make("time", { datetime: date }, formatDate(date)))] : []),
    ...(number ? [make("span", {}, `CELEX ${number}`)] : []),
    make("span", {}, language.toUpperCase()),
  ];
}

/** What kind of text it is, in the interface language; empty if nothing is known. */
export function statusText({ kind, date, repealed_by: repealedBy }) {
  if (kind === "consolidated") return consolidationText(date);
  if (kind === "repealed") return repealedBy ? t("status_repealed", { act: repealedBy }) : t("status_ended");
  return kind ? t(`status_${kind}`) : "";
}

function notices() {
  const { status, units } = view();
  const hasText = units.some(({ kind }) => kind !== "title");
  return [
    ...(status.kind === "repealed" ? [`${statusText(status)}. ${t("notice_ended")}`] : []),
    ...(status.kind === "consolidated" && !hasText ? [t("notice_empty")] : []),
    ...(status.incomplete ? [t("notice_cut_off")] : []),
    ...(status.is_act ? [] : [t("not_act")]),
  ];
}

/** Selected provisions that the version shown does not have. */
function renderLacking() {
  const { lacking } = state;
  byId("lacking").replaceChildren(...(lacking.length ? [make("p", {}, lackingText(lacking))] : []));
}

export const lackingText = (citations) => t("lacking_some", { citations: citations.join(separator()) });
