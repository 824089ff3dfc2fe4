// The summary pane: the selected provisions, verbatim, grouped under headings, each with its citation.

import { blocksOf, textOf } from "./blocks.js";
import { copyText } from "./clipboard.js";
import { byId, draw, firstVisible, make, scrollToOffset, show, tableOf } from "./dom.js";
import { consolidationText, formatDate, t } from "./i18n.js";
import { announce, showError, showMessage } from "./messages.js";
import { omissionsOf } from "./omissions.js";
import { goToUnit, listen, selectedWords, state, view } from "./state.js";

const GROUPS = ["aim", "key_points", "application", "background", "related"];

/** The block of each item. @type {Map<Element, import("./blocks.js").Block>} */
let blocks = new Map();

export function initSummary() {
  listen((changed) => {
    if (changed.has("version") || changed.has("words")) renderHead();
    if (changed.has("chosen") || changed.has("words")) renderItems();
    if (changed.has("version")) restoreScroll();
    if (["current", "chosen", "words"].some((name) => changed.has(name))) markCurrent(changed.has("current"));
  });
  byId("items").addEventListener("click", (event) => {
    const item = event.target.closest(".item");
    if (!item || !(getSelection().isCollapsed || event.target.closest("a, button"))) return;
    event.preventDefault();
    if (event.target.closest("button")) copy(item);
    else goToUnit(Number(event.target.closest("[data-place]")?.dataset.place ?? item.dataset.places.split(" ")[0]), "summary");
  });
}

/** Render what does not depend on the budget. */
function renderHead() {
  const { title, celex, date, language, warnings, notice, notices, consolidated, standing } = view();
  const { consolidated_celex: consolidatedCelex } = view();
  byId("title").textContent = byId("name").textContent = title || celex || t("act");
  byId("title").lang = byId("name").lang = byId("items").lang = language;
  const which = consolidated === null ? "" : consolidationText(consolidated);
  const number = consolidatedCelex || celex;
  const facts = [number && `CELEX ${number}`, date && formatDate(date), language.toUpperCase(), which].filter(Boolean);
  const others = which ? standing.slice(1) : standing;
  byId("facts").replaceChildren(
    ...facts.map((fact) => make("span", {}, fact)),
    ...others.map((fact) => make("span", { lang: language }, fact)),
    make("span", { id: "chosen-words" }),
  );
  byId("notices").replaceChildren(...notices.map((sentence) => make("p", { lang: language }, sentence)));
  byId("adopted").textContent = which || t("adopted");
  byId("remarks").replaceChildren(
    make("p", { id: "lacking", hidden: true }),
    ...warnings.map((warning) => make("p", { lang: "en" }, warning)),
    make("p", { lang: language }, notice),
  );
}

/** Scroll to the top, or to the same position as in the previous version. */
function restoreScroll() {
  const { place, offset } = state.scroll.summary;
  const item = itemWith(place);
  byId("summary").scrollTop = 0;
  if (item) scrollToOffset(byId("summary"), item, offset);
}

/** The first visible unit and its distance from the top; none while the title is visible. */
export function firstVisibleUnit() {
  const found = firstVisible(byId("summary"), [byId("title"), ...byId("items").querySelectorAll(".item")]);
  return { place: Number(found?.element.dataset.places?.split(" ")[0] ?? -1), offset: found?.offset ?? 0 };
}

const itemWith = (place) =>
  [...byId("items").querySelectorAll(".item")].find((item) => item.dataset.places.split(" ").includes(String(place)));

function renderItems() {
  const { units, sections, groups, words } = view();
  byId("chosen-words").textContent = `${t("words")}: ${formatNumber(selectedWords())} ${t("of")} ${formatNumber(words)}`;
  byId("lacking").hidden = !state.lacking.length;
  byId("lacking").textContent = `${t("lacking")}: ${state.lacking.join("; ")}`;
  const places = [...state.chosen].sort((a, b) => a - b);
  const omissions = omissionsOf(places);
  const parts = GROUPS.map((group) => [group, blocksOf(places.filter((place) => units[place].group === group), omissions)]);
  blocks = new Map();
  const filled = parts.filter(([, found]) => found.length);
  byId("items").replaceChildren(
    ...filled.map(([group, found]) => {
      let section = -1;
      const list = make("ol", {});
      for (const block of found) {
        const isFirst = units[block.places[0]].section !== section;
        section = units[block.places[0]].section;
        const item = itemOf(block, isFirst ? sections[section].heading : "");
        blocks.set(item, block);
        list.append(item);
      }
      return make("section", { class: "group" }, make("h3", {}, groups[group]), list);
    }),
  );
  if (filled.length) return;
  byId("items").append(make("p", { class: "muted", lang: document.documentElement.lang }, t("nothing")));
}

function itemOf(block, heading) {
  const { units } = view();
  const { places, citation, lines } = block;
  const label = `${t("copy")}: ${citation}`;
  const item = make(
    "li",
    { class: "item", "data-places": places.join(" ") },
    ...(heading ? [make("h4", {}, heading)] : []),
    make("a", { class: "citation", href: `#${units[places[0]].id}` }, citation),
    make("button", { type: "button", class: "icon copy", "aria-label": label, title: t("copy") }, copyIcon()),
  );
  // The container for the next line of each level: the item, or the list below the previous line.
  const lists = [item];
  for (const line of lines) {
    const level = Math.min(line.level, lists.length);
    lists.length = Math.min(lists.length, level + 1);
    if (level === lists.length) {
      const list = make("ul", { class: "points" });
      (lists[level - 1].matches("ul") ? lists[level - 1].lastChild : item).append(list);
      lists.push(list);
    }
    lists[level].append(level ? make("li", {}, lineOf(line)) : lineOf(line));
  }
  return item;
}

function lineOf({ places: [place], pieces }) {
  if (place === undefined) return make("p", { class: "cut" }, ...pieces);
  const isTable = view().units[place].kind === "table";
  if (isTable) return make("div", { "data-place": place }, tableOf(pieces[0]));
  return make("p", { "data-place": place }, pieces.join(" "));
}

/** An icon of two overlapping sheets. */
function copyIcon() {
  const icon = draw("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
  icon.append(
    draw("path", { d: "M10.5 3.5v-1a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1h1" }),
    draw("rect", { x: 5.5, y: 4.5, width: 8, height: 10, rx: 1 }),
  );
  return icon;
}

const formatNumber = (number) => number.toLocaleString(document.documentElement.lang);

async function copy(item) {
  const block = blocks.get(item);
  const { celex, title } = view();
  const source = [block.citation, celex || title].filter(Boolean).join(", ");
  showError();
  if (!(await copyText(`${textOf(block)}\n(${source})`))) return showMessage(t("failed"));
  const button = item.querySelector("button");
  button.textContent = "✓";
  announce(t("copied"));
  setTimeout(() => {
    button.replaceChildren(copyIcon());
    announce("");
  }, 1500);
}

/** Mark the current item; scroll to it only if it has just become current. */
function markCurrent(isNew) {
  byId("items").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = itemWith(state.current);
  if (!item) return;
  item.setAttribute("aria-current", "true");
  if (isNew && state.origin !== "summary") show(item, { atOnce: state.origin === "version" });
}
