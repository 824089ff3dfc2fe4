// Addresses of provisions, and the way back: the browser's history has the start, each act, and where one went in it.

import { pause } from "./controls.js";
import { byId } from "./dom.js";
import { cancel, note, tellTrouble } from "./news.js";
import { pane, turnTo } from "./panes.js";
import { goTo, listen, restore, state, view } from "./state.js";
import { word } from "./words.js";

/** Whoever walks with the keys gets an address where they stay so long, in milliseconds. */
const STAY = 300;
const root = document.documentElement;

/** Each act that was opened, as it was left, by the number that the browser's history has for it; 0 is none. */
const acts = new Map([[0, { ...state }]]);
let act = 0;
let isFirst = true;
let timer = 0;

/** @param {() => boolean} openAsked opens what the address asks for, if it asks for an act */
export function prepareAddresses(openAsked) {
  history.replaceState({}, "");
  addEventListener("popstate", ({ state: entry }) => onPop(entry, openAsked));
  byId("home").addEventListener("click", () => {
    if (!isReading()) return;
    history.pushState({}, "", location.pathname);
    showStart();
  });
  listen((changed) => {
    acts.set(act, { ...state });
    if (changed.has("current")) write();
    if (changed.has("version") && isReading()) entitle();
  });
}

const isReading = () => root.classList.contains("at-reader");

/** Open another act; if that goes wrong, what was open stays. */
export function opening(run) {
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

/** Show the act that was opened, or got another version, and name it in the address. */
export function enter(query, { isNew, isAsked }) {
  const search = new URLSearchParams(query).toString();
  const isThere = isAsked || (isReading() && !isNew);
  const hash = isFirst || isThere ? location.hash : hashOf(view().units[state.current]);
  if (isNew) turnTo("summary");
  const address = location.pathname + (search ? `?${search}` : isThere ? location.search : "") + hash;
  history[isThere ? "replaceState" : "pushState"](entry(), "", address);
  isFirst = false;
  const isSeen = isReading();
  showReader();
  if (isSeen && !isNew) return;
  scrollTo(0, 0);
  byId("title").focus({ preventScroll: true });
  if (hash && isNew) follow();
  history.replaceState(entry(), "");
}

const entry = () => ({ act, pane: pane() });

const hashOf = (unit) => (unit ? `#${encodeURIComponent(unit.id)}` : "");

function showReader() {
  root.classList.replace("at-start", "at-reader");
  entitle();
}

function showStart() {
  cancel();
  pause();
  tellTrouble();
  root.classList.replace("at-reader", "at-start");
  document.title = "LexLattice";
}

function entitle() {
  const { celex, title } = view();
  document.title = `${celex || title || word("act")} · LexLattice`;
}

function onPop(to, openAsked) {
  tellTrouble();
  if (to === null && isReading()) {
    follow(); // a link within the page, or somebody wrote into the address
    return history.replaceState(entry(), "");
  }
  if (!to?.act) return showStart();
  cancel();
  if (to.act !== act) {
    if (!acts.has(to.act)) return openAsked() || showStart();
    act = to.act;
    restore(acts.get(act));
  }
  showReader();
  follow();
  turnTo(to.pane);
}

/** The address may name a provision: whoever follows such a link is led there. */
function follow() {
  const id = decoded(location.hash.slice(1));
  const place = id ? placeOf(id) : -1;
  if (id && place < 0) note(`${word("missing")}: ${id}`);
  if (place !== state.current) goTo(place, "link");
}

/** Where a provision is in the version that is shown, or -1. */
function placeOf(id) {
  const { units } = view();
  const exact = units.findIndex((unit) => unit.id === id);
  return exact >= 0 ? exact : units.findIndex((unit) => unit.provision === id || unit.id.startsWith(`${id}.`));
}

/** Name the provision that was gone to. */
function write() {
  clearTimeout(timer);
  const unit = view().units[state.current];
  if (!unit || state.origin === "link" || !isReading()) return;
  if (decoded(location.hash.slice(1)) === unit.id) return history.replaceState(entry(), "");
  if (state.origin === "keys") timer = setTimeout(() => history.replaceState(entry(), "", hashOf(unit)), STAY);
  else history[state.origin === "version" ? "replaceState" : "pushState"](entry(), "", hashOf(unit));
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
