// What is open and what of it is shown; the views listen, so that they are always in step.

import { carry, choose } from "./choosing.js";

/**
 * A version of an act: its view, and where it came from.
 * @typedef {{view: any, source: import("./service.js").Source, highest: number}} Version
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
  /** The unit that was gone to, or -1. */
  current: -1,
  /** From where it was gone to: one of the views, the contents, a link; or a version was switched. */
  origin: "",
};

/** The view of the version that is shown. */
export const view = () => state.versions[state.now]?.view;

/** Be told which of `version`, `chosen`, `step`, `current` changed. @param {(changed: Set<string>) => void} listener */
export const listen = (listener) => listeners.push(listener);

function tell(...changed) {
  const names = new Set(changed);
  for (const listener of listeners) listener(names);
}

/** Open these versions of an act, the first of them shown. @param {{view: any, source: object}[]} versions */
export function openVersions(versions) {
  state.versions = versions.map(withHighest);
  state.now = state.base = 0;
  state.budget = view().budget;
  state.step = view().steps.length - 1;
  state.current = -1;
  select();
  tell("version", "chosen", "step", "current");
}

/** Take further versions of the same act; those in a language that is there already are put in its place. */
export function addVersions(versions) {
  const numbers = versions.map(({ view: { language } }, turn) => {
    const known = state.versions.findIndex(({ view }) => view.language === language);
    const number = known < 0 ? state.versions.length : known;
    state.versions[number] = withHighest(versions[turn]);
    return number;
  });
  showVersion(numbers[0]);
}

function withHighest(version) {
  const highest = version.view.steps.flat().reduce((most, value) => Math.max(most, value), 0);
  return { ...version, highest };
}

/** Show another version, with the same provisions chosen and the same place. */
export function showVersion(number) {
  const before = view().units[state.current];
  state.now = number;
  state.step = Math.min(state.step, view().steps.length - 1);
  select();
  state.current = before ? placeOf(before.id, before.provision) : -1;
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

/** Where a provision is in the version that is shown, or -1. */
export function placeOf(id, provision = id) {
  const { units } = view();
  const exact = units.findIndex((unit) => unit.id === id);
  return exact >= 0 ? exact : units.findIndex((unit) => unit.provision === provision || unit.id.startsWith(`${id}.`));
}

/** The salience of each unit at the step that is shown, and the highest of all. */
export const salience = () => ({ values: view().steps[state.step], highest: state.versions[state.now].highest });

/** Words of all that is chosen. */
export const chosenWords = () => [...state.chosen].reduce((sum, place) => sum + view().units[place].words, 0);

function select() {
  const base = state.versions[state.base].view;
  const chosen = choose(base, state.budget);
  const carried = state.base === state.now ? chosen : carry(chosen, base, view());
  state.chosen = carried.size || !chosen.size ? carried : choose(view(), state.budget);
}
