// Which units a summary of so many words has: the same rules as on the command line, without asking anybody.

/**
 * The chosen units by their place in the act.
 *
 * There is one order of steps, so a longer summary contains a shorter one: as many steps as fit. One that may be as
 * long as the act has all that can be cited.
 * @param {{words: number, units: {words: number}[], order: number[][], whole: number[]}} view
 * @param {number} budget words
 * @returns {Set<number>}
 */
export function choose(view, budget) {
  if (budget >= view.words) return new Set(view.whole);
  const chosen = new Set();
  let left = budget;
  for (const step of view.order) {
    left -= step.reduce((sum, unit) => sum + view.units[unit].words, 0);
    if (left < 0) break;
    for (const unit of step) chosen.add(unit);
  }
  return chosen;
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
