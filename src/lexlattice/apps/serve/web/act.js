// The text of an act in a pane, with its provisions marked: for the act's pane, and for a version beside it.

import { chunkWith, estimateHeights, firstIndex, range, USUAL_WIDTH } from "./chunks.js";
import { byId, make, moveFocus, scrollToOffset } from "./dom.js";
import { t } from "./i18n.js";
import { preparing } from "./preparing.js";
import { shadeOf } from "./selection.js";
import { goToUnit, listen, salience, state } from "./state.js";
import { typeset } from "./typeset.js";

/** Chunks on each side of a target that are laid out before a jump to it. */
const AROUND = 6;
/** Frames after a jump in which its target is put back into place, while texts around it get their true sizes. */
const FRAMES_TO_SETTLE = 4;
/** Jumps over more screens than this are instant: nobody can follow the text that would rush by. */
const MAX_SMOOTH_SCREENS = 2;

/**
 * The text of one version of an act.
 * @typedef {object} ActText
 * @property {import("./typeset.js").TypesetAct} elements what it is made of
 * @property {(place: number) => HTMLElement|undefined} elementOf the element of a unit
 * @property {() => {place: number, offset: number}} firstVisibleUnit and its distance from the pane's top
 * @property {(place: number, offset: number) => void} scrollTo put a unit at a distance from the pane's top, at once
 * @property {(place: number, options?: {atOnce?: boolean, isStart?: boolean}) => void} reveal bring a unit into view
 * @property {(section: number) => void} revealSection bring the beginning of a section into view
 * @property {(element: HTMLElement, options?: {atOnce?: boolean, isStart?: boolean}) => void} revealElement of the act
 * @property {(chosen: Set<number>) => void} mark the chosen units
 * @property {(salience: {values: number[], highest: number}) => void} shade the bars beside the paragraphs
 * @property {(place: number) => void} setCurrent mark the current unit, or none (-1)
 * @property {() => void} relabel the stars, in another language of the page
 * @property {(place: number) => void} prepare the text around a unit for reading, at once
 * @property {() => void} destroy
 */

/**
 * Show the whole text of an act.
 * @param {HTMLElement} container inside a `.pane`
 * @param {import("./state.js").Version} version
 * @param {{prefix?: string, onStar?: (place: number) => void, onUnit?: (place: number) => void,
 *   onChunk?: (places: number[], act: ActText) => void}} [options] prefix of the ids of units; what clicks on a star and on
 *   the text do; what to do with the units of a chunk before it comes into view for the first time
 * @returns {ActText}
 */
export function createActText(container, { view }, { prefix = "u:", onStar, onUnit, onChunk } = {}) {
  const pane = container.closest(".pane");
  const act = typeset(view, prefix);
  const { spans, chunks, paragraphs } = act;
  const listening = new AbortController();
  const indices = new Map(chunks.map(({ element }, index) => [element, index]));
  let marked = new Set();
  let current = null;
  /** The chunks laid out for a jump, and the frame that keeps its target in place. */
  let [laidOut, frame] = [new Set(), 0];

  let width = USUAL_WIDTH;
  estimateHeights(chunks, width);
  container.lang = view.language;
  container.replaceChildren(...act.parts);
  container.addEventListener("click", onClick, { signal: listening.signal });
  // Whoever scrolls right after a jump must not be pulled back.
  for (const name of ["wheel", "touchmove", "keydown"]) {
    pane.addEventListener(name, stopSettling, { signal: listening.signal, passive: true });
  }
  const preparation = onChunk && preparing(pane, chunks, (places) => onChunk(places, text));
  /** What is at the top, so that it stays there when the pane becomes wider or narrower. */
  let [top, isTopKnown] = [{ place: -1, offset: 0 }, true];
  pane.addEventListener("scroll", rememberTop, { signal: listening.signal, passive: true });
  const resizing = new ResizeObserver(([{ contentRect }]) => {
    if (!contentRect.width || contentRect.width === width) return;
    width = contentRect.width;
    const { place, offset } = top;
    // Not at once: this changes what is observed.
    requestAnimationFrame(() => {
      estimateHeights(chunks, width);
      if (place >= 0 && !listening.signal.aborted) jumpTo(spans[place], offset);
    });
  });
  resizing.observe(container);

  function rememberTop() {
    if (!isTopKnown) return;
    isTopKnown = false;
    requestAnimationFrame(() => {
      isTopKnown = true;
      if (container.clientWidth === width) top = text.firstVisibleUnit();
    });
  }

  function onClick(event) {
    const span = event.target.closest(".unit");
    const isStar = Boolean(event.target.closest(".star"));
    if (!span || event.defaultPrevented || (!isStar && event.target.closest("a, button"))) return;
    if (!isStar && !getSelection().isCollapsed) return;
    event.preventDefault();
    (isStar ? onStar : onUnit)?.(Number(span.dataset.place));
  }

  const coveredTop = () => pane.querySelector(".pane-head")?.offsetHeight ?? 0;

  /** Have the text around an element laid out, so that its position is known. */
  function layOut(element) {
    const middle = indices.get(element.closest(".chunk"));
    const near = new Set(chunks.slice(Math.max(0, middle - AROUND), middle + AROUND + 1).map((chunk) => chunk.element));
    for (const each of laidOut.difference(near)) each.classList.remove("is-laid-out");
    for (const each of near.difference(laidOut)) each.classList.add("is-laid-out");
    laidOut = near;
    preparation?.now(middle);
  }

  /** Put an element at a distance from the top, and keep it there until the texts around it have their sizes. */
  function jumpTo(element, offset) {
    layOut(element);
    scrollToOffset(pane, element, offset);
    cancelAnimationFrame(frame);
    let left = FRAMES_TO_SETTLE;
    const settle = () => {
      scrollToOffset(pane, element, offset);
      left -= 1;
      if (left > 0) frame = requestAnimationFrame(settle);
      else stopSettling();
    };
    frame = requestAnimationFrame(settle);
  }

  function stopSettling() {
    cancelAnimationFrame(frame);
    frame = 0;
    for (const each of laidOut) each.classList.remove("is-laid-out");
    laidOut = new Set();
  }

  /** The first line of a section. */
  const startOf = (section) => act.parts.find((part) => part.dataset.section === String(section)).querySelector(".chunk > *");

  /** @type {ActText} */
  const text = {
    elements: act,
    elementOf: (place) => spans[place],
    firstVisibleUnit() {
      if (!pane.checkVisibility()) return { place: -1, offset: 0 };
      const paneTop = Math.max(0, pane.getBoundingClientRect().top);
      const top = paneTop + coveredTop();
      const isAbove = (element) => element.getBoundingClientRect().bottom <= top;
      const start = firstIndex(chunks.length, (index) => !isAbove(chunks[index].element));
      const chunk = chunks.slice(start).find(({ first }) => first >= 0);
      if (!chunk) return { place: -1, offset: 0 };
      const inside = range(chunk.first, chunk.last);
      const place = inside.find((each) => !isAbove(spans[each])) ?? Math.min(chunk.last + 1, spans.length - 1);
      return { place, offset: spans[place].getBoundingClientRect().top - paneTop };
    },
    scrollTo(place, offset) {
      if (spans[place]) jumpTo(spans[place], offset);
    },
    reveal(place, options) {
      const { section } = view.units[place] ?? {};
      const isFirst = view.sections[section]?.first === place;
      // The first unit of a section is shown with the headings above it.
      if (spans[place]) text.revealElement(isFirst ? startOf(section) : spans[place], options);
    },
    revealSection: (section) => text.revealElement(startOf(section), { isStart: true }),
    revealElement(element, { atOnce = false, isStart = false } = {}) {
      layOut(element);
      const [box, area] = [element.getBoundingClientRect(), pane.getBoundingClientRect()];
      const covered = coveredTop();
      const height = Math.min(area.bottom, innerHeight) - Math.max(0, area.top) - covered;
      const top = box.top - Math.max(0, area.top) - covered;
      const isComfortable = top >= 0 && top + Math.min(box.height, height / 2) <= 0.85 * height;
      if (isComfortable && !isStart) return void (frame || stopSettling());
      const isHeading = !element.matches(".unit, .furniture");
      const offset = covered + (isHeading ? 8 : Math.max(8, 0.2 * height));
      const isFar = Math.abs(top) > MAX_SMOOTH_SCREENS * height;
      const isStill = atOnce || isFar || matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (isStill) jumpTo(element, offset);
      else smoothTo(top + covered - offset);
    },
    mark(chosen) {
      for (const place of marked) {
        if (chosen.has(place)) continue;
        spans[place].classList.remove("chosen");
        spans[place].querySelector(":scope > .star")?.remove();
      }
      for (const place of chosen) {
        if (marked.has(place)) continue;
        spans[place].classList.add("chosen");
        // The star itself is drawn by the style sheet, so that it is never copied with the text.
        spans[place].prepend(nameStar(make("a", { class: "star" }), view.units[place]));
      }
      marked = new Set(chosen);
    },
    shade({ values, highest }) {
      for (const { element, places, base } of paragraphs) {
        const most = places.reduce((found, place) => Math.max(found, values[place]), 0);
        element.className = `${base} s${shadeOf(most, highest)}`;
      }
    },
    setCurrent(place) {
      current?.removeAttribute("aria-current");
      current = spans[place] ?? null;
      current?.setAttribute("aria-current", "true");
    },
    relabel() {
      for (const place of marked) nameStar(spans[place].querySelector(":scope > .star"), view.units[place]);
    },
    prepare: (place) => preparation?.now(chunkWith(chunks, place)),
    destroy() {
      preparation?.stop();
      resizing.disconnect();
      listening.abort();
      stopSettling();
      container.replaceChildren();
    },
  };

  function smoothTo(distance) {
    stopSettling();
    const scroller = pane.scrollHeight > pane.clientHeight ? pane : document.scrollingElement;
    scroller.scrollBy({ top: distance, behavior: "smooth" });
  }

  return text;
}

/** The star of a unit with its accessible name, in the language of the page. */
const nameStar = (star, { id, citation }) =>
  Object.assign(star, { href: `#${id}`, lang: document.documentElement.lang, ariaLabel: `${t("summary")}: ${citation}` });

// --- the act's pane ---

/** @type {ActText|null} */
let shown = null;
const decorators = [];

/** The text in the act's pane. */
export const actText = () => shown;

/** The first visible unit of the act's pane, and its distance from the top. */
export const firstVisibleUnit = () => shown?.firstVisibleUnit() ?? { place: -1, offset: 0 };

/** Have units of the act's pane changed before they come into view. @param {(places: number[], act: ActText) => void} change */
export const decorate = (change) => decorators.push(change);

export function initAct() {
  listen((changed) => {
    if (changed.has("version")) open();
    if (changed.has("version") || changed.has("step")) shown.shade(salience());
    if (changed.has("chosen")) shown.mark(state.chosen);
    if (changed.has("words")) shown.relabel();
    if (changed.has("current")) goToCurrent();
  });
}

function open() {
  shown?.destroy();
  shown = createActText(byId("text-of-act"), state.versions[state.active], {
    onStar: (place) => goToUnit(place, "star"),
    onUnit: (place) => goToUnit(place, "act"),
    onChunk: (places, act) => decorators.forEach((change) => change(places, act)),
  });
  byId("act").scrollTop = 0;
  const { place, offset } = state.scroll.act;
  if (place >= 0) shown.scrollTo(place, offset);
}

/** Mark the current unit; scroll and move the focus to it unless it was clicked here, or leads to the summary. */
function goToCurrent() {
  const { current, origin } = state;
  shown.setCurrent(current);
  const span = shown.elementOf(current);
  if (!span || origin === "act" || origin === "star") return;
  shown.reveal(current, { atOnce: origin === "version" || origin === "link", isStart: origin === "contents" });
  if (origin !== "version" && origin !== "link") moveFocus(span);
}
