// Omissions within the lists and provisions shown; the same rules as `cuts_of` in act/hierarchy.py of the library.

import { citationOf, numbersOf } from "./blocks.js";
import { separator } from "./i18n.js";
import { state, view } from "./state.js";

/**
 * @typedef {{after: number, missing: number[], isPoints: boolean}} Omission the index of the unit before it, and those of
 *   the omitted units: of each point the first
 */

/** The omissions in a selection, in document order. @param {number[]} places sorted @returns {Omission[]} */
export function omissionsOf(places) {
  const { units } = view();
  const chosen = new Set(places);
  const gaps = [
    ...inLists(units, chosen),
    ...inProvisions(units, chosen),
    ...betweenSubparagraphs(units, chosen),
    ...afterSubparagraphs(units, chosen),
  ];
  return gaps
    .sort((one, other) => one.missing[0] - other.missing[0])
    .map((gap) => ({ ...gap, after: places.findLast((place) => place < gap.missing[0]) }));
}

const leadOf = (unit) => (unit.step ? unit.above : -1);

/** Omissions below a selected unit: points, which are counted, or quoted text. */
function* inLists(units, chosen) {
  const shown = new Set(chosen);
  for (const place of chosen) {
    for (let lead = leadOf(units[place]); lead >= 0 && !shown.has(lead); lead = leadOf(units[lead])) shown.add(lead);
  }
  const seen = new Set([...shown].map((place) => units[place].provision));
  const below = new Map([...chosen].map((place) => [place, []]));
  for (const [place, unit] of units.entries()) if (isFirst(units, place)) below.get(leadOf(unit))?.push(place);
  for (const entries of below.values()) {
    let run = [];
    for (const place of entries) {
      const isMissing = !seen.has(units[place].provision);
      if (run.length && !(isMissing && units[place].is_point === units[run[0]].is_point)) {
        yield { missing: run, isPoints: units[run[0]].is_point };
        run = [];
      }
      if (isMissing) run.push(place);
    }
    if (run.length) yield { missing: run, isPoints: units[run[0]].is_point };
  }
}

const isFirst = (units, place) => units[place - 1]?.provision !== units[place].provision;

/** Sentences after a selected one of the same provision, up to the next selected one. */
function* inProvisions(units, chosen) {
  for (const place of chosen) {
    const missing = [];
    let next = place + 1;
    while (units[next]?.provision === units[place].provision && !chosen.has(next)) missing.push(next++);
    if (missing.length && units[place].kind !== "title") yield { missing, isPoints: false };
  }
}

/** Subparagraphs before a selected one, or before the one that it is in, back to the last selected unit of the paragraph. */
function* betweenSubparagraphs(units, chosen) {
  const shown = new Set([...chosen].map((place) => units[place].provision));
  for (const place of chosen) {
    const host = paragraphOf(units[place].provision);
    if (!shown.has(host)) continue;
    const missing = new Map();
    for (let before = place - 1; before >= 0 && !chosen.has(before); before -= 1) {
      const { kind, provision } = units[before];
      if (kind === "subparagraph" && paragraphOf(provision) === host) missing.set(provision, before);
    }
    missing.delete(units[place].provision);
    if (missing.size) yield { missing: [...missing.values()].reverse(), isPoints: false };
  }
}

/** Subparagraphs after the last selected unit of a paragraph whose beginning is selected. */
function* afterSubparagraphs(units, chosen) {
  const hosts = new Map();
  for (const [place, { kind, provision }] of units.entries()) {
    const host = kind === "subparagraph" && isFirst(units, place) ? paragraphOf(provision) : undefined;
    if (host !== undefined) hosts.set(host, [...(hosts.get(host) ?? []), place]);
  }
  const last = new Map();
  for (const place of [...chosen].sort((a, b) => a - b)) {
    const steps = units[place].provision.split(".");
    for (let count = 1; count <= steps.length; count += 1) last.set(steps.slice(0, count).join("."), place);
  }
  for (const host of new Set([...chosen].map((place) => units[place].provision))) {
    const missing = (hosts.get(host) ?? []).filter((place) => place > last.get(host));
    if (missing.length) yield { missing, isPoints: false };
  }
}

/** The id of the paragraph that a subparagraph, or what is below one, belongs to. */
const paragraphOf = (provision) => /^(.*)\.sub-/.exec(provision)?.[1];

/** The units that an omission stands for: those omitted, and whatever hangs from them. @returns {number[]} */
export function unitsLeftOut({ after, missing }) {
  const { units } = view();
  const { provision, section } = units[missing[0]];
  // Sentences are omitted one by one, points and subparagraphs with all their sentences.
  const whole = new Set(provision === units[after].provision ? [] : missing.map((place) => units[place].provision));
  const found = new Set(missing);
  for (let place = missing[0] + 1; units[place]?.section === section; place += 1) {
    if (state.chosen.has(place)) continue;
    if (found.has(units[place].above) || whole.has(units[place].provision)) found.add(place);
  }
  return [...found].sort((a, b) => a - b);
}

/** What is omitted: points by their numbers as the act writes them ("(b)–(f)"), anything else by its citation. */
export function namesLeftOut({ missing, isPoints }) {
  const { units } = view();
  const isOneProvision = missing.every((place) => units[place].provision === units[missing[0]].provision);
  if (isOneProvision && !isPoints) return citationOf(missing);
  const names = missing.map((place) => units[place].citation);
  if (!isPoints) return names.join(separator());
  return numbersOf(missing) || (names.length > 2 ? `${names[0]} – ${names.at(-1)}` : names.join(separator()));
}
