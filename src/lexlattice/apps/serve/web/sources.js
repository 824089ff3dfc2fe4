// Loads acts, tells further versions of the open act from other acts, and shows them.

import { firstVisibleUnit as firstVisibleInAct } from "./act.js";
import { fetchAlignment, fetchView } from "./api.js";
import { t } from "./i18n.js";
import { runTask, showError, showMessage, showProgress } from "./messages.js";
import { openAct, showAct } from "./navigation.js";
import { keep } from "./recents.js";
import { addVersions, openVersions, setBudget, setFocus, showSecond, showVersion, state, view } from "./state.js";
import { firstVisibleUnit as firstVisibleInSummary } from "./summary.js";

const ACT = "act";

/**
 * Load one or several versions of an act, one after the other; a failure is reported, and the rest is still loaded.
 * @param {(import("./api.js").Source | ((signal: AbortSignal) => Promise<object>))[]} sources
 * @param {object} [how]
 * @param {boolean} [how.isAddition] whether it is added to the open act
 * @param {boolean} [how.isFromUrl] whether the URL already names it
 * @param {import("./address.js").Address} [how.address] what else to restore: words, focus, languages
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

async function open(versions, { isAddition = false, isFromUrl = false, address }, signal) {
  const found = versions.map((version) => version.view.celex).find(Boolean) ?? "";
  const here = view()?.celex ?? "";
  const isKnown = !address && (isAddition || (here && actOf(found) === actOf(here)));
  const celex = (isKnown && here) || found;
  const matching = versions.filter(({ view }) => !celex || !view.celex || actOf(view.celex) === actOf(celex));
  const others = versions.filter((version) => !matching.includes(version));
  if (others.length) showMessage(`${t("another")}: ${others.map(nameOf).join("; ")}`);
  if (!matching.length) return;
  if (isKnown) {
    await alignAndShow(addVersions(matching), signal);
    showAct({ isNew: false, isFromUrl });
  } else {
    await openNew(matching, isFromUrl, address ?? { focus: "all" }, signal);
  }
  await keep(state.versions);
}

/** Open an act with the words, focus, provision and versions of an address. */
async function openNew(versions, isFromUrl, { from, lang, words, focus, provision, with: beside }, signal) {
  const numberOf = (language) => versions.findIndex(({ view }) => view.language === language);
  versions.unshift(...versions.splice(Math.max(0, numberOf(from ?? lang)), 1));
  openAct(() => {
    openVersions(versions);
    const { least, most } = view().selection;
    setFocus(focus);
    if (words) setBudget(Math.min(Math.max(words, least), Math.max(most, view().words)));
  });
  const [shown, second] = [numberOf(lang), numberOf(beside)];
  showAct({ isNew: true, isFromUrl, provision });
  if (shown > 0) await alignAndShow(shown, signal);
  if (second >= 0 && second !== state.active) await alignAndCompare(second, signal);
}

/** The CELEX number of the act itself: consolidated texts have a first digit 0 and a date as suffix. */
const actOf = (celex) => celex.replace(/^0/, "3").replace(/-\d{8}$/, "");

const nameOf = ({ source, view: { celex } }) => (source.file ? `${source.file.name} (${celex})` : celex);

/** Align another version with the open one and show it; after an error the open one stays. */
export const switchTo = (number) => runTask(ACT, (signal) => alignAndShow(number, signal));

/** Align another version and show it beside the open one. */
export const compareWith = (number) => runTask(ACT, (signal) => alignAndCompare(number, signal));

async function alignAndShow(number, signal) {
  await align(number, signal);
  showVersion(number, { act: firstVisibleInAct(), summary: firstVisibleInSummary() });
}

async function alignAndCompare(number, signal) {
  await align(number, signal);
  showSecond(number);
}

/** Load the alignment of a version with the one that the selection was made on. */
async function align(number, signal) {
  const [base, other] = [state.versions[state.base], state.versions[number]];
  if (base !== other && !base.pairs.has(other)) {
    const [from, to] = [base, other].map(({ source, view }) => ({ ...source, language: view.language }));
    base.pairs.set(other, await fetchAlignment(from, to, signal));
  }
  signal.throwIfAborted();
}
