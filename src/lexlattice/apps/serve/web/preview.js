// The preview: a small window with the text of a provision or a definition, for what the pointer or the focus is on.
//
// It meets WCAG 1.4.13: Escape closes it, the pointer can move onto it, and it stays until pointer and focus have left.

import { byId, make } from "./dom.js";

/**
 * What a preview shows; `note` and `action` are in the language of the page, the rest in that of the act.
 * @typedef {{title: string, text?: string, language?: string, note?: string, action?: {address: string, text: string}}} Preview
 */

/** Milliseconds until it opens, so that it does not flicker while the pointer crosses the text, and until it closes. */
const [OPENING, CLOSING] = [250, 300];
const MARGIN = 8;

/** What has a preview: a selector, and a function that gives the preview. @type {[string, (anchor: Element) => Preview|null][]} */
const providers = [];
/** @type {Element|null} */
let anchor = null;
let timer = 0;

/** Give the elements that match a selector a preview. @param {(anchor: Element) => Preview|null} preview */
export const providePreview = (selector, preview) => providers.push([selector, preview]);

export function initPreview() {
  const box = byId("preview");
  const anchorAt = ({ target }) => providers.map(([selector]) => target.closest?.(selector)).find(Boolean);
  addEventListener("pointerover", (event) => {
    const found = anchorAt(event);
    if (event.pointerType !== "touch" && found) later(OPENING, () => open(found));
    else if (box.contains(event.target)) clearTimeout(timer);
    else if (anchor && !isFocused()) later(CLOSING, hidePreview);
    else clearTimeout(timer);
  });
  addEventListener("focusin", (event) => {
    const found = anchorAt(event);
    if (found?.matches(":focus-visible")) open(found);
    else if (anchor && !box.contains(event.target)) hidePreview();
  });
  document.documentElement.addEventListener("pointerleave", () => anchor && !isFocused() && later(CLOSING, hidePreview));
  addEventListener("click", (event) => {
    // On touch screens, a tap on a word that is no link shows its preview.
    const found = anchorAt(event);
    if (found && !found.matches("a")) open(found);
    else if (!box.contains(event.target)) hidePreview();
  });
  addEventListener("scroll", ({ target }) => anchor && !box.contains(target) && follow(), { capture: true, passive: true });
  addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !anchor) return;
      event.preventDefault();
      event.stopPropagation();
      hidePreview();
    },
    true,
  );
}

const isFocused = () => anchor === document.activeElement || byId("preview").contains(document.activeElement);

function later(delay, run) {
  clearTimeout(timer);
  timer = setTimeout(run, delay);
}

function open(found) {
  clearTimeout(timer);
  if (found === anchor || !found.isConnected) return;
  const preview = providers.find(([selector]) => found.matches(selector))[1](found);
  hidePreview();
  if (!preview) return;
  anchor = found;
  // Not the box itself: as a group it has a name, which would stand for all of its text.
  anchor.setAttribute("aria-describedby", "preview-body");
  const box = byId("preview");
  const { title, text, language, note, action } = preview;
  const body = make(
    "div",
    { id: "preview-body" },
    make("p", { class: "preview-title", lang: language ?? false }, title),
    ...(text ? [make("p", { class: "preview-text", lang: language ?? false }, text)] : []),
    ...(note ? [make("p", { class: "preview-note" }, note)] : []),
    ...(action ? [make("a", { class: "preview-action", href: action.address }, action.text)] : []),
  );
  box.replaceChildren(body);
  // A tooltip must not contain links; with its source, the Tab key leads from the anchor into the preview.
  box.setAttribute("role", action ? "group" : "tooltip");
  if (action) box.setAttribute("aria-label", title);
  else box.removeAttribute("aria-label");
  box.showPopover({ source: anchor });
  place(box, anchor);
}

/** Stay with the anchor while the text scrolls, until it is out of view. */
function follow() {
  const { top, bottom } = anchor.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) hidePreview();
  else place(byId("preview"), anchor);
}

/** Put the preview below its anchor, or above if there is more room; what does not fit beside the anchor scrolls. */
function place(box, near) {
  box.style.maxHeight = "";
  const lines = near.getClientRects();
  const [first, last] = [lines[0], lines[lines.length - 1]];
  const { offsetWidth: width, offsetHeight: height } = box;
  const [above, below] = [first.top, innerHeight - last.bottom].map((room) => room - 1.5 * MARGIN);
  const isBelow = height <= below || below >= above;
  const fitting = Math.min(height, isBelow ? below : above);
  const top = isBelow ? last.bottom + MARGIN / 2 : first.top - fitting - MARGIN / 2;
  const left = Math.max(MARGIN, Math.min((isBelow ? last : first).left, innerWidth - width - MARGIN));
  if (fitting < height) box.style.maxHeight = `${fitting}px`;
  Object.assign(box.style, { top: `${top}px`, left: `${left}px` });
}

/** Close the preview. */
export function hidePreview() {
  clearTimeout(timer);
  if (!anchor) return;
  anchor.removeAttribute("aria-describedby");
  anchor = null;
  byId("preview").hidePopover();
}
