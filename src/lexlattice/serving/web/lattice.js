// The lattice: a row for each section, folded where it is long; a cell for each unit, darker the more it matters.

import { shade } from "./choosing.js";
import { byId, draw, make, show } from "./dom.js";
import { goTo, listen, salience, state, view } from "./state.js";
import { word } from "./words.js";

const PITCH = 16;
const SIZE = 13;
const GAP = 5;
const LABELS = 92;
const LETTERS = 15;
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

export function prepareLattice() {
  const box = byId("cells");
  listen((changed) => {
    if (changed.has("version")) lay();
    else if (changed.has("step")) paint();
    if (changed.has("chosen")) mark();
    if (changed.has("current")) point(state.current, state.current >= 0);
    else if (changed.has("step") && pointed >= 0) tell(pointed);
  });
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (view() && Math.abs(contentRect.width - width) > PITCH / 2) {
      lay();
      mark();
    }
    width = contentRect.width;
  }).observe(box);
  box.addEventListener("pointermove", ({ target }) => target.dataset.place && point(Number(target.dataset.place)));
  box.addEventListener("click", ({ target }) => target.dataset.place && goTo(Number(target.dataset.place), "lattice"));
  box.addEventListener("focus", () => point(pointed < 0 ? 0 : pointed));
  box.addEventListener("keydown", onKey);
  const scale = byId("lattice").querySelector(".scale");
  for (let level = 0; level < 10; level += 1) scale.append(make("i", { class: `s${level}` }));
}

/** Draw all cells anew, in as many columns as there is room for. */
function lay() {
  const box = byId("cells");
  const { sections, units } = view();
  const columns = Math.max(6, Math.floor((box.clientWidth - LABELS - MARGIN) / PITCH));
  const svg = draw("svg", { "aria-hidden": "true", width: LABELS + columns * PITCH });
  const members = sections.map(() => []);
  for (const [place, { section }] of units.entries()) members[section].push(place);
  cells = [];
  let [line, y] = [0, 2];
  for (const [index, places] of members.entries()) {
    if (!places.length) continue;
    const label = draw("text", { x: 0, y: y + SIZE - 2.5 });
    label.textContent = shortened(sections[index].label || units[places[0]].citation.split(",")[0]);
    svg.append(label);
    for (const [turn, place] of places.entries()) {
      const column = turn % columns;
      if (turn && !column) [line, y] = [line + 1, y + PITCH];
      const at = { x: LABELS + column * PITCH, y, width: SIZE, height: SIZE, rx: 2.5, "data-place": place };
      const rect = draw("rect", at);
      cells[place] = { rect, line, column };
      svg.append(rect);
    }
    [line, y] = [line + 1, y + PITCH + GAP];
  }
  stars = draw("g", { class: "stars" });
  ring = draw("rect", { class: "ring", width: SIZE + 4, height: SIZE + 4, rx: 4, visibility: "hidden" });
  svg.append(stars, ring);
  svg.setAttribute("height", y);
  box.replaceChildren(svg);
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
  if (pointed >= 0) tell(pointed);
}

/** Put the ring around a cell and say what it holds. */
function point(place, isShown = false) {
  pointed = cells[place] ? place : -1;
  ring.setAttribute("visibility", pointed < 0 ? "hidden" : "visible");
  if (pointed < 0) return byId("cell").replaceChildren();
  const { rect } = cells[place];
  ring.setAttribute("x", rect.getAttribute("x") - 2);
  ring.setAttribute("y", rect.getAttribute("y") - 2);
  if (isShown) show(rect, "nearest");
  tell(place);
}

function tell(place) {
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
    if (cells[place]) point(place, true);
  } else if (event.key === "Enter" || event.key === " ") goTo(here, "lattice");
  else return;
  event.preventDefault();
}

/** The cell of a line in a column, or its last before that. */
const inLine = (line, column) => cells.findLastIndex((cell) => cell.line === line && cell.column <= column);

const shortened = (label) => (label.length > LETTERS ? `${label.slice(0, LETTERS - 1)}…` : label);
