// Loads acts, tells further versions of the open act from other acts, and shows them.

import { firstVisibleUnit as firstVisibleInAct } from "./act.js";
import { fetchAlignment, fetchExample, fetchView } from "./api.js";
import { t } from "./i18n.js";
import { runTask, showError, showMessage, showProgress } from "./messages.js";
import { openAct, showAct } from "./navigation.js";
import { keep } from "./recents.js";
import { addVersions, openVersions, setBudget, setFocus, showSecond, showVersion, state, view } from "./state.js";
import { firstVisibleUnit as firstVisibleInSummary } from "./summary.js";

const ACT = "act";

/**
 * Load one or several versions of an act, one after the other; a failure is reported, and the rest is still loaded.
 * @param {import("./api.js").Source[]} sources
 * @param {object} [how]
 * @param {boolean} [how.isAddition] whether it is added to the open act
 * @param {boolean} [how.isFromUrl] whether the URL already names it
 * @param {boolean} [how.isBeside] whether it is added without being shown
 * @param {import("./address.js").Address} [how.address] what to restore: words, focus, provision, languages
 * @returns {Promise<number>} index of the first version that was loaded, or -1
 */
export async function load(sources, how = {}) {
  let number = -1;
  await runTask(ACT, async (signal) => {
    const versions = [];
    for (const [number, given] of sources.entries()) {
      showProgress(sources.length > 1 ? ` ${number + 1} ${t("of")} ${sources.length}` : "");
      try {
        const text = given.example && (await fetchExample(given.example, given.language, signal));
        const source = given.example ? { ...given, text } : given;
        versions.push({ source, view: await fetchView(source, signal) });
      } catch (error) {
        signal.throwIfAborted();
        showError(error, given.file?.name);
      }
    }
    signal.throwIfAborted();
    if (versions.length) number = await open(versions, how, signal);
  });
  return number;
}

async function open(versions, { isAddition = false, isFromUrl = false, isBeside = false, address }, signal) {
  const found = versions.map((version) => version.view.celex).find(Boolean) ?? "";
  const here = view()?.celex ?? "";
  const isKnown = isAddition || (!address && here && actOf(found) === actOf(here));
  const celex = (isKnown && here) || found;
  const matching = versions.filter(({ view }) => !celex || !view.celex || actOf(view.celex) === actOf(celex));
  const others = versions.filter((version) => !matching.includes(version));
  if (others.length) showMessage(`${t("another")}: ${others.map(nameOf).join("; ")}`);
  if (!matching.length) return -1;
  const number = isKnown ? addVersions(matching) : 0;
  if (isKnown && !isBeside) {
    await alignAndShow(number, signal);
    showAct({ isNew: false, isFromUrl });
  }
  if (!isKnown) await openNew(matching, isFromUrl, address ?? { focus: "all" }, signal);
  keep(state.versions);
  return number;
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
  if (second < 0 || second === state.active) return;
  await align(state.active, second, signal);
  signal.throwIfAborted();
  showSecond(second);
}

/** The CELEX number of the act itself: consolidated texts have a first digit 0 and a date as suffix. */
const actOf = (celex) => celex.replace(/^0/, "3").replace(/-\d{8}$/, "");

const nameOf = ({ source, view: { celex } }) => (source.file ? `${source.file.name} (${celex})` : celex);

/** Align another version with the open one and show it; after an error the open one stays. */
export const switchTo = (number) => runTask(ACT, (signal) => alignAndShow(number, signal));

async function alignAndShow(number, signal) {
  await align(state.base, number, signal);
  signal.throwIfAborted();
  showVersion(number, { act: firstVisibleInAct(), summary: firstVisibleInSummary() });
}

/** Align two versions, so that their corresponding units are known. @returns {Promise<boolean>} whether they are */
export async function alignment(from, to) {
  await runTask(ACT, (signal) => align(from, to, signal));
  return from === to || state.versions[from].pairs.has(state.versions[to]);
}

async function align(from, to, signal) {
  const [one, other] = [state.versions[from], state.versions[to]];
  if (one === other || one.pairs.has(other)) return;
  const sources = [one, other].map(({ source, view }) => ({ ...source, language: view.language }));
  one.pairs.set(other, await fetchAlignment(...sources, signal));
}
