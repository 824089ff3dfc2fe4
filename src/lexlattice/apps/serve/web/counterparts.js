// What stands for what in two versions of an act, by way of the one that was chosen on.

/** @typedef {import("./state.js").Version} Version */

/** That nothing stands first. */
export const NOWHERE = { place: -1, offset: 0 };

/**
 * Where what stands at a place of one version stands in another, or -1.
 * @param {number} place @param {Version} from @param {Version} to
 * @param {Version} base the one of which it is known what corresponds to its units
 */
export function counterpart(place, from, to, base) {
  let id = from.view.units[place]?.id;
  if (id === undefined || from === to) return place;
  if (from !== base) id = Object.entries(base.pairs.get(from)).find(([, others]) => others.includes(id))?.[0];
  if (to !== base) id = base.pairs.get(to)[id]?.[0];
  return to.view.units.findIndex((unit) => unit.id === id);
}

/**
 * The same for what stands first in a view; if that has no counterpart, for what follows it.
 * @param {{place: number, offset: number}} first @param {Version} from @param {Version} to @param {Version} base
 */
export function following({ place, offset }, from, to, base) {
  if (place < 0) return NOWHERE;
  for (let next = place; next < from.view.units.length; next += 1) {
    const other = counterpart(next, from, to, base);
    if (other >= 0) return { place: other, offset };
  }
  return NOWHERE;
}
