// What the user has opened in the summary, by ids of units, so that it stays open while the length changes.

const opened = new Set();

/** Whether a part of any of these units is open. @param {string} part @param {string[]} ids */
export const isOpened = (part, ids) => ids.some((id) => opened.has(`${part} ${id}`));

/** Note that a part of these units was opened or closed. */
export function setOpened(part, ids, isOpen) {
  for (const id of ids) opened[isOpen ? "add" : "delete"](`${part} ${id}`);
}

/** Close everything: another act is shown. */
export const closeAll = () => opened.clear();
