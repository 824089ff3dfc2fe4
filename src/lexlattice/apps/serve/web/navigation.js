// URLs of provisions and the browser's history: an entry for the start, each act, and each provision gone to.

import { activePane, pause, showPane } from "./controls.js";
import { byId } from "./dom.js";
import { t } from "./i18n.js";
import { cancel, showError, showMessage } from "./messages.js";
import { goToUnit, listen, restore, state, view } from "./state.js";

/** Milliseconds on a provision after which keyboard navigation updates the URL. */
const HASH_DELAY = 300;
const root = document.documentElement;

/** The state of each act that was opened, by its number in history entries; 0 is the start. */
const acts = new Map([[0, { ...state }]]);
let act = 0;
let isFirst = true;
let timer = 0;

/** @param {() => boolean} openFromUrl opens the act that the URL names, if any */
export function initNavigation(openFromUrl) {
  history.replaceState({}, "");
  addEventListener("popstate", ({ state: entry }) => onPopState(entry, openFromUrl));
  byId("home").addEventListener("click", () => {
    if (!isReading()) return;
    history.pushState({}, "", location.pathname);
    showStart();
  });
  listen((changed) => {
    acts.set(act, { ...state });
    if (changed.has("current")) updateHash();
    if (changed.has("version") && isReading()) updateTitle();
  });
}

const isReading = () => root.classList.contains("at-reader");

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
export function showAct(query, { isNew, isFromUrl }) {
  const search = new URLSearchParams(query).toString();
  const isThere = isFromUrl || (isReading() && !isNew);
  const hash = isFirst || isThere ? location.hash : hashOf(view().units[state.current]);
  if (isNew) showPane("summary");
  const address = location.pathname + (search ? `?${search}` : isThere ? location.search : "") + hash;
  history[isThere ? "replaceState" : "pushState"](entry(), "", address);
  isFirst = false;
  const isSeen = isReading();
  showReader();
  if (isSeen && !isNew) return;
  scrollTo(0, 0);
  byId("title").focus({ preventScroll: true });
  if (hash && isNew) followHash();
  history.replaceState(entry(), "");
}

const entry = () => ({ act, pane: activePane() });

const hashOf = (unit) => (unit ? `#${encodeURIComponent(unit.id)}` : "");

function showReader() {
  root.classList.replace("at-start", "at-reader");
  updateTitle();
}

function showStart() {
  cancel();
  pause();
  showError();
  root.classList.replace("at-reader", "at-start");
  document.title = "LexLattice";
}

function updateTitle() {
  const { celex, title } = view();
  document.title = `${celex || title || t("act")} · LexLattice`;
}

function onPopState(to, openFromUrl) {
  showError();
  if (to === null && isReading()) {
    followHash(); // a link within the page, or an edited URL
    return history.replaceState(entry(), "");
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
  showPane(to.pane);
}

/** Go to the provision that the URL's hash names. */
function followHash() {
  const id = decodeSafely(location.hash.slice(1));
  const place = id ? placeOf(id) : -1;
  if (id && place < 0) showMessage(`${t("missing")}: ${id}`);
  if (place !== state.current) goToUnit(place, "link");
}

/** The index of a provision in the version shown, or -1. */
function placeOf(id) {
  const { units } = view();
  const exact = units.findIndex((unit) => unit.id === id);
  return exact >= 0 ? exact : units.findIndex((unit) => unit.provision === id || unit.id.startsWith(`${id}.`));
}

/** Put the current provision into the URL's hash. */
function updateHash() {
  clearTimeout(timer);
  const unit = view().units[state.current];
  if (!unit || state.origin === "link" || !isReading()) return;
  if (decodeSafely(location.hash.slice(1)) === unit.id) return history.replaceState(entry(), "");
  if (state.origin === "keys") timer = setTimeout(() => history.replaceState(entry(), "", hashOf(unit)), HASH_DELAY);
  else history[state.origin === "version" ? "replaceState" : "pushState"](entry(), "", hashOf(unit));
}

function decodeSafely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
