// Why an item was chosen: in words, and the numbers behind them.

import { counterpart } from "./alignment.js";
import { draw, make } from "./dom.js";
import { separator, t } from "./i18n.js";
import { isOpened, setOpened } from "./opened.js";
import { state, view } from "./state.js";

/** Reasons that say little beside any other: how it came up, or what it was taken along with. */
const MINOR = ["needed", "with_others", "next_best"];
const MAX_REASONS = 4;
/** The sparkline: width of a bar, gap, and height in pixels. */
const BAR = { width: 6, gap: 2, height: 22 };

let count = 0;

/**
 * Add a button to an item that unfolds why it was chosen; none if that is not known.
 * @param {import("./blocks.js").Block} block @param {Element} tools @param {Element} item
 */
export function addWhy(block, tools, item) {
  const known = block.places.map((place) => ({ place, why: explanationOf(place) })).filter(({ why }) => why);
  if (!known.length) return;
  const id = `why-${(count += 1)}`;
  const box = make("div", { class: "why-box", id, hidden: true, lang: document.documentElement.lang });
  const ids = block.places.map((place) => view().units[place].id);
  const label = `${t("why")} ${block.citation}`;
  const button = make("button", { type: "button", class: "quiet why", "aria-expanded": "false", "aria-controls": id }, t("why"));
  button.setAttribute("aria-label", label);
  const update = (isOpen) => {
    if (isOpen && !box.firstChild) box.append(make("p", { class: "why-words" }, sentenceOf(known)), numbersOf(known, ids));
    box.hidden = !isOpen;
    button.setAttribute("aria-expanded", isOpen);
  };
  update(isOpened("why", ids));
  button.addEventListener("click", () => {
    setOpened("why", ids, box.hidden);
    update(box.hidden);
  });
  tools.append(button);
  item.querySelector(".item-head").after(box);
}

/** The explanation of a selected unit, made for the version that the selection was made on. */
function explanationOf(place) {
  const [active, base] = [state.versions[state.active], state.versions[state.base]];
  return base.view.reasons[counterpart(place, active, base, base)];
}

/** The strongest unit's reasons first, then those of the others, each once. */
function sentenceOf(known) {
  const strongest = [...known].sort((one, other) => strengthOf(other.why) - strengthOf(one.why));
  const reasons = new Map();
  for (const { why } of strongest) for (const [key, value] of why.reasons) if (!reasons.has(key)) reasons.set(key, value);
  const major = [...reasons].filter(([key]) => !MINOR.includes(key));
  const said = (major.length ? major : [...reasons]).slice(0, MAX_REASONS).map(([key, value]) => t(`reason_${key}`, { value }));
  const rank = Math.min(...known.map(({ why }) => why.rank));
  const text = (said.length ? said : [t("why_rank", { rank })]).join(separator());
  return `${text.charAt(0).toLocaleUpperCase(document.documentElement.lang)}${text.slice(1)}.`;
}

const strengthOf = ({ salience }) => salience.at(-1);

function numbersOf(known, ids) {
  const rows = known.map(({ place, why }) => {
    const { citation } = view().units[place];
    return make(
      "div",
      { class: "numbers-of" },
      make("p", {}, make("b", { lang: view().language }, citation), " ", make("span", {}, t("why_rank", { rank: why.rank }))),
      make("p", {}, `${t("why_steps")}: `, sparklineOf(why.salience), make("span", { class: "figures" }, figuresOf(why.salience))),
      ...neighboursOf(why.neighbours),
    );
  });
  const open = isOpened("numbers", ids);
  const details = make("details", { class: "numbers", open }, make("summary", {}, t("why_numbers")), ...rows);
  details.addEventListener("toggle", () => setOpened("numbers", ids, details.open));
  return details;
}

const formatShare = (value) =>
  value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

const figuresOf = (salience) => salience.map(formatShare).join(" → ");

/** Bars that show the strength after each step; the figures beside them say the same. */
function sparklineOf(salience) {
  const { width, gap, height } = BAR;
  const svg = draw("svg", { class: "sparkline", width: salience.length * (width + gap), height, "aria-hidden": "true" });
  for (const [step, value] of salience.entries()) {
    const bar = Math.max(1, Math.round(value * height));
    svg.append(draw("rect", { x: step * (width + gap), y: height - bar, width, height: bar, rx: 1 }));
  }
  return svg;
}

/** The neighbours that changed its strength most, as links; their places are those of the version it was chosen on. */
function neighboursOf(neighbours) {
  if (!neighbours.length) return [];
  const [active, base] = [state.versions[state.active], state.versions[state.base]];
  const entries = neighbours.map(([other, change]) => {
    const place = counterpart(other, base, active, base);
    const { citation, id } = (place < 0 ? base.view.units[other] : view().units[place]) ?? {};
    const name = place < 0 ? citation : make("a", { href: `#${id}`, "data-place": place, lang: view().language }, citation);
    return make("li", {}, name, " ", make("span", { class: "figures" }, signed(change)));
  });
  return [make("p", {}, `${t("why_neighbours")}:`), make("ul", { class: "neighbours" }, ...entries)];
}

const signed = (change) => `${change < 0 ? "−" : "+"}${formatShare(Math.abs(change))}`;
