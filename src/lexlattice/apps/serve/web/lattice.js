// The lattice: a row for each section, folded where it is long; a cell for each unit, darker the more it matters.

import { shade } from "./choosing.js";
import { byId, draw, make, show } from "./dom.js";
import { label, rowsOf } from "./rows.js";
import { goTo, listen, salience, state, view } from "./state.js";
import { word } from "./words.js";

const PITCH = 16;
const SIZE = 13;
const GAP = 5;
const MARGIN = 26;
const STAR = "m6.5 1.6 1.5 3.2 3.5.4-2.6 2.4.7 3.5-3.1-1.8-3.1 1.8.7-3.5-2.6-2.4 3.5-.4z";

/**
 * Cells by place in the act, each with its line and column.
 * @type {{rect: SVGElement, line: number, column: number}[]}
 */
let cells = [];
let stars;
let ring;
let pointed = -1;
/** What a finger tapped once. */
let tapped = -1;

export function prepareLattice() {
  const box = byId("cells");
  listen((changed) => {
    if (changed.has("version")) lay();
    else if (changed.has("step")) paint();
    if (changed.has("chosen")) mark();
    if (changed.has("current")) point(state.current, state.current >= 0);
    else if (changed.has("step") || changed.has("words")) tell(pointed);
  });
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (view() && Math.abs(contentRect.width - width) > PITCH / 2) {
      lay();
      mark();
    }
    width = contentRect.width;
  }).observe(box);
  let isFinger = false;
  box.addEventListener("pointerdown", ({ pointerType }) => (isFinger = pointerType === "touch"));
  box.addEventListener("pointermove", ({ target }) => target.dataset.place && point(Number(target.dataset.place)));
  box.addEventListener("click", ({ target }) => {
    if (!target.dataset.place) return;
    const place = Number(target.dataset.place);
    if (!isFinger || place === tapped) return goTo(place, "lattice");
    tapped = place;
    point(place, true);
  });
  box.addEventListener("focus", () => box.matches(":focus-visible") && step(Math.max(pointed, 0)));
  box.addEventListener("keydown", onKey);
  const scale = byId("lattice").querySelector(".scale");
  for (let level = 0; level < 10; level += 1) scale.append(make("i", { class: `s${level}` }));
}

/** Draw all cells anew, in as many columns as there is room for. */
function lay() {
  const box = byId("cells");
  const { units, language } = view();
  const rows = rowsOf(view());
  const svg = draw("svg", { "aria-hidden": "true", lang: language });
  box.replaceChildren(svg);
  const left = label(svg, rows);
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
  paint();
  point(state.current);
}

function paint() {
  const { values, highest } = salience();
  for (const [place, { rect }] of cells.entries()) rect.setAttribute("class", `s${shade(values[place], highest)}`);
}

function mark() {
  stars.replaceChildren(
    ...[...state.chosen].map((place) => {
      const { rect } = cells[place];
      return draw("path", { d: STAR, transform: `translate(${rect.getAttribute("x")} ${rect.getAttribute("y")})` });
    }),
  );
  tell(pointed);
}

/** Put the ring around a cell and say what it holds. */
function point(place, isShown = false) {
  pointed = cells[place] ? place : -1;
  ring.setAttribute("visibility", pointed < 0 ? "hidden" : "visible");
  tell(pointed);
  if (pointed < 0) return;
  const { rect } = cells[place];
  ring.setAttribute("x", rect.getAttribute("x") - 2);
  ring.setAttribute("y", rect.getAttribute("y") - 2);
  if (isShown) show(rect, { block: "nearest", atOnce: state.origin === "version" });
}

/** The same for the keys, which is also said aloud. */
function step(place) {
  point(place, true);
  byId("spoken").replaceChildren(...[...byId("cell").children].map((part) => part.cloneNode(true)));
}

function tell(place) {
  if (place < 0) return byId("cell").replaceChildren(make("span", { class: "quiet" }, word("hint")));
  const { citation, text } = view().units[place];
  const value = salience().values[place].toFixed(2);
  const star = state.chosen.has(place) ? ` · ★ ${word("chosen")}` : "";
  byId("cell").replaceChildren(
    make("b", { lang: view().language }, citation),
    make("span", { class: "quiet" }, `${word("salience")} ${value}${star}`),
    make("p", { lang: view().language }, text),
  );
}

function onKey(event) {
  if (!cells.length) return;
  const here = Math.max(pointed, 0);
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
    if (cells[place]) step(place);
  } else if (event.key === "Enter" || event.key === " ") goTo(here, "lattice");
  else return;
  event.preventDefault();
}

/** The cell of a line in a column, or its last before that. */
const inLine = (line, column) => cells.findLastIndex((cell) => cell.line === line && cell.column <= column);
