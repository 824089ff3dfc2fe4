// The rows of the lattice: the sections that have units, each with its label.

import { draw } from "./dom.js";

/** How wide labels are: so much at least and at most, and so much between them and the cells. */
const WIDTH = { least: 56, most: 112, gap: 10 };

/** @returns {{name: string, places: number[], label?: SVGTextElement}[]} */
export function rowsOf({ sections, units }) {
  const members = sections.map(() => []);
  for (const [place, { section }] of units.entries()) members[section].push(place);
  const rows = members.map((places, index) => ({ name: sections[index].name, places }));
  return rows.filter(({ places }) => places.length);
}

/** Write the labels into a drawing that is shown. @returns {number} where there is room for the cells */
export function label(svg, rows) {
  for (const row of rows) {
    row.label = draw("text", { x: 0 });
    row.label.textContent = row.name;
  }
  svg.append(...rows.map((row) => row.label));
  const widths = rows.map((row) => row.label.getComputedTextLength());
  for (const [turn, row] of rows.entries()) if (widths[turn] > WIDTH.most) shorten(row, widths[turn]);
  return Math.min(WIDTH.most, Math.max(WIDTH.least, ...widths)) + WIDTH.gap;
}

/** Cut a label to what there is room for; all of it is told where the mouse rests on it. */
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
