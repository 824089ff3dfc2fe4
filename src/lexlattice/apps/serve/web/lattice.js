// The lattice: a row per section, wrapped if it is long, and a cell per unit, darker the higher its salience.

import { byId, draw, make, show } from "./dom.js";
import { t } from "./i18n.js";
import { shadeOf } from "./selection.js";
import { chosenAtStep, listen, salience, state, view } from "./state.js";

const PITCH = 16;
const SIZE = 13;
const GAP = 5;
const MARGIN = 26;
const STAR = "m6.5 1.6 1.5 3.2 3.5.4-2.6 2.4.7 3.5-3.1-1.8-3.1 1.8.7-3.5-2.6-2.4 3.5-.4z";

/**
 * Cells by index of their unit, each with its line and column.
 * @type {{rect: SVGElement, line: number, column: number}[]}
 */
let cells = [];
let stars;
let ring;
let highlighted = -1;
/** The cell that was tapped once; a second tap goes to its unit. */
let tapped = -1;
/** The view and the width that were drawn; the lattice is hidden most of the time, and drawn when it is seen. */
let drawn = null;
let width = 0;
/** What to do with a cell that was chosen. @type {(place: number) => void} */
let onChoose;

/** @param {(place: number) => void} choose called with the index of the unit whose cell was chosen */
export function initLattice(choose) {
  const box = byId("cells");
  onChoose = choose;
  listen((changed) => {
    box.ariaDescription = t("go_hint");
    if (!width) return;
    if (changed.has("version")) render();
    else if (changed.has("step")) updateShades();
    if (["version", "step", "chosen"].some((name) => changed.has(name))) updateStars();
    if (changed.has("step") || changed.has("words")) describe(highlighted);
  });
  new ResizeObserver(([{ contentRect }]) => {
    const isNew = drawn !== view() || Math.abs(contentRect.width - width) > PITCH / 2;
    ({ width } = contentRect);
    if (!width || !view()) return;
    if (isNew) render();
    else updateShades();
    updateStars();
    highlight(state.current, state.current >= 0);
  }).observe(box);
  let isTouch = false;
  box.addEventListener("pointerdown", ({ pointerType }) => (isTouch = pointerType === "touch"));
  box.addEventListener("pointermove", ({ target }) => target.dataset.place && highlight(Number(target.dataset.place)));
  box.addEventListener("click", ({ target }) => {
    if (!target.dataset.place) return;
    const place = Number(target.dataset.place);
    if (!isTouch || place === tapped) return onChoose(place);
    tapped = place;
    highlight(place, true);
  });
  box.addEventListener("focus", () => box.matches(":focus-visible") && focusCell(Math.max(highlighted, 0)));
  box.addEventListener("keydown", onKey);
  for (let level = 0; level < 10; level += 1) byId("scale").append(make("i", { class: `s${level}` }));
}

/** Draw all cells, in as many columns as fit. */
function render() {
  const box = byId("cells");
  const { units, language } = view();
  drawn = view();
  const rows = rowsOf(view());
  const svg = draw("svg", { "aria-hidden": "true", lang: language });
  box.replaceChildren(svg);
  const left = addLabels(svg, rows);
  const columns = Math.max(6, Math.floor((box.clientWidth - left - MARGIN) / PITCH));
  [cells, tapped] = [Array(units.length), -1];
  let [line, y] = [0, 2];
  for (const { label: name, places } of rows) {
    name.setAttribute("y", y + SIZE - 2.5);
    for (const [turn, place] of places.entries()) {
      const column = turn % columns;
      if (turn && !column) [line, y] = [line + 1, y + PITCH];
      const at = { x: left + column * PITCH, y, width: SIZE, height: SIZE, rx: 2.5, "data-place": place };
      const rect = draw("rect", at);
      cells[place] = { rect, line, column };
      svg.append(rect);
    }
    [line, y] = [line + 1, y + PITCH + GAP];
  }
  stars = draw("g", { class: "stars" });
  ring = draw("rect", { class: "ring", width: SIZE + 4, height: SIZE + 4, rx: 4, visibility: "hidden" });
  svg.append(stars, ring);
  svg.setAttribute("width", left + columns * PITCH);
  svg.setAttribute("height", y);
  updateShades();
  highlight(state.current);
}

function updateShades() {
  const { values, highest } = salience();
  for (const [place, { rect }] of cells.entries()) rect.setAttribute("class", `s${shadeOf(values[place], highest)}`);
}

function updateStars() {
  stars.replaceChildren(
    ...[...chosenAtStep()].map((place) => {
      const { rect } = cells[place];
      return draw("path", { d: STAR, transform: `translate(${rect.getAttribute("x")} ${rect.getAttribute("y")})` });
    }),
  );
  describe(highlighted);
}

/** Highlight a cell with the ring and describe it. */
function highlight(place, isShown = false) {
  highlighted = cells[place] ? place : -1;
  ring.setAttribute("visibility", highlighted < 0 ? "hidden" : "visible");
  describe(highlighted);
  if (highlighted < 0) return;
  const { rect } = cells[place];
  ring.setAttribute("x", rect.getAttribute("x") - 2);
  ring.setAttribute("y", rect.getAttribute("y") - 2);
  if (isShown) show(rect, { block: "nearest", atOnce: state.origin === "version" });
}

/** Highlight a cell from the keyboard, and announce it to screen readers. */
function focusCell(place) {
  highlight(place, true);
  byId("announcement").replaceChildren(...[...byId("cell").children].map((part) => part.cloneNode(true)));
}

/** Show citation, salience and text of a cell below the lattice. */
function describe(place) {
  if (place < 0) return byId("cell").replaceChildren(make("span", { class: "muted" }, t("hint")));
  const { citation, text } = view().units[place];
  const value = salience().values[place].toFixed(2);
  const star = chosenAtStep().has(place) ? ` · ★ ${t("chosen")}` : "";
  byId("cell").replaceChildren(
    make("b", { lang: view().language }, citation),
    make("span", { class: "muted" }, `${t("salience")} ${value}${star}`),
    make("p", { lang: view().language }, text),
  );
}

function onKey(event) {
  if (!cells.length) return;
  const here = Math.max(highlighted, 0);
  const moves = {
    ArrowLeft: () => here - 1,
    ArrowRight: () => here + 1,
    ArrowUp: () => inLine(cells[here].line - 1, cells[here].column),
    ArrowDown: () => inLine(cells[here].line + 1, cells[here].column),
    Home: () => 0,
    End: () => cells.length - 1,
  };
  if (event.key in moves) {
    const place = moves[event.key]();
    if (cells[place]) focusCell(place);
  } else if (event.key === "Enter" || event.key === " ") onChoose(here);
  else return;
  event.preventDefault();
}

/** The cell in a line at a column, or the last one before it. */
const inLine = (line, column) => cells.findLastIndex((cell) => cell.line === line && cell.column <= column);

/** Width of the row labels: minimum, maximum, and the gap between them and the cells. */
const WIDTH = { least: 56, most: 112, gap: 10 };

/** @returns {{name: string, places: number[], label?: SVGTextElement}[]} */
function rowsOf({ sections, units }) {
  const members = sections.map(() => []);
  for (const [place, { section }] of units.entries()) members[section].push(place);
  const rows = members.map((places, index) => ({ name: sections[index].name, places }));
  return rows.filter(({ places }) => places.length);
}

/** Add the labels to a visible drawing. @returns {number} the x position where cells can start */
function addLabels(svg, rows) {
  for (const row of rows) {
    row.label = draw("text", { x: 0 });
    row.label.textContent = row.name;
  }
  svg.append(...rows.map((row) => row.label));
  const widths = rows.map((row) => row.label.getComputedTextLength());
  for (const [turn, row] of rows.entries()) if (widths[turn] > WIDTH.most) shorten(row, widths[turn]);
  return Math.min(WIDTH.most, Math.max(WIDTH.least, ...widths)) + WIDTH.gap;
}

/** Shorten a label to the maximum width; the whole label becomes its tooltip. */
function shorten({ label, name }, width) {
  let length = Math.ceil((name.length * WIDTH.most) / width);
  do {
    length -= 1;
    label.textContent = `${name.slice(0, length).trimEnd()}…`;
  } while (length > 1 && label.getComputedTextLength() > WIDTH.most);
  const title = draw("title");
  title.textContent = name;
  label.append(title);
}
