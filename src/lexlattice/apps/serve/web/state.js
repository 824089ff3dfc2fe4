// What is open and what of it is shown; the views listen, so that they are always in step.

import { carry, choose } from "./choosing.js";
import { counterpart, following, NOWHERE } from "./counterparts.js";

/**
 * A version of an act: its view, where it came from, its highest salience, and by which of its units say what which of
 * another version say, as far as that was asked for.
 * @typedef {{view: any, source: import("./service.js").Source, highest: number,
 *   pairs: Map<Version, Record<string, string[]>>}} Version
 */

const listeners = [];

export const state = {
  /** @type {Version[]} */
  versions: [],
  /** The one that is shown, and the one that was chosen on. */
  now: 0,
  base: 0,
  budget: 0,
  step: 0,
  /** Places of what is chosen in the version that is shown. */
  chosen: new Set(),
  /** Citations of what was chosen and is not in the version that is shown. */
  lacking: [],
  /** The unit that was gone to, or -1. */
  current: -1,
  /** From where it was gone to: one of the views, the contents, the keys, a link; or a version was switched. */
  origin: "",
  /** What stood first in the act and in the summary before a version was switched, and how far below their top. */
  seen: { act: NOWHERE, summary: NOWHERE },
};

/** The view of the version that is shown. */
export const view = () => state.versions[state.now]?.view;

/**
 * Be told which of `version`, `chosen`, `step`, `current` changed, or the `words` of the page.
 * @param {(changed: Set<string>) => void} listener
 */
export const listen = (listener) => listeners.push(listener);

function tell(...changed) {
  const names = new Set(changed);
  for (const listener of listeners) listener(names);
}

/** Open these versions of an act, the first of them shown. @param {{view: any, source: object}[]} versions */
export function openVersions(versions) {
  state.versions = versions.map(prepared);
  state.now = state.base = 0;
  state.budget = view().budget;
  state.step = view().steps.length - 1;
  state.current = -1;
  state.seen = { act: NOWHERE, summary: NOWHERE };
  select();
  tell("version", "chosen", "step", "current");
}

/** Open an act again as it was left; nothing of it is gone to yet. */
export function restore(left) {
  Object.assign(state, left, { current: -1, seen: { act: NOWHERE, summary: NOWHERE } });
  if (view()) tell("version", "chosen", "step", "current");
}

/** The page speaks another language. */
export const refresh = () => view() && tell("words");

/**
 * Take further versions of the same act; one that is there already is put in its place.
 * @returns {number} the first of them
 */
export function addVersions(versions) {
  const numbers = versions.map((version, turn) => {
    const known = state.versions.findIndex((other) => isSame(version.view, other.view));
    const number = known < 0 ? state.versions.length : known;
    state.versions[number] = prepared(versions[turn]);
    return number;
  });
  if (numbers.includes(state.base) || numbers.includes(state.now)) {
    state.now = state.base = numbers.find((number) => number === state.base || number === state.now);
    showVersion(state.now);
  }
  return numbers[0];
}

const isSame = (one, other) =>
  one.celex !== "" && ["celex", "language", "consolidated"].every((key) => one[key] === other[key]);

function prepared(version) {
  const highest = version.view.steps.flat().reduce((most, value) => Math.max(most, value), 0);
  return { ...version, highest, pairs: new Map() };
}

/**
 * Show another version, with the same provisions chosen and the same place; which units correspond to those of the
 * version that was chosen on has to be known.
 * @param {number} number
 * @param {typeof state.seen} [seen] what stands first in the version that is shown
 */
export function showVersion(number, seen = { act: NOWHERE, summary: NOWHERE }) {
  const ways = [state.versions[state.now], state.versions[number], state.versions[state.base]];
  const current = counterpart(state.current, ...ways);
  state.seen = { act: following(seen.act, ...ways), summary: following(seen.summary, ...ways) };
  state.now = number;
  state.step = Math.min(state.step, view().steps.length - 1);
  select();
  state.current = current;
  state.origin = "version";
  tell("version", "chosen", "step", "current");
}

/** Allow so many words, counted in the version that is shown. */
export function allow(budget) {
  state.budget = budget;
  state.base = state.now;
  select();
  tell("chosen");
}

/** Show the salience after so many steps. */
export function goToStep(step) {
  state.step = step;
  tell("step");
}

/** Go to a unit from one of the views, which need not move for it. */
export function goTo(place, origin) {
  state.current = place;
  state.origin = origin;
  tell("current");
}

/** The salience of each unit at the step that is shown, and the highest of all. */
export const salience = () => ({ values: view().steps[state.step], highest: state.versions[state.now].highest });

/** Words of all that is chosen. */
export const chosenWords = () => [...state.chosen].reduce((sum, place) => sum + view().units[place].words, 0);

function select() {
  const base = state.versions[state.base];
  state.chosen = choose(base.view, state.budget);
  state.lacking = [];
  if (state.base === state.now) return;
  const pairs = base.pairs.get(state.versions[state.now]);
  const { carried, lacking } = carry(state.chosen, base.view, view(), pairs);
  state.chosen = carried;
  state.lacking = lacking.sort((a, b) => a - b).map((place) => base.view.units[place].citation);
}
