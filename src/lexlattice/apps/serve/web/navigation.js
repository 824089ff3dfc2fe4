// The URL of what is shown and the browser's history: an entry for the start, each act, and each place jumped to.

import { actText, firstVisibleUnit } from "./act.js";
import { currentAddress, provisionIn } from "./address.js";
import { byId, moveFocus } from "./dom.js";
import { t } from "./i18n.js";
import { closeContents, isSheetOpen, setSheet } from "./layout.js";
import { cancel, showError, showMessage } from "./messages.js";
import { keepPlace } from "./recents.js";
import { goToUnit, listen, restore, state, view } from "./state.js";

/** Jumps that Back returns from; other moves only change the URL. */
const JUMPS = new Set(["contents", "search", "reference", "map", "lattice", "summary"]);
/** Milliseconds before the URL follows sliders and keys: browsers refuse more than some hundred changes a minute. */
const DELAY = 250;
const root = document.documentElement;

/** The state of each act that was opened, by its number in history entries; 0 is the start. */
const acts = new Map([[0, { ...state }]]);
let act = 0;
/** The number of the act on screen: another is being opened if it differs. */
let shown = 0;
let timer = 0;

/**
 * Must come before what scrolls or closes a pane: it notes where the user was.
 * @param {() => boolean} openFromUrl opens the act that the URL names, if any
 */
export function initNavigation(openFromUrl) {
  history.replaceState({}, "");
  addEventListener("popstate", ({ state: entry }) => onPopState(entry, openFromUrl));
  addEventListener("pagehide", writeAddress);
  byId("home").addEventListener("click", () => {
    if (!isReading()) return;
    writeAddress();
    history.pushState({}, "", location.pathname);
    showStart();
  });
  listen((changed) => {
    acts.set(act, { ...state });
    if (!isReading() || act !== shown) return;
    updateTitle();
    if (!changed.has("current") || state.origin === "keys") writeSoon();
    else if (JUMPS.has(state.origin) && view().units[state.current]) jump();
    else writeAddress();
  });
}

export const isReading = () => root.classList.contains("at-reader");

/** The address of what is shown, for a link that shows the same. */
export const linkToHere = () => new URL(currentAddress(), location.href).href;

/** Open another act; after an error the previous one stays open. */
export function openAct(run) {
  const before = act;
  act = Date.now();
  try {
    run();
  } catch (error) {
    acts.delete(act);
    act = before;
    restore(acts.get(act));
    throw error;
  }
}

/** Show the act that was opened or got another version, and update the URL. */
export function showAct({ isNew, isFromUrl, provision = "" }) {
  const wasReading = isReading();
  const isThere = isFromUrl || (wasReading && !isNew);
  clearTimeout(timer);
  if (isNew) setSheet(true);
  history[isThere ? "replaceState" : "pushState"](entry(), "", currentAddress());
  showReader();
  if (wasReading && !isNew) return;
  scrollTo(0, 0);
  byId("title").focus({ preventScroll: true });
  if (provision) goToProvision(provision);
}

const entry = () => ({ act, isSheetOpen: isSheetOpen() });

/** Leave a place for another: Back returns to it as it was. */
function jump() {
  clearTimeout(timer);
  const address = currentAddress();
  if (provisionIn(location.hash) === provisionIn(new URL(address, location.href).hash)) return writeAddress();
  history.replaceState({ ...entry(), top: firstVisibleUnit() }, "");
  history.pushState({ ...entry(), isSheetOpen: false }, "", address);
  return undefined;
}

function writeSoon() {
  clearTimeout(timer);
  timer = setTimeout(writeAddress, DELAY);
}

/** Put what is shown into the URL. */
function writeAddress() {
  clearTimeout(timer);
  if (!isReading()) return;
  history.replaceState(entry(), "", currentAddress());
  keepPlace(state.versions, currentAddress());
}

function showReader() {
  shown = act;
  root.classList.replace("at-start", "at-reader");
  byId("home").disabled = false;
  updateTitle();
}

function showStart() {
  cancel();
  showError();
  closeContents();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  const wasReading = isReading();
  root.classList.replace("at-reader", "at-start");
  document.title = "LexLattice";
  scrollTo(0, 0);
  if (wasReading) moveFocus(byId("promise"));
  byId("home").disabled = true; // after the focus has left it
}

function updateTitle() {
  const { celex, name, title, units, provisions } = view();
  const unit = units[state.current];
  const place = unit && (provisions[unit.provision] ?? unit.citation);
  document.title = [place, name || celex || title || t("act"), "LexLattice"].filter(Boolean).join(" · ");
}

function onPopState(to, openFromUrl) {
  clearTimeout(timer);
  showError();
  if (to === null && isReading()) {
    followHash(); // a link within the page, or an edited URL
    return writeAddress();
  }
  if (!to?.act) return showStart();
  cancel();
  if (to.act !== act) {
    if (!acts.has(to.act)) return openFromUrl() || showStart();
    act = to.act;
    restore(acts.get(act));
  }
  showReader();
  followHash();
  setSheet(to.isSheetOpen);
  if (to.top?.place >= 0) actText().scrollTo(to.top.place, to.top.offset);
  return writeAddress();
}

/** Go to the provision that the URL's hash names, or to none. */
function followHash() {
  const id = provisionIn(location.hash);
  if (id) goToProvision(id);
  else if (state.current >= 0) goToUnit(-1, "link");
}

function goToProvision(id) {
  const place = placeOf(id);
  if (place < 0) showMessage(`${t("missing")}: ${id}`);
  else goToUnit(place, "link");
}

/** The index of a provision in the version shown, or -1. */
function placeOf(id) {
  const { units } = view();
  const exact = units.findIndex((unit) => unit.id === id);
  return exact >= 0 ? exact : units.findIndex((unit) => unit.provision === id || unit.id.startsWith(`${id}.`));
}
