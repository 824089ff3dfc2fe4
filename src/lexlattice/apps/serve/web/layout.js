// What is visible where: the contents as a drawer, the summary as a sheet on phones, menus, dialogs and the theme.

import { byId, loadSetting, saveSetting } from "./dom.js";
import { countText } from "./length.js";
import { hasSelection, listen, state } from "./state.js";

const root = document.documentElement;
/** On a phone the act has the screen, and the summary is a sheet over it. */
const phone = matchMedia("(max-width: 799.98px)");
/** On a wide screen the contents have a column of their own. */
const wide = matchMedia("(min-width: 1200px)");
/** In a low window, such as a phone on its side, little fits above the text. */
const low = matchMedia("(max-height: 500px)");
/** Pixels after which a touch that moves is a swipe. */
const SWIPE = 24;
/** Origins that do not change which pane of a phone is visible. */
const STAYING = new Set(["act", "version"]);

export function initLayout() {
  listen((changed) => {
    if (changed.has("current") && state.current >= 0) showPaneFor(state.origin);
    if (changed.has("second") && state.second >= 0) setSheet(false);
    if (changed.has("second") || changed.has("version")) placeMap();
    if (changed.has("chosen") || changed.has("words")) updateHandle();
  });
  initSheet();
  initDrawer();
  initLowWindow();
  initDialogs();
  initMenus();
  initTips();
  initTheme();
  initSkip("skip", "summary");
  initSkip("skip-act", "act");
}

/** A link at the top of the page that leads to a pane. */
function initSkip(id, pane) {
  byId(id).addEventListener("click", (event) => {
    event.preventDefault();
    closeContents();
    setSheet(pane === "summary");
    byId(pane).focus();
  });
}

function showPaneFor(origin) {
  if (STAYING.has(origin)) return;
  closeContents();
  setSheet(origin === "star");
}

// --- the summary as a sheet ---

let isOpen = true;

/** Whether the sheet is open; it stays as it was while the screen is wide. */
export const isSheetOpen = () => isOpen;

/** Open or close the sheet. */
export function setSheet(shouldOpen) {
  isOpen = shouldOpen;
  updateSheet();
}

/** A tap on the handle opens or closes the sheet; so does a swipe, up or down. */
function initSheet() {
  const handle = byId("sheet-handle");
  let [start, wasSwiped] = [0, false];
  handle.addEventListener("pointerdown", ({ clientY, pointerId }) => {
    handle.setPointerCapture(pointerId);
    [start, wasSwiped] = [clientY, false];
  });
  handle.addEventListener("pointermove", ({ clientY, buttons }) => {
    if (!buttons || wasSwiped || Math.abs(clientY - start) < SWIPE) return;
    wasSwiped = true;
    moveSheet(clientY < start);
  });
  handle.addEventListener("click", ({ detail }) => (detail && wasSwiped) || moveSheet(!isOpen));
  phone.addEventListener("change", updateSheet);
  updateSheet();
}

function moveSheet(shouldOpen) {
  setSheet(shouldOpen);
  history.replaceState({ ...history.state, isSheetOpen: isOpen }, "");
}

/** What is folded must not get the focus. */
function updateSheet() {
  root.classList.toggle("sheet-open", isOpen);
  updateCovered();
  byId("summary").tabIndex = phone.matches && !isOpen ? -1 : 0;
  byId("sheet-handle").setAttribute("aria-expanded", isOpen);
  if (state.versions.length) updateHandle();
}

/** What the sheet or the drawer covers must not get the focus. */
function updateCovered() {
  const isUnderSheet = phone.matches && isOpen && !root.classList.contains("is-comparing");
  byId("act").inert = isDrawerOpen() || isUnderSheet;
  byId("summary").inert = byId("second").inert = isDrawerOpen();
}

function updateHandle() {
  byId("sheet-count").textContent = hasSelection() ? countText() : "";
}

// --- the contents as a drawer ---

function initDrawer() {
  byId("open-contents").addEventListener("click", () => (isDrawerOpen() ? closeContents() : openContents()));
  byId("close-contents").addEventListener("click", closeContents);
  wide.addEventListener("change", () => closeContents());
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isDrawerOpen() || event.defaultPrevented) return;
    closeContents();
  });
  addEventListener("pointerdown", ({ target }) => {
    if (isDrawerOpen() && !target.closest("#contents, #open-contents, .preview, dialog")) closeContents();
  });
}

const isDrawerOpen = () => root.classList.contains("contents-open");

/** Show the contents and move the focus there. */
export function openContents() {
  if (!wide.matches) setDrawer(true);
  byId("contents").focus({ preventScroll: true });
}

/** Close the drawer; the focus returns to its button if it was inside. */
export function closeContents() {
  if (!isDrawerOpen()) return;
  const wasInside = byId("contents").contains(document.activeElement);
  setDrawer(false);
  if (wasInside) byId("open-contents").focus({ preventScroll: true });
}

function setDrawer(shouldOpen) {
  root.classList.toggle("contents-open", shouldOpen);
  byId("open-contents").setAttribute("aria-expanded", shouldOpen);
  updateCovered();
}

// --- low windows ---

function initLowWindow() {
  low.addEventListener("change", placeMap);
  placeMap();
}

/** In a low window the map scrolls with the summary, if that is shown, so that the text has the room. */
function placeMap() {
  const isBelow = low.matches && state.second < 0;
  if (isBelow === byId("summary").contains(byId("map"))) return;
  if (isBelow) byId("controls").after(byId("map"));
  else byId("reader").prepend(byId("map"));
}

// --- dialogs, menus, tooltips, theme ---

/** Dialogs close with their button and on clicks beside them. */
function initDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", ({ target }) => (target === dialog || target.closest("[data-close]")) && dialog.close());
  }
}

/** Close menus on Escape, on clicks elsewhere, and when the focus leaves them. */
function initMenus() {
  const closeOthers = (target) => {
    for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(target)) menu.open = false;
  };
  addEventListener("click", ({ target }) => closeOthers(target));
  addEventListener("focusin", ({ target }) => closeOthers(target));
  // On the document, before those that listen to Escape on the window.
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest(".menu[open]");
    if (!menu) return;
    event.preventDefault();
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

/** Tooltips for the pointer only: screen readers would read them after the name, which says the same. */
function initTips() {
  const tipped = (target) => target.closest?.("[data-tip]");
  addEventListener("pointerover", ({ target }) => tipped(target) && (tipped(target).title = tipped(target).dataset.tip));
  addEventListener("pointerout", ({ target }) => tipped(target)?.removeAttribute("title"));
}

function initTheme() {
  if (loadSetting("theme")) root.dataset.theme = loadSetting("theme");
  byId("theme").addEventListener("click", () => {
    const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    saveSetting("theme", root.dataset.theme);
  });
}
