// Copies text; also over plain HTTP, where browsers do not give pages access to the clipboard.

import { make } from "./dom.js";

/** @param {string} text @returns {Promise<boolean>} whether it was copied */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyFromTextarea(text);
  }
}

function copyFromTextarea(text) {
  const focused = document.activeElement;
  const area = make("textarea", { class: "visually-hidden", readonly: true, "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    focused?.focus({ preventScroll: true });
  }
}
