// Tables of an act: a line of their text is a row, and tabs stand between its cells.

import { make } from "./dom.js";

/** Columns that fit a narrow window; tables of more are scrolled there, and must be reached from the keyboard. */
const FITTING = 3;

export function tableOf(text) {
  const rows = text.split("\n").map((row) => row.split("\t"));
  const width = Math.max(...rows.map((row) => row.length));
  const lines = rows.map((row) => make("tr", {}, ...Array.from({ length: width }, (_, turn) => cellOf(row[turn]))));
  return make("div", { class: "table", ...(width > FITTING && { tabindex: 0 }) }, make("table", {}, ...lines));
}

const cellOf = (text = "") => make("td", {}, text);
