// Which units a summary of so many words has: the same rules as on the command line, without asking anybody.

/**
 * What is chosen for a length, the first before the others: `chosen` of the groups, and those that would follow.
 * @typedef {{words: number, chosen: number, groups: {units: number[], kind: string}[]}} Order
 */

/**
 * The chosen units by their place in the act.
 *
 * Every order is the beginning of one sequence, so a longer summary contains a shorter one: as much of it as fits.
 * @param {{units: {words: number}[], orders: Order[]}} view
 * @param {number} budget words
 * @returns {Set<number>}
 */
export function choose(view, budget) {
  const order = nearest(view.orders, budget);
  if (!order) return new Set();
  if (order.words === budget) return new Set(order.groups.slice(0, order.chosen).flatMap(({ units }) => units));
  const chosen = new Set();
  let left = budget;
  for (const { units } of order.groups) {
    left -= units.reduce((sum, unit) => sum + view.units[unit].words, 0);
    if (left < 0) break;
    for (const unit of units) chosen.add(unit);
  }
  return chosen;
}

/** The order for the length that is closest, as a ratio. */
function nearest(orders, budget) {
  const distance = ({ words }) => Math.abs(Math.log(Math.max(words, 1) / Math.max(budget, 1)));
  return orders.reduce((best, order) => (best && distance(best) <= distance(order) ? best : order), undefined);
}

/**
 * The same provisions in another version of the act.
 * @param {Iterable<number>} chosen of the version `from`
 * @param {Record<string, string[]>} pairs for ids of the one those of the other, where there are any
 * @returns {{carried: Set<number>, lacking: number[]}} places in the version `to`; what has no counterpart there
 */
export function carry(chosen, from, to, pairs) {
  const places = new Map(to.units.map((unit, place) => [unit.id, place]));
  const carried = new Set();
  const lacking = [];
  for (const place of chosen) {
    const others = pairs[from.units[place].id] ?? [];
    for (const id of others) carried.add(places.get(id));
    if (!others.length) lacking.push(place);
  }
  return { carried, lacking };
}

/** For each value from 0 to 1 its shade from 0 to 9; roots, because most units matter little. */
export const shade = (salience, highest) => Math.min(9, Math.floor(10 * Math.sqrt(salience / (highest || 1))));
