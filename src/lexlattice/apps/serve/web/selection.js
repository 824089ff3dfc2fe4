// Selects the units of a summary within a word budget, with the result of the library but without a request.

/**
 * Select units by their index in the act.
 *
 * The service sends one order of steps, and a summary is as many of them as fit: a longer summary contains a shorter one.
 * A budget as long as the act selects `whole`.
 * @param {any} view of an act
 * @param {number} budget words
 * @param {"all"|"articles"} [focus]
 * @param {number[][]} [order] instead of that of the view
 * @returns {Set<number>}
 */
export function choose(view, budget, focus = "all", order = view.selection[focus].order) {
  if (budget >= view.words) return new Set(view.selection[focus].whole);
  const chosen = new Set();
  let left = budget;
  for (const step of order) {
    left -= step.reduce((sum, unit) => sum + view.units[unit].words, 0);
    if (left < 0) break;
    for (const unit of step) chosen.add(unit);
  }
  return chosen;
}

/**
 * Project a selection onto another version of the act.
 * @param {Iterable<number>} chosen indices in the version `from`
 * @param {Record<string, string[]>} pairs ids of the units in `to`, by id of a unit in `from`
 * @returns {{projected: Set<number>, lacking: number[]}} indices in `to`, and those in `from` without a counterpart
 */
export function projectSelection(chosen, from, to, pairs) {
  const places = new Map(to.units.map((unit, place) => [unit.id, place]));
  const projected = new Set();
  const lacking = [];
  for (const place of chosen) {
    const others = pairs[from.units[place].id] ?? [];
    for (const id of others) projected.add(places.get(id));
    if (!others.length) lacking.push(place);
  }
  return { projected, lacking };
}

/** The shade (0 to 9) of a salience; square roots spread the low values, which most units have. */
export const shadeOf = (salience, highest) => Math.min(9, Math.floor(10 * Math.sqrt(salience / (highest || 1))));
