// Two versions side by side, scrolling together along their alignment.

import { actText, createActText } from "./act.js";
import { alignedPlaces } from "./alignment.js";
import { byId, make, moveFocus } from "./dom.js";
import { lackingText } from "./head.js";
import { t } from "./i18n.js";
import { announce } from "./messages.js";
import { alignment, load } from "./sources.js";
import { goToUnit, listen, salience, showSecond, state, view } from "./state.js";
import { labelOf, languageOf, sourceIn, versionOptions } from "./versions.js";

const root = document.documentElement;

/** The text of the second version, and the corresponding places of both versions. */
let text = null;
let toSecond = [];
let toFirst = [];
/** The pane that the user scrolls; the other follows. */
let leader = null;
let [frame, timer] = [0, 0];
/** Milliseconds for which the page says what stands side by side. */
const NOTICE_DURATION = 4000;

export function initCompare() {
  listen((changed) => {
    if (changed.has("version") && state.second >= 0) return void refresh();
    if (changed.has("second")) {
      render();
      sayWhich();
    }
    if (changed.has("version") || changed.has("second") || changed.has("words")) renderMenus();
    if (!text) return;
    if (changed.has("chosen") || changed.has("words")) markChosen();
    if (changed.has("step")) text.shade(salienceOf(state.second));
    if (changed.has("current")) follow();
  });
  byId("compare").addEventListener("click", () => (state.second < 0 ? open() : close()));
  byId("close-second").addEventListener("click", close);
  byId("second-version").addEventListener("change", ({ target: { value } }) => choose(value));
  for (const pane of [byId("act"), byId("second")]) {
    for (const event of ["pointerdown", "wheel", "touchstart", "keydown"]) {
      pane.addEventListener(event, () => (leader = pane), { passive: true });
    }
    pane.addEventListener("scroll", () => onScroll(pane), { passive: true });
  }
  byId("text-of-second").addEventListener("click", ({ target }) => {
    const unit = target.closest(".unit");
    const place = unit && getSelection().isCollapsed ? toFirst[Number(unit.dataset.place)] : -1;
    if (place >= 0) goToUnit(place, "act");
  });
}

/** Show the first other version; without one, let the user choose a language or a file. */
function open() {
  const other = state.versions.findIndex((_, place) => place !== state.active);
  if (other >= 0) return choose(String(other));
  const wanted = [root.lang, "en", "fr"].find((code) => code !== view().language);
  if (hasOthers()) return choose(`other:${wanted}`);
  byId("more").click();
}

/** Whether there are versions apart from those loaded. */
const hasOthers = () => versionOptions(() => false).length > 0;

function close() {
  showSecond(-1);
  moveFocus(byId("compare"));
}

/** @param {string} value of an option */
export async function choose(value) {
  const language = languageOf(value);
  const number = language ? await load([sourceIn(language)], { isAddition: true, isBeside: true }) : Number(value);
  if (number >= 0 && (await alignment(state.active, number))) showSecond(number);
  else renderMenus();
}

/** Another version is shown now: the second is aligned with that one, or is the one that was shown before. */
async function refresh() {
  if (state.second !== state.active && (await alignment(state.active, state.second))) return showSecond(state.second);
  const other = state.versions.findIndex((_, place) => place !== state.active);
  showSecond(other >= 0 && (await alignment(state.active, other)) ? other : -1);
}

function render() {
  const version = state.versions[state.second];
  root.classList.toggle("is-comparing", Boolean(version));
  byId("second").hidden = !version;
  text?.destroy();
  text = null;
  if (!version) return;
  const pairs = state.versions[state.active].pairs.get(version);
  [toSecond, toFirst] = alignedPlaces(view(), version.view, pairs);
  text = createActText(byId("text-of-second"), version, { prefix: "v:" });
  text.shade(salienceOf(state.second));
  markChosen();
  requestAnimationFrame(() => lead(byId("act")));
}

/** Tell screen readers, too, which versions stand side by side. */
function sayWhich() {
  clearTimeout(timer);
  const versions = text ? [view(), state.versions[state.second].view] : [];
  announce(versions.length ? `${t("compare")}: ${versions.map(labelOf).join(", ")}` : "");
  timer = setTimeout(() => document.body.dataset.busy ?? announce(""), NOTICE_DURATION);
}

function renderMenus() {
  const version = state.versions[state.second];
  const button = byId("compare");
  const isAlone = state.versions.length < 2 && !hasOthers();
  button.setAttribute("aria-pressed", Boolean(version));
  button.ariaLabel = isAlone ? `${t("compare")}: ${t("add")}` : null;
  button.title = button.ariaLabel ?? "";
  byId("act-name").textContent = version ? labelOf(view()) : t("act");
  byId("act-name").lang = version ? view().language : root.lang;
  if (!version) return;
  byId("second-name").textContent = labelOf(version.view);
  byId("second-name").lang = version.view.language;
  byId("second-version").replaceChildren(...versionOptions((place) => place !== state.active));
  byId("second-version").value = state.second;
}

const salienceOf = (number) => {
  const { view: shown, highest } = state.versions[number];
  return { values: shown.steps[Math.min(state.step, shown.steps.length - 1)], highest };
};

/** Mark the counterparts of what was chosen, and name what has none. */
function markChosen() {
  const { units } = view();
  const places = [...state.chosen].sort((one, other) => one - other);
  const lacking = places.filter((place) => toSecond[place].length === 0);
  text.mark(new Set(places.flatMap((place) => toSecond[place])));
  const citations = [...new Set(lacking.map((place) => units[place].citation))];
  byId("second-lacking").replaceChildren(...(citations.length ? [make("p", {}, lackingText(citations))] : []));
}

/** Make the counterpart of the current unit current in the second version. */
function follow() {
  const place = toSecond[state.current]?.[0] ?? -1;
  text.setCurrent(place);
  if (place < 0 || state.origin === "act") return;
  requestAnimationFrame(() => lead(byId("act")));
}

/** Have one pane followed by the other from now on. */
function lead(pane) {
  leader = pane;
  onScroll(pane);
}

/** Scroll the other pane to the counterpart of the unit at the top of the one that the user scrolls. */
function onScroll(pane) {
  if (!text || pane !== leader || frame) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    if (!text) return;
    const isFirst = pane === byId("act");
    const [from, to, places] = isFirst ? [actText(), text, toSecond] : [text, actText(), toFirst];
    const { place, offset } = from.firstVisibleUnit();
    const isPastEnd = place < 0; // below the last unit there is empty room
    const other = nearest(places, isPastEnd ? places.length - 1 : place);
    if (other >= 0) to.scrollTo(other, isPastEnd ? 0 : offset);
  });
}

/** The counterpart of a unit, or of the last one before it that has one. */
function nearest(places, place) {
  for (let before = place; before >= 0; before -= 1) {
    const found = Array.isArray(places[before]) ? places[before][0] : places[before];
    if (found !== undefined && found >= 0) return found;
  }
  return -1;
}
