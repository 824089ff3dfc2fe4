// Progress, announcements and errors, in live regions that screen readers announce.

import { UnreachableError } from "./api.js";
import { byId, make } from "./dom.js";
import { t } from "./i18n.js";

/** The running tasks by name. @type {Map<string, AbortController>} */
const tasks = new Map();

export function initMessages() {
  addEventListener("keydown", ({ key }) => key === "Escape" && cancel());
}

/**
 * Run a task and show its progress; a running task of the same name is aborted.
 * @param {string} name
 * @param {(signal: AbortSignal) => Promise<void>} run
 */
export async function runTask(name, run) {
  const task = new AbortController();
  tasks.get(name)?.abort();
  tasks.set(name, task);
  showError();
  showProgress();
  try {
    await run(task.signal);
  } catch (error) {
    if (!task.signal.aborted) showError(error);
  } finally {
    if (tasks.get(name) === task) tasks.delete(name);
    if (!tasks.size) showProgress(null);
  }
}

/** Abort all running tasks. */
export function cancel() {
  if (!tasks.size) return;
  for (const controller of tasks.values()) controller.abort();
  tasks.clear();
  showProgress(null);
}

/** Show that a task is running, and how far it is; null once it is done. */
export function showProgress(progress = "") {
  document.body.toggleAttribute("data-busy", progress !== null);
  if (progress === null) return announce("");
  const text = t("working") + progress;
  const button = make("button", { type: "button" }, t("cancel"));
  button.addEventListener("click", cancel);
  byId("status").replaceChildren(make("progress", { "aria-label": text }), text, button);
}

/** Announce a result. */
export const announce = (text) => byId("status").replaceChildren(...(text ? [text] : []));

/** Show an error until it is closed or another task starts; without an error, remove those shown. */
export function showError(error, name = "") {
  if (!error) return byId("errors").replaceChildren();
  if (error instanceof UnreachableError) return showMessage(t("unreachable"));
  const about = [t("failed"), name, ""].filter((part, index) => part || index === 2).join(": ");
  showMessage(about, make("span", { lang: error.language ?? "en" }, error.message));
}

/** Add a line to the errors. @param {...(Node|string)} parts */
export function showMessage(...parts) {
  const box = byId("errors");
  if (!box.firstChild) {
    const label = t("close");
    const close = make("button", { type: "button", class: "icon", "aria-label": label, title: label }, "✕");
    close.addEventListener("click", () => showError());
    box.append(make("div", {}), close);
  }
  box.firstChild.append(make("p", {}, ...parts));
}
