// Chunks of the text of an act: the browser lays out only those near the window, so the heights of others are estimated.

/** In pixels: margin beside the text, width of a letter, heights of a line, between paragraphs, and of a heading. */
const [MARGIN, LETTER, LINE, GAP, HEADING] = [66, 8.3, 27.5, 10.5, 75];

/** The width assumed while the pane is hidden. */
export const USUAL_WIDTH = 560;

/** Estimate the heights of chunks, for the scroll bar; browsers remember the true ones. */
export function estimateHeights(chunks, width) {
  const perLine = Math.max(20, (width - MARGIN) / LETTER);
  for (const { element, letters, paragraphs, headings } of chunks) {
    const lines = letters / perLine + 0.5 * paragraphs;
    const height = Math.round(lines * LINE + paragraphs * GAP + headings * HEADING);
    element.style.containIntrinsicBlockSize = `auto ${height}px`;
  }
}

/** The index of the chunk with a unit. */
export const chunkWith = (chunks, place) => firstIndex(chunks.length, (index) => lastUnit(chunks, index) >= place);

/** The last unit of a chunk, or of those before it if it has none. */
function lastUnit(chunks, index) {
  for (let at = index; at >= 0; at -= 1) if (chunks[at].last >= 0) return chunks[at].last;
  return -1;
}

/** The first of `count` indices for which something holds; it must hold for all after it. */
export function firstIndex(count, holds) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The numbers from one to another, both included. */
export const range = (first, last) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
