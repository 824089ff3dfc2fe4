// Loads acts, tells further versions of the open act from other acts, and shows them.

import { firstVisibleUnit as firstVisibleInAct } from "./act.js";
import { fetchAlignment, fetchView } from "./api.js";
import { t } from "./i18n.js";
import { runTask, showError, showMessage, showProgress } from "./messages.js";
import { openAct, showAct } from "./navigation.js";
import { addVersions, openVersions, showVersion, state, view } from "./state.js";
import { firstVisibleUnit as firstVisibleInSummary } from "./summary.js";

const ACT = "act";

/**
 * Load one or several versions of an act, one after the other; a failure is reported, and the rest is still loaded.
 * @param {(import("./api.js").Source | ((signal: AbortSignal) => Promise<object>))[]} sources
 * @param {object} [how]
 * @param {Record<string, string>} [how.query] query string from which the act can be loaded again, so that links to
 *   its provisions can be shared
 * @param {boolean} [how.isAddition] whether it is added to the open act
 * @param {boolean} [how.isFromUrl] whether the URL already names it
 */
export function load(sources, how = {}) {
  return runTask(ACT, async (signal) => {
    const versions = [];
    for (const [number, given] of sources.entries()) {
      showProgress(sources.length > 1 ? ` ${number + 1} ${t("of")} ${sources.length}` : "");
      try {
        const source = typeof given === "function" ? await given(signal) : given;
        versions.push({ source, view: await fetchView(source, signal) });
      } catch (error) {
        signal.throwIfAborted();
        showError(error, given.file?.name);
      }
    }
    signal.throwIfAborted();
    if (versions.length) await open(versions, how, signal);
  });
}

async function open(versions, { query = {}, isAddition = false, isFromUrl = false }, signal) {
  const found = versions.map((version) => version.view.celex).find(Boolean) ?? "";
  const here = view()?.celex ?? "";
  const isKnown = isAddition || (here && actOf(found) === actOf(here));
  const celex = (isKnown && here) || found;
  const matching = versions.filter(({ view }) => !celex || !view.celex || actOf(view.celex) === actOf(celex));
  const others = versions.filter((version) => !matching.includes(version));
  if (others.length) showMessage(`${t("another")}: ${others.map(nameOf).join("; ")}`);
  if (!matching.length) return;
  if (isKnown) await alignAndShow(addVersions(matching), signal);
  else openAct(() => openVersions(matching));
  showAct(query, { isNew: !isKnown, isFromUrl });
}

/** The CELEX number of the act itself: consolidated texts have a first digit 0 and a date as suffix. */
const actOf = (celex) => celex.replace(/^0/, "3").replace(/-\d{8}$/, "");

const nameOf = ({ source, view: { celex } }) => (source.file ? `${source.file.name} (${celex})` : celex);

/** Align another version with the open one and show it; after an error the open one stays. */
export const switchTo = (number) => runTask(ACT, (signal) => alignAndShow(number, signal));

async function alignAndShow(number, signal) {
  const [base, other] = [state.versions[state.base], state.versions[number]];
  if (base !== other && !base.pairs.has(other)) {
    const [from, to] = [base, other].map(({ source, view }) => ({ ...source, language: view.language }));
    base.pairs.set(other, await fetchAlignment(from, to, signal));
  }
  signal.throwIfAborted();
  showVersion(number, { act: firstVisibleInAct(), summary: firstVisibleInSummary() });
}
