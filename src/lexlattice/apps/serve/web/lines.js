// Lines of provisions as elements: text, tables and nested lists of points, and marks that unfold what is left out.

import { make, tableOf } from "./dom.js";
import { t } from "./i18n.js";
import { namesLeftOut, unitsLeftOut } from "./omissions.js";
import { isOpened, setOpened } from "./opened.js";
import { view } from "./state.js";

const keyOf = ({ missing }) => view().units[missing[0]].id;

/** The units of a block, and those that are unfolded in it. @param {import("./blocks.js").Block} block */
export function placesShown({ places, lines }) {
  const isOpen = ({ omission }) => omission && isOpened("cut", [keyOf(omission)]);
  const open = lines.flatMap(({ pieces }) => pieces).filter(isOpen);
  return [...places, ...open.flatMap(({ omission }) => unitsLeftOut(omission))].sort((a, b) => a - b);
}

/**
 * Append lines to an element, points in nested lists.
 * @param {Element} parent @param {import("./blocks.js").Line[]} lines
 */
export function appendLines(parent, lines) {
  // The container for the next line of each level: the parent, or the list below the previous line.
  const lists = [parent];
  for (const line of lines) {
    const level = Math.min(line.level, lists.length);
    lists.length = Math.min(lists.length, level + 1);
    if (level === lists.length) {
      const list = make("ul", { class: "points" });
      (lists[level - 1].matches("ul.points") ? lists[level - 1].lastChild : parent).append(list);
      lists.push(list);
    }
    const parts = elementsOf(line);
    lists[level].append(...(level ? [make("li", {}, ...parts)] : parts));
  }
}

function elementsOf({ places, pieces }) {
  const [place] = places;
  if (place === undefined) return apartOf(pieces[0]);
  if (view().units[place].kind === "table") return [make("div", { "data-place": place }, tableOf(pieces[0]))];
  const line = make("p", { "data-place": place });
  let turn = 0;
  for (const piece of pieces) {
    if (line.firstChild) line.append(" ");
    if (piece.omission) line.append(...inlineOf(piece));
    else line.append(make("span", { "data-place": places[turn++] }, piece));
  }
  return [line];
}

/** A mark on its own line, and the points it stands for. */
function apartOf(mark) {
  const box = make("div", { class: "left-out", hidden: true });
  const fill = () => appendLines(box, linesLeftOut(mark.omission));
  return [make("p", { class: "mark" }, buttonOf(mark, box, fill)), box];
}

/** A mark within a line, and the sentences it stands for. */
function inlineOf(mark) {
  const box = make("span", { class: "left-out", hidden: true });
  const fill = () => {
    const { units } = view();
    const places = unitsLeftOut(mark.omission);
    const { provision } = units[places[0]];
    const parts = places.map((place) => {
      const isApart = units[place].provision !== provision;
      return make("span", { "data-place": place, ...(isApart && { class: "apart" }) }, units[place].text);
    });
    box.append(...parts.flatMap((part) => [" ", part]));
  };
  return [buttonOf(mark, box, fill), box];
}

/** The button that unfolds a box, which is filled when it is needed. */
function buttonOf({ text, omission }, box, fill) {
  const id = keyOf(omission);
  const what = t("left_out", { citations: namesLeftOut(omission) });
  const names = { "aria-label": `${text} ${what}`, "data-tip": what };
  const button = make("button", { type: "button", class: "cut", "data-cut": id, ...names }, text);
  const update = (isOpen) => {
    if (isOpen && !box.firstChild) fill();
    box.hidden = !isOpen;
    button.setAttribute("aria-expanded", isOpen);
  };
  update(isOpened("cut", [id]));
  button.addEventListener("click", () => {
    setOpened("cut", [id], box.hidden);
    update(box.hidden);
  });
  return button;
}

/** The lines of units that are left out: sentences of one provision together, points as in the act, in lists. */
function linesLeftOut(omission) {
  const { units } = view();
  const lines = [];
  const places = unitsLeftOut(omission);
  const base = units[places[0]].depth - (omission.isPoints ? 1 : 0);
  for (const place of places) {
    const { provision, depth, text } = units[place];
    if (lines.length && units[lines.at(-1).places[0]].provision === provision) {
      lines.at(-1).places.push(place);
      lines.at(-1).pieces.push(text);
    } else lines.push({ places: [place], pieces: [text], level: Math.max(0, depth - base) });
  }
  return lines;
}
