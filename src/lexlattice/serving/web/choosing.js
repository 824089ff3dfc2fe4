// Which units a summary of so many words has: the same rules as on the command line, without asking anybody.

/** The share of all words that each kind may have; those marked `aside` may have more once nothing else fits. */
const SHARES = { notes: { share: 0.1 }, recitals: { share: 0.25, aside: true }, annex: { share: 0.25, aside: true } };

/**
 * The chosen units by their place in the act.
 * @param {{units: {words: number}[], order: {units: number[], kind: string}[]}} view
 * @param {number} budget words
 * @returns {Set<number>}
 */
export function choose(view, budget) {
  const chosen = new Set();
  const room = {};
  for (const [kind, { share }] of Object.entries(SHARES)) room[kind] = Math.floor(share * budget);
  let left = budget;
  for (const opened of [false, true]) {
    for (const { units, kind } of view.order) {
      const missing = units.filter((unit) => !chosen.has(unit));
      const cost = missing.reduce((sum, unit) => sum + view.units[unit].words, 0);
      const limit = opened && SHARES[kind]?.aside ? left : Math.min(left, room[kind] ?? left);
      if (!missing.length || cost > limit) continue;
      for (const unit of missing) chosen.add(unit);
      left -= cost;
      if (kind in room) room[kind] -= cost;
    }
  }
  return chosen;
}

/**
 * The same provisions in another version of the act: by id, or whole where its sentences are divided differently.
 * @param {Set<number>} chosen of the version `from`
 * @returns {Set<number>} of the version `to`
 */
export function carry(chosen, from, to) {
  const byId = new Map(to.units.map((unit, place) => [unit.id, place]));
  const byProvision = Map.groupBy(to.units.keys(), (place) => to.units[place].provision);
  const carried = new Set();
  for (const place of chosen) {
    const { id, provision } = from.units[place];
    const others = byId.has(id) ? [byId.get(id)] : (byProvision.get(provision) ?? []);
    for (const other of others) carried.add(other);
  }
  return carried;
}

/** For each value from 0 to 1 its shade from 0 to 9; roots, because most units matter little. */
export const shade = (salience, highest) => Math.min(9, Math.floor(10 * Math.sqrt(salience / (highest || 1))));
