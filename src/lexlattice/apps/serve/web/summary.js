// The summary pane: the selected provisions, verbatim, grouped under headings, each with its citation.

import { blocksOf } from "./blocks.js";
import { byId, firstVisible, make, moveFocus, scrollToOffset, show } from "./dom.js";
import { hasText, languageName, t } from "./i18n.js";
import { itemOf } from "./item.js";
import { omissionsOf } from "./omissions.js";
import { closeAll } from "./opened.js";
import { goToUnit, hasSelection, listen, state, view } from "./state.js";

const GROUPS = ["aim", "key_points", "application", "background", "related"];

/** The block of each item. @type {Map<Element, import("./blocks.js").Block>} */
let blocks = new Map();

export function initSummary() {
  listen((changed) => {
    if (changed.has("version")) closeAll();
    if (changed.has("version") || changed.has("words")) renderRemarks();
    if (changed.has("chosen") || changed.has("words")) keepFocus(renderItems);
    if (changed.has("version")) restoreScroll();
    if (["current", "chosen", "words"].some((name) => changed.has(name))) markCurrent(changed.has("current"));
  });
  byId("items").addEventListener("click", (event) => {
    const item = event.target.closest(".item");
    const link = event.target.closest("a[data-place], .citation");
    if (!item || event.target.closest("button, summary, .why-box :not(a)") || !(getSelection().isCollapsed || link)) return;
    event.preventDefault();
    goToUnit(Number(event.target.closest("[data-place]")?.dataset.place ?? placesOf(item)[0]), "summary");
  });
}

const placesOf = (item) => item.dataset.places.split(" ").map(Number);

/** The blocks of the summary by group, those of the groups that have none left out. */
export function groupsShown() {
  const { units } = view();
  const places = [...state.chosen].sort((a, b) => a - b);
  const omissions = omissionsOf(places);
  const found = GROUPS.map((name) => ({
    name,
    blocks: blocksOf(places.filter((place) => units[place].group === name), omissions),
  }));
  return found.filter((group) => group.blocks.length);
}

/** The block that a unit is in, if it is selected. @param {number} place */
export const blockWith = (place) => blocks.get(itemWith(place));

function renderItems() {
  const { units, sections, groups, language } = view();
  const shown = groupsShown();
  blocks = new Map();
  byId("items").lang = language;
  byId("items").replaceChildren(
    ...shown.map(({ name, blocks: found }) => {
      let section = -1;
      const list = make("ol", {});
      for (const block of found) {
        const isFirst = units[block.places[0]].section !== section;
        section = units[block.places[0]].section;
        const item = itemOf(block, isFirst ? sections[section].heading : "");
        item.classList.toggle("continues", !isFirst);
        blocks.set(item, block);
        list.append(item);
      }
      return make("section", { class: "group" }, make("h2", {}, groups[name]), list);
    }),
  );
  if (shown.length || !hasSelection()) return;
  byId("items").append(make("p", { class: "muted", lang: document.documentElement.lang }, t("nothing")));
}

/** The controls of an item that can have the focus, besides marks of what is left out. */
const CONTROLS = [".citation", ".why", ".copy", ".item-menu > summary", ".numbers > summary"];

/** Render the items again; the focus stays on the same control of the same item, or moves to the item nearest to it. */
function keepFocus(render) {
  const control = document.activeElement;
  const item = control.closest("#items .item");
  if (!item) return render();
  const { cut } = control.dataset;
  const same = cut ? `[data-cut="${CSS.escape(cut)}"]` : CONTROLS.find((selector) => control.matches(selector));
  const places = placesOf(item);
  const offset = control.getBoundingClientRect().top - byId("summary").getBoundingClientRect().top;
  render();
  const distance = (other) => Math.min(...placesOf(other).map((place) => Math.abs(place - places[0])));
  const items = [...byId("items").querySelectorAll(".item")];
  const next = places.map(itemWith).find(Boolean) ?? items.sort((one, other) => distance(one) - distance(other))[0];
  if (!next) return moveFocus(byId("summary"));
  const found = (same && next.querySelector(same)) ?? next.querySelector(".citation");
  scrollToOffset(byId("summary"), found, offset);
  return moveFocus(found);
}

/** What holds of every summary of the act: warnings and the disclaimer. */
function renderRemarks() {
  const { warnings, disclaimer, language } = view();
  byId("remarks").replaceChildren(
    ...warnings.map(warningOf),
    make("p", { lang: language }, disclaimer),
  );
}

/** A warning in the interface language if its code is known, else in English. */
function warningOf({ code, text, values = {} }) {
  const named = Object.entries(values).map(([name, value]) => [name, languageName(value)]);
  return hasText(`warning_${code}`)
    ? make("p", {}, t(`warning_${code}`, Object.fromEntries(named)))
    : make("p", { lang: "en" }, text);
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

const itemWith = (place) => [...byId("items").querySelectorAll(".item")].find((item) => placesOf(item).includes(place));

/** Mark the current item; scroll to it only if it has just become current, and focus it if a star led here. */
function markCurrent(isNew) {
  byId("items").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = itemWith(state.current);
  if (!item) return;
  item.setAttribute("aria-current", "true");
  if (!isNew || state.origin === "summary") return;
  show(item, { atOnce: state.origin === "version" });
  if (state.origin === "star") moveFocus(item.querySelector(".citation"));
}
