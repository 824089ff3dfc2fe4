// Prepares chunks of a long text for reading: those near the window soon, all others when there is nothing else to do.

import { range } from "./chunks.js";

/** Distance from the window in which chunks are prepared; within how many milliseconds; what a chunk takes. */
const [NEAR, SOON, MIN_IDLE] = ["2500px 0px", 250, 4];

/** Safari does not tell when it is idle: it works for a moment, now and then. */
const requestIdle = globalThis.requestIdleCallback ?? ((run) => setTimeout(() => run(aMoment()), SOON));

const aMoment = (end = performance.now() + 2 * MIN_IDLE) => ({ timeRemaining: () => end - performance.now() });

/**
 * Prepare each chunk once.
 * @param {HTMLElement} pane in which the chunks scroll
 * @param {import("./typeset.js").Chunk[]} chunks
 * @param {(places: number[]) => void} prepare called with the units of a chunk
 * @returns {{now: (index: number) => void, stop: () => void}} to prepare a chunk at once; to prepare no more
 */
export function preparing(pane, chunks, prepare) {
  const indices = new Map(chunks.map(({ element }, index) => [element, index]));
  const [prepared, waiting] = [new Set(), new Set()];
  let [rest, isStopped] = [0, false];
  const watch = (entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) waiting.add(indices.get(target));
    if (waiting.size) requestIdle(prepareWaiting, { timeout: SOON });
  };
  const observer = new IntersectionObserver(watch, { root: pane, rootMargin: NEAR });
  for (const { element } of chunks) observer.observe(element);
  requestIdle(prepareRest);

  /** Prepare the chunks that come near, as far as there is time; the rest in the next idle time. */
  function prepareWaiting(deadline) {
    for (const index of waiting) {
      now(index);
      if (deadline.timeRemaining() < MIN_IDLE) break;
    }
    if (waiting.size) requestIdle(prepareWaiting, { timeout: SOON });
  }

  /** Prepare all others: screen readers list the links of the whole page. */
  function prepareRest(deadline) {
    while (rest < chunks.length && deadline.timeRemaining() > MIN_IDLE) now(rest++);
    if (rest < chunks.length && !isStopped) requestIdle(prepareRest);
  }

  function now(index) {
    waiting.delete(index);
    if (isStopped || prepared.has(index)) return;
    prepared.add(index);
    const { element, first, last } = chunks[index];
    observer.unobserve(element);
    if (first >= 0) prepare(range(first, last));
  }

  function stop() {
    isStopped = true;
    observer.disconnect();
    waiting.clear();
  }

  return { now, stop };
}
