// Cross-references as links with previews, and links between recitals and articles on the same subject.

import { actText, decorate } from "./act.js";
import { readAddress } from "./address.js";
import { byId, make } from "./dom.js";
import { t } from "./i18n.js";
import { hidePreview, initPreview, providePreview } from "./preview.js";
import { wrapParts } from "./ranges.js";
import { openAddress } from "./start.js";
import { goToUnit, listen, view } from "./state.js";

/** Words of a provision in its preview. */
const PREVIEW_WORDS = 60;

/** The references of each unit by place, and those of the view they were made from. */
let [byPlace, madeFrom] = [new Map(), null];

export function initLinks() {
  initPreview();
  listen((changed) => {
    if (changed.has("version")) {
      hidePreview();
      renderRelated();
    }
    if (changed.has("words")) labelRelated();
  });
  decorate(addLinks);
  providePreview("a.reference", previewOfReference);
  providePreview(".related a", (link) => ({ ...previewOf(Number(link.dataset.target)), note: t("related_note") }));
  byId("text-of-act").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-target]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    hidePreview();
    goToUnit(Number(link.dataset.target), "reference");
  });
  // Opened in place: if the service does not fetch acts, it says so, and this act stays open.
  byId("preview").addEventListener("click", (event) => {
    const link = event.target.closest(".preview-action");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const address = readAddress(new URL(link.href));
    hidePreview();
    openAddress(address);
  });
}

// --- cross-references ---

function addLinks(places, act) {
  const { units, references } = view();
  if (madeFrom !== references) {
    byPlace = Map.groupBy(references, ([place]) => place);
    madeFrom = references;
  }
  for (const place of places) {
    const found = (byPlace.get(place) ?? []).map(linkOf).filter(Boolean);
    if (found.length) wrapParts(act.elementOf(place), units[place].text, found);
  }
}

/** The link of a reference; none if neither the act has what it cites, nor another act is known. */
function linkOf([place, start, end, target, celex, provision]) {
  const { units, language } = view();
  if (target >= 0 && units[target].provision === units[place].provision) return null; // to itself
  if (target >= 0) {
    const names = { class: "reference", href: `#${provision || units[target].id}`, "data-target": target };
    return { start, end, element: make("a", { ...names, "data-provision": provision }) };
  }
  if (!celex) return null;
  const address = `https://eur-lex.europa.eu/legal-content/${language.toUpperCase()}/TXT/?uri=CELEX:${encodeURIComponent(celex)}`;
  const names = { class: "reference external", href: address, rel: "noreferrer", target: "_blank" };
  return { start, end, element: make("a", { ...names, "data-celex": celex, "data-provision": provision }) };
}

function previewOfReference(link) {
  const { target, celex, provision } = link.dataset;
  if (target !== undefined) return previewOf(Number(target), provision);
  const query = new URLSearchParams({ celex, lang: view().language });
  const hash = provision ? `#${encodeURIComponent(provision)}` : "";
  return {
    title: link.textContent,
    language: view().language,
    note: t("elsewhere", { name: `CELEX ${celex}` }),
    action: { address: `?${query}${hash}`, text: t("open_there") },
  };
}

/**
 * The beginning of a provision.
 * @param {number} place of its first unit
 * @param {string} [provision] its id; without it, the whole section or recital
 */
export function previewOf(place, provision = "") {
  const { units, sections, language } = view();
  const unit = units[place];
  const { label, heading, kind } = sections[unit.section];
  const id = provision || (kind === "recitals" ? unit.id.split(".")[0] : "");
  const isWhole = !id || !id.includes(".");
  const title = isWhole && kind !== "recitals" ? [label, heading].filter(Boolean).join(" · ") : "";
  return { title: title || citationOf(unit, id), text: beginning(place, id), language };
}

const citationOf = (unit, id) => view().provisions[id] ?? view().paragraphs[id] ?? unit.citation;

/** The first words of the provision that begins at a place. */
function beginning(place, id) {
  const { units } = view();
  const isIn = (unit) => unit.section === units[place].section && (!id || unit.id === id || unit.id.startsWith(`${id}.`));
  const lines = [];
  let words = 0;
  for (let at = place; at < units.length && isIn(units[at]) && words < PREVIEW_WORDS; at += 1) {
    const { text, continues } = units[at];
    const parts = text.split(/\s+/);
    const shown = parts.slice(0, PREVIEW_WORDS - words).join(" ") + (parts.length > PREVIEW_WORDS - words ? " …" : "");
    words += parts.length;
    if (continues && lines.length) lines.push(`${lines.pop()} ${shown}`);
    else lines.push(shown);
  }
  return lines.join("\n");
}

// --- recitals and articles with similar content ---

function renderRelated() {
  const { sections, units, provisions } = view();
  const { headings, paragraphs } = actText().elements;
  const paragraphOf = new Map(paragraphs.flatMap(({ element, places }) => places.map((place) => [place, element])));
  for (const { index, related } of sections) {
    if (!related?.length || !headings[index]) continue;
    const links = related.map(([place]) => {
      const name = provisions[units[place].id.split(".")[0]] ?? units[place].citation;
      return relatedLink(place, units[place].number || name, name);
    });
    headings[index].after(relatedLine("related_recitals", links));
  }
  for (const [place, { related, section }] of units.entries()) {
    if (!related?.length) continue;
    const found = related.map(([index]) => sections[index]).filter(({ first }) => first >= 0);
    const links = found.map(({ first, label, heading }) => relatedLink(first, label, [label, heading].filter(Boolean).join(" · ")));
    let last = place;
    const recital = (at) => units[at]?.section === section && units[at].id.split(".")[0];
    while (recital(last + 1) === recital(place)) last += 1;
    const end = paragraphOf.get(last);
    if (links.length) (end.closest("[role=list]") ?? end).after(relatedLine("related_articles", links));
  }
  labelRelated();
}

const relatedLink = (place, text, name) =>
  make("a", { href: `#${view().units[place].id}`, "data-target": place, "aria-label": name }, text);

function relatedLine(key, links) {
  const line = make("p", { class: "related" }, make("span", { "data-related": key }), " ");
  for (const [index, link] of links.entries()) line.append(...(index ? [", "] : []), link);
  return line;
}

function labelRelated() {
  for (const label of byId("text-of-act").querySelectorAll("[data-related]")) {
    label.textContent = `${t(label.dataset.related)}:`;
    label.title = t("related_note");
    label.lang = document.documentElement.lang;
  }
}
