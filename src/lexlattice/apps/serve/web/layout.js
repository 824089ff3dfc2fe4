// What is visible where: the contents as a drawer, the summary as a sheet on phones, menus, dialogs and the theme.

import { byId, loadSetting, saveSetting } from "./dom.js";
import { countText } from "./length.js";
import { hasSelection, listen, state } from "./state.js";

const root = document.documentElement;
/** On a phone the act has the screen, and the summary is a sheet over it. */
const phone = matchMedia("(max-width: 799.98px)");
/** On a wide screen the contents have a column of their own. */
const wide = matchMedia("(min-width: 1200px)");
/** Pixels after which a touch that moves is a swipe. */
const SWIPE = 24;
/** Origins that do not change which pane of a phone is visible. */
const STAYING = new Set(["act", "version"]);

export function initLayout() {
  listen((changed) => {
    if (changed.has("current") && state.current >= 0) showPaneFor(state.origin);
    if (changed.has("second") && state.second >= 0) setSheet(false);
    if (changed.has("chosen") || changed.has("words")) updateHandle();
  });
  initSheet();
  initDrawer();
  initDialogs();
  initMenus();
  initTheme();
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    setSheet(true);
    byId("summary").focus();
  });
}

function showPaneFor(origin) {
  if (origin === "contents" && !wide.matches) closeContents();
  if (!STAYING.has(origin)) setSheet(origin === "star");
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

/** What is covered or folded must not get the focus. */
function updateSheet() {
  const isCovering = phone.matches && isOpen && !root.classList.contains("is-comparing");
  root.classList.toggle("sheet-open", isOpen);
  byId("act").inert = isCovering;
  byId("summary").tabIndex = phone.matches && !isOpen ? -1 : 0;
  byId("sheet-handle").setAttribute("aria-expanded", isOpen);
  if (state.versions.length) updateHandle();
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
  if (!wide.matches) root.classList.add("contents-open");
  byId("open-contents").setAttribute("aria-expanded", isDrawerOpen());
  byId("contents").focus({ preventScroll: true });
}

/** Close the drawer; the focus returns to its button if it was inside. */
export function closeContents() {
  if (!isDrawerOpen()) return;
  const wasInside = byId("contents").contains(document.activeElement);
  root.classList.remove("contents-open");
  byId("open-contents").setAttribute("aria-expanded", false);
  if (wasInside) byId("open-contents").focus({ preventScroll: true });
}

// --- dialogs, menus, theme ---

/** Dialogs close with their button and on clicks beside them. */
function initDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", ({ target }) => (target === dialog || target.closest("[data-close]")) && dialog.close());
  }
}

/** Close menus on Escape and on clicks elsewhere. */
function initMenus() {
  const menus = [...document.querySelectorAll(".menu")];
  addEventListener("click", ({ target }) => menus.forEach((menu) => menu.contains(target) || (menu.open = false)));
  for (const menu of menus) {
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      event.preventDefault();
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  }
}

function initTheme() {
  if (loadSetting("theme")) root.dataset.theme = loadSetting("theme");
  byId("theme").addEventListener("click", () => {
    const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    saveSetting("theme", root.dataset.theme);
  });
}
