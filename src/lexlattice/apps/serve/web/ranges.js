// Parts of the text of a unit, by position in it: to wrap them in elements, or to highlight them.

/**
 * The text nodes of an element with their positions in the text it was made from; separators of table cells are in the
 * text only.
 * @returns {{node: Text, start: number}[]}
 */
function textNodes(element, text) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found = [];
  let end = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const start = text.indexOf(node.data, end);
    if (start < 0) continue;
    found.push({ node, start });
    end = start + node.data.length;
  }
  return found;
}

/**
 * Wrap parts of a text in elements; parts that are already in an element, as links are, are left alone.
 * @param {Element} element @param {string} text what the element shows
 * @param {{start: number, end: number, element: Element}[]} parts that do not overlap
 */
export function wrapParts(element, text, parts) {
  const ordered = parts.toSorted((a, b) => b.start - a.start);
  const nodes = textNodes(element, text).filter(({ node }) => !node.parentElement.closest("a, .term"));
  for (const { start, end, element: wrapper } of ordered) {
    const found = nodes.find(({ node, start: at }) => at <= start && end <= at + node.data.length);
    if (!found) continue;
    // The last parts come first, so that positions in what is left of the node stay true.
    found.node.splitText(end - found.start);
    const inner = found.node.splitText(start - found.start);
    inner.replaceWith(wrapper);
    wrapper.append(inner);
  }
}

/** The DOM range of a part of a text, or null. @returns {Range|null} */
export function rangeOf(element, text, start, end) {
  const nodes = textNodes(element, text);
  const first = nodes.findLast(({ start: at }) => at <= start);
  const last = nodes.findLast(({ start: at }) => at < end);
  if (!first || !last) return null;
  const range = document.createRange();
  range.setStart(first.node, Math.min(start - first.start, first.node.data.length));
  range.setEnd(last.node, Math.min(end - last.start, last.node.data.length));
  return range;
}
