// Puts the page together: the start, the three views, and the addresses of provisions.

import { prepareAct } from "./act.js";
import { pause, prepareControls, turnTo } from "./controls.js";
import { byId, make } from "./dom.js";
import { LANGUAGES, nameOf } from "./languages.js";
import { prepareLattice } from "./lattice.js";
import { prepareStart, tellTrouble } from "./start.js";
import { addVersions, goTo, listen, openVersions, placeOf, showVersion, state, view } from "./state.js";
import { prepareSummary } from "./summary.js";
import { prepareVersions, switchTo } from "./versions.js";
import { preferred, speak, store } from "./words.js";

const root = document.documentElement;
let language = preferred();

function open(versions) {
  const isOpen = root.classList.replace("at-start", "at-reader") === false;
  const { celex } = view() ?? {};
  if (isOpen && celex && versions.every((version) => version.view.celex === celex)) {
    return switchTo(addVersions(versions));
  }
  turnTo("summary");
  openVersions(versions);
  scrollTo(0, 0);
  byId("title").focus({ preventScroll: true });
  followAddress();
}

function goHome() {
  pause();
  tellTrouble();
  root.classList.replace("at-reader", "at-start");
  document.title = "LexLattice";
  history.replaceState(null, "", location.pathname);
}

/** The address may name a provision: whoever follows such a link is led there. */
function followAddress() {
  if (!view() || location.hash.length < 2) return;
  const place = placeOf(decoded(location.hash.slice(1)));
  if (place >= 0 && place !== state.current) goTo(place, "link");
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function prepareAddresses() {
  addEventListener("hashchange", followAddress);
  listen((changed) => {
    const unit = view().units[state.current];
    if (!changed.has("current") || !unit || state.origin === "link") return;
    if (decoded(location.hash.slice(1)) !== unit.id) history.pushState(null, "", `#${encodeURIComponent(unit.id)}`);
  });
}

function prepareLanguage() {
  const list = byId("interface");
  list.append(...LANGUAGES.map((code) => make("option", { value: code, lang: code }, nameOf(code))));
  list.value = language;
  list.addEventListener("change", async () => {
    language = list.value;
    store("language", language);
    await speak(language);
    if (view()) showVersion(state.now);
  });
}

async function start() {
  prepareControls(); // before the views: what is to be scrolled to has to be there to be seen
  prepareLattice();
  prepareAct();
  prepareSummary();
  prepareVersions();
  prepareAddresses();
  prepareLanguage();
  byId("home").addEventListener("click", goHome);
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    turnTo("summary");
    byId("summary").focus();
  });
  await speak(language);
  prepareStart(open, () => language);
}

start();
