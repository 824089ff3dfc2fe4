// What the page says of its own work: that it is at it, what came of it, and what went wrong.

import { byId, make } from "./dom.js";
import { Unreached } from "./service.js";
import { word } from "./words.js";

/** What is under way, by what it is for. @type {Map<string, AbortController>} */
const tasks = new Map();

export function prepareNews() {
  addEventListener("keydown", ({ key }) => key === "Escape" && cancel());
}

/**
 * Do something that takes a while, and say so. What was begun before for the same end is given up; the last wins.
 * @param {string} end
 * @param {(signal: AbortSignal) => Promise<void>} run
 */
export async function busy(end, run) {
  const mine = new AbortController();
  tasks.get(end)?.abort();
  tasks.set(end, mine);
  tellTrouble();
  tellWorking();
  try {
    await run(mine.signal);
  } catch (error) {
    if (!mine.signal.aborted) tellTrouble(error);
  } finally {
    if (tasks.get(end) === mine) tasks.delete(end);
    if (!tasks.size) tellWorking(null);
  }
}

/** Give up whatever is under way. */
export function cancel() {
  if (!tasks.size) return;
  for (const task of tasks.values()) task.abort();
  tasks.clear();
  tellWorking(null);
}

/** Say that the page works, and how far it is; nothing once it is over. */
export function tellWorking(progress = "") {
  document.body.toggleAttribute("data-busy", progress !== null);
  if (progress === null) return tellNews("");
  const text = word("working") + progress;
  const button = make("button", { type: "button" }, word("cancel"));
  button.addEventListener("click", cancel);
  byId("news").replaceChildren(make("progress", { "aria-label": text }), text, button);
}

/** Say what came of it. */
export const tellNews = (text) => byId("news").replaceChildren(...(text ? [text] : []));

/**
 * Say what went wrong, until it is closed or something else is tried; without an error, nothing did.
 * What the service says of it is English.
 */
export function tellTrouble(error, name = "") {
  if (!error) return byId("trouble").replaceChildren();
  if (error instanceof Unreached) return note(word("unreachable"));
  const about = [word("failed"), name, ""].filter((part, turn) => part || turn === 2).join(": ");
  note(about, make("span", { lang: "en" }, error.message));
}

/** Add a line to what is to be known. @param {...(Node|string)} parts */
export function note(...parts) {
  const box = byId("trouble");
  if (!box.firstChild) {
    const label = word("close");
    const close = make("button", { type: "button", class: "icon", "aria-label": label, title: label }, "✕");
    close.addEventListener("click", () => tellTrouble());
    box.append(make("div", {}), close);
  }
  box.firstChild.append(make("p", {}, ...parts));
}
