// The state of the page; the panes listen to it, so that they stay in sync.

import { counterpart, nextCounterpart, NO_POSITION } from "./alignment.js";
import { choose, projectSelection } from "./selection.js";

/**
 * A version of an act: its view, its source, its highest salience, and its alignments with other versions loaded so far.
 * @typedef {{view: any, source: import("./api.js").Source, highest: number,
 *   pairs: Map<Version, Record<string, string[]>>}} Version
 */

const listeners = [];

export const state = {
  /** @type {Version[]} */
  versions: [],
  /** Indices of the version shown, and of the version that the selection was made on. */
  active: 0,
  base: 0,
  budget: 0,
  /** What the summary is made of: "all" or "articles". */
  focus: "all",
  step: 0,
  /** Index of the version shown beside the first, or -1. */
  second: -1,
  /** Indices of the selected units in the version shown. */
  chosen: new Set(),
  /** Citations of selected provisions that the version shown does not have. */
  lacking: [],
  /** Index of the current unit, or -1. */
  current: -1,
  /** What made it current: lattice, map, summary, act, star, contents, search, reference, keys, link or version. */
  origin: "",
  /** Index of the section being read, which follows the text, or -1. */
  reading: -1,
  /** Scroll positions to restore in a new version: the first visible unit, and its distance from the top. */
  scroll: { act: NO_POSITION, summary: NO_POSITION },
};

/** The view of the version shown. */
export const view = () => state.versions[state.active]?.view;

/**
 * Listen to changes of `version`, `chosen`, `step`, `current`, `reading`, `second`, and `words` (the interface language).
 * @param {(changed: Set<string>) => void} listener
 */
export const listen = (listener) => listeners.push(listener);

function notify(...changed) {
  const names = new Set(changed);
  for (const listener of listeners) listener(names);
}

/** Open the versions of an act, and show the first. @param {{view: any, source: object}[]} versions */
export function openVersions(versions) {
  state.versions = versions.map(withDerived);
  state.active = state.base = 0;
  state.budget = view().selection.default;
  state.second = -1;
  state.step = view().steps.length - 1;
  state.current = state.reading = -1;
  state.scroll = { act: NO_POSITION, summary: NO_POSITION };
  updateSelection();
  notify("version", "chosen", "step", "current");
}

/** Open an act again in a saved state, without a current unit. */
export function restore(saved) {
  Object.assign(state, saved, { current: -1, scroll: { act: NO_POSITION, summary: NO_POSITION } });
  if (view()) notify("version", "chosen", "step", "current", "second");
}

/** The interface language has changed. */
export const refresh = () => view() && notify("words");

/**
 * Add further versions of the same act; a version that exists already is replaced.
 * @returns {number} index of the first one
 */
export function addVersions(versions) {
  const numbers = versions.map((version) => {
    const known = state.versions.findIndex((other) => isSame(version.view, other.view));
    const number = known < 0 ? state.versions.length : known;
    state.versions[number] = withDerived(version);
    return number;
  });
  if (numbers.includes(state.base) || numbers.includes(state.active)) {
    state.active = state.base = numbers.find((number) => number === state.base || number === state.active);
    showVersion(state.active);
  }
  return numbers[0];
}

const isSame = (one, other) =>
  one.celex !== "" &&
  ["celex", "language"].every((key) => one[key] === other[key]) &&
  ["kind", "date"].every((key) => one.status[key] === other.status[key]);

function withDerived(version) {
  const highest = version.view.steps.flat().reduce((most, value) => Math.max(most, value), 0);
  return { ...version, highest, pairs: new Map() };
}

/**
 * Show another version with the same provisions selected, at the same position; its alignment with the version that the
 * selection was made on must be loaded.
 * @param {number} number
 * @param {typeof state.scroll} [scroll] the scroll positions in the version shown
 */
export function showVersion(number, scroll = { act: NO_POSITION, summary: NO_POSITION }) {
  const versions = [state.versions[state.active], state.versions[number], state.versions[state.base]];
  const current = counterpart(state.current, ...versions);
  state.scroll = { act: nextCounterpart(scroll.act, ...versions), summary: nextCounterpart(scroll.summary, ...versions) };
  state.active = number;
  state.step = Math.min(state.step, view().steps.length - 1);
  updateSelection();
  state.current = current;
  state.origin = "version";
  notify("version", "chosen", "step", "current");
}

/** Set the word budget, which applies to the version shown. */
export function setBudget(budget) {
  state.budget = budget;
  state.base = state.active;
  updateSelection();
  notify("chosen");
}

/** Select from all provisions, or from the articles only. @param {"all"|"articles"} focus */
export function setFocus(focus) {
  state.focus = focus;
  state.base = state.active;
  updateSelection();
  notify("chosen");
}

/** Show a version beside the one shown, or none (-1); their alignment must be loaded. */
export function showSecond(number) {
  state.second = number;
  notify("second");
}

/** Show the salience after a number of steps. */
export function setStep(step) {
  state.step = step;
  notify("step");
}

/** Make a unit current; the pane it comes from (`origin`) does not scroll. */
export function goToUnit(place, origin) {
  state.current = place;
  state.origin = origin;
  notify("current");
}

/** The text was scrolled to another section. */
export function setReading(section) {
  if (section === state.reading) return;
  state.reading = section;
  notify("reading");
}

/** The salience of each unit at the step shown, and the highest of all steps. */
export const salience = () => ({ values: view().steps[state.step], highest: state.versions[state.active].highest });

/** What would be selected by the salience at the step shown, which is what the lattice marks. */
export function chosenAtStep() {
  const shown = view();
  if (state.step === shown.steps.length - 1) return state.chosen;
  const isWanted = (place) => state.focus === "all" || shown.sections[shown.units[place].section].kind === "article";
  const order = shown.step_orders[state.step].filter((step) => step.every(isWanted));
  return choose(shown, state.budget, state.focus, order);
}

/** Whether there is anything to select in the version shown: not in acts that are repealed or have no text. */
export const hasSelection = () => view().selection.all.order.length > 0 || view().selection.all.whole.length > 0;

/** Number of words of the selection, or of other units. */
export const selectedWords = (places = state.chosen) => [...places].reduce((sum, place) => sum + view().units[place].words, 0);

function updateSelection() {
  const base = state.versions[state.base];
  state.chosen = choose(base.view, state.budget, state.focus);
  state.lacking = [];
  if (state.base === state.active) return;
  const pairs = base.pairs.get(state.versions[state.active]);
  const { projected, lacking } = projectSelection(state.chosen, base.view, view(), pairs);
  state.chosen = projected;
  state.lacking = lacking.sort((a, b) => a - b).map((place) => base.view.units[place].citation);
}
