// Corresponding units of two versions of an act, by way of the version that the selection was made on.

/** @typedef {import("./state.js").Version} Version */

/** The scroll position of a pane without a visible unit. */
export const NO_POSITION = { place: -1, offset: 0 };

/**
 * The index of the corresponding unit in another version, or -1.
 * @param {number} place @param {Version} from @param {Version} to
 * @param {Version} base the version whose alignments with the others are known
 */
export function counterpart(place, from, to, base) {
  let id = from.view.units[place]?.id;
  if (id === undefined || from === to) return place;
  if (from !== base) id = Object.entries(base.pairs.get(from)).find(([, others]) => others.includes(id))?.[0];
  if (to !== base) id = base.pairs.get(to)[id]?.[0];
  return to.view.units.findIndex((unit) => unit.id === id);
}

/**
 * The scroll position in another version: the counterpart of the first visible unit, or of the next that has one.
 * @param {{place: number, offset: number}} first @param {Version} from @param {Version} to @param {Version} base
 */
export function nextCounterpart({ place, offset }, from, to, base) {
  if (place < 0) return NO_POSITION;
  for (let next = place; next < from.view.units.length; next += 1) {
    const other = counterpart(next, from, to, base);
    if (other >= 0) return { place: other, offset };
  }
  return NO_POSITION;
}

/**
 * The corresponding places of two versions, in both directions.
 * @param {any} from view of a version @param {any} to view of another @param {Record<string, string[]>} pairs ids in `to` by id in `from`
 * @returns {[number[][], number[]]} places in `to` of each unit of `from`, and the place in `from` of each unit of `to`, or -1
 */
export function alignedPlaces(from, to, pairs) {
  const placeOf = new Map(to.units.map(({ id }, place) => [id, place]));
  const there = from.units.map(({ id }) => (pairs[id] ?? []).map((other) => placeOf.get(other)));
  const back = to.units.map(() => -1);
  for (const [place, others] of there.entries()) {
    for (const other of others) if (back[other] < 0) back[other] = place;
  }
  return [there, back];
}
