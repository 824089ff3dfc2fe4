// Takes text along; also where the browser keeps its clipboard from pages, as it does over plain http.

import { make } from "./dom.js";

/** @param {string} text @returns {Promise<boolean>} whether it was taken */
export async function take(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return takeSelected(text);
  }
}

function takeSelected(text) {
  const focused = document.activeElement;
  const area = make("textarea", { class: "unseen", readonly: true, "aria-hidden": "true" });
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
