// Reads what people give, tells the act's versions from other acts, and shows them.

import { enter, opening } from "./addresses.js";
import { topmost as topmostOfAct } from "./act.js";
import { busy, note, tellTrouble, tellWorking } from "./news.js";
import { pairsOf, viewOf } from "./service.js";
import { addVersions, openVersions, showVersion, state, view } from "./state.js";
import { topmost as topmostOfSummary } from "./summary.js";
import { word } from "./words.js";

const ACT = "act";

/**
 * Read what may be several versions of an act, one after the other; those that cannot be read do not keep the rest.
 * @param {(import("./service.js").Source | ((signal: AbortSignal) => Promise<object>))[]} sources
 * @param {object} [how]
 * @param {Record<string, string>} [how.query] names an act that can be got again in the address, so that a link to a
 *   provision leads others there as well
 * @param {boolean} [how.isMore] it is added to what is open
 * @param {boolean} [how.isAsked] the address asked for it, and stays
 */
export function load(sources, how = {}) {
  return busy(ACT, async (signal) => {
    const versions = [];
    for (const [number, given] of sources.entries()) {
      tellWorking(sources.length > 1 ? ` ${number + 1} ${word("of")} ${sources.length}` : "");
      try {
        const source = typeof given === "function" ? await given(signal) : given;
        versions.push({ source, view: await viewOf(source, signal) });
      } catch (error) {
        signal.throwIfAborted();
        tellTrouble(error, given.file?.name);
      }
    }
    signal.throwIfAborted();
    if (versions.length) await open(versions, how, signal);
  });
}

async function open(versions, { query = {}, isMore = false, isAsked = false }, signal) {
  const found = versions.map((version) => version.view.celex).find(Boolean) ?? "";
  const here = view()?.celex ?? "";
  const isKnown = isMore || (here && actOf(found) === actOf(here));
  const celex = (isKnown && here) || found;
  const own = versions.filter(({ view }) => !celex || !view.celex || actOf(view.celex) === actOf(celex));
  const others = versions.filter((version) => !own.includes(version));
  if (others.length) note(`${word("another")}: ${others.map(nameOf).join("; ")}`);
  if (!own.length) return;
  if (isKnown) await switchNow(addVersions(own), signal);
  else opening(() => openVersions(own));
  enter(query, { isNew: !isKnown, isAsked });
}

/** The number of the act itself: a consolidated text has it with another first digit and a day. */
const actOf = (celex) => celex.replace(/^0/, "3").replace(/-\d{8}$/, "");

const nameOf = ({ source, view: { celex } }) => (source.file ? `${source.file.name} (${celex})` : celex);

/** Show another version once it is known what corresponds to what; if that cannot be known, say so and stay. */
export const switchTo = (number) => busy(ACT, (signal) => switchNow(number, signal));

async function switchNow(number, signal) {
  const [base, other] = [state.versions[state.base], state.versions[number]];
  if (base !== other && !base.pairs.has(other)) {
    const [from, to] = [base, other].map(({ source, view }) => ({ ...source, language: view.language }));
    base.pairs.set(other, await pairsOf(from, to, signal));
  }
  signal.throwIfAborted();
  showVersion(number, { act: topmostOfAct(), summary: topmostOfSummary() });
}
