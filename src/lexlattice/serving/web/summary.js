// The summary: what is chosen, word for word, under the headings people know, each with its citation.

import { byId, draw, make, show } from "./dom.js";
import { chosenWords, goTo, listen, state, view } from "./state.js";
import { tellNews } from "./start.js";
import { word } from "./words.js";

const GROUPS = ["aim", "key_points", "application", "background", "related"];

export function prepareSummary() {
  listen((changed) => {
    if (changed.has("version")) head();
    if (changed.has("chosen")) fill();
    if (changed.has("current") || changed.has("chosen")) point(changed.has("current"));
  });
  byId("items").addEventListener("click", (event) => {
    const item = event.target.closest(".item");
    if (!item || !getSelection().isCollapsed) return;
    event.preventDefault();
    if (event.target.closest("button")) copy(item);
    else goTo(Number(item.dataset.places.split(" ")[0]), "summary");
  });
}

/** What does not change with the slider. */
function head() {
  const { title, celex, date, language, warnings, notice, consolidated } = view();
  byId("title").textContent = byId("name").textContent = title || celex || word("act");
  byId("title").lang = byId("name").lang = byId("items").lang = language;
  document.title = `${celex || title || word("act")} · LexLattice`;
  byId("facts").replaceChildren(
    ...[celex && `CELEX ${celex}`, date, language.toUpperCase()].filter(Boolean).map((fact) => make("span", {}, fact)),
    make("span", { id: "chosen-words" }),
  );
  byId("adopted").textContent = word(consolidated ? "consolidated" : "adopted");
  byId("remarks").replaceChildren(
    make("p", { id: "lacking", hidden: true }),
    ...warnings.map((warning) => make("p", { lang: "en" }, warning)),
    make("p", { lang: language }, notice),
  );
  byId("summary").scrollTop = 0;
}

function fill() {
  const { units, sections, groups, words } = view();
  byId("chosen-words").textContent = `${word("words")}: ${shown(chosenWords())} ${word("of")} ${shown(words)}`;
  byId("lacking").hidden = !state.lacking.length;
  byId("lacking").textContent = `${word("lacking")}: ${state.lacking.join("; ")}`;
  const passages = passagesOf([...state.chosen].sort((a, b) => a - b));
  const parts = GROUPS.map((group) => [group, passages.filter((places) => units[places[0]].group === group)]);
  const filled = parts.filter(([, found]) => found.length);
  byId("items").replaceChildren(
    ...filled.map(([group, found]) => {
      let section = -1;
      const list = make("ol", {});
      for (const places of found) {
        const isFirst = units[places[0]].section !== section;
        section = units[places[0]].section;
        list.append(itemOf(places, isFirst ? sections[section].heading : ""));
      }
      return make("section", { class: "group" }, make("h3", {}, groups[group]), list);
    }),
  );
  if (filled.length) return;
  byId("items").append(make("p", { class: "quiet", lang: document.documentElement.lang }, word("nothing")));
}

function itemOf(places, heading) {
  const { units } = view();
  const citation = citationOf(places);
  const label = `${word("copy")}: ${citation}`;
  return make(
    "li",
    { class: "item", "data-places": places.join(" ") },
    ...(heading ? [make("h4", {}, heading)] : []),
    make("a", { class: "citation", href: `#${units[places[0]].id}` }, citation),
    make("button", { type: "button", class: "icon copy", "aria-label": label, title: word("copy") }, copyIcon()),
    make("p", {}, textOf(places)),
  );
}

/** Sentences of one provision that follow each other are read as one. */
function passagesOf(places) {
  const { units } = view();
  const passages = [];
  for (const place of places) {
    const last = passages.at(-1)?.at(-1);
    if (last === place - 1 && units[last].provision === units[place].provision) passages.at(-1).push(place);
    else passages.push([place]);
  }
  return passages;
}

/** Two sheets, one behind the other. */
function copyIcon() {
  const icon = draw("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
  icon.append(
    draw("path", { d: "M10.5 3.5v-1a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1h1" }),
    draw("rect", { x: 5.5, y: 4.5, width: 8, height: 10, rx: 1 }),
  );
  return icon;
}

const shown = (number) => number.toLocaleString(document.documentElement.lang);

const textOf = (places) => places.map((place) => view().units[place].text).join(" ");

/** From where to where, without saying twice what both ends share. */
function citationOf(places) {
  const [first, last] = [places[0], places.at(-1)].map((place) => view().units[place].citation);
  if (first === last) return first;
  const [begin, end] = [first.split(" "), last.split(" ")];
  const shared = begin.findIndex((part, turn) => part !== end[turn]);
  return shared < 0 ? first : [...begin, "–", ...end.slice(shared)].join(" ");
}

async function copy(item) {
  const places = item.dataset.places.split(" ").map(Number);
  const { celex, title } = view();
  const source = [citationOf(places), celex || title].filter(Boolean).join(", ");
  await navigator.clipboard.writeText(`${textOf(places)}\n(${source})`);
  const button = item.querySelector("button");
  button.textContent = "✓";
  tellNews(word("copied"));
  setTimeout(() => {
    button.replaceChildren(copyIcon());
    tellNews("");
  }, 1500);
}

/** Show which item is the current one; scroll there only when it was gone to. */
function point(isNew) {
  for (const item of byId("items").querySelectorAll(".item")) {
    const isCurrent = item.dataset.places.split(" ").includes(String(state.current));
    if (!isCurrent) item.removeAttribute("aria-current");
    else {
      item.setAttribute("aria-current", "true");
      if (isNew && state.origin !== "summary") show(item);
    }
  }
}
