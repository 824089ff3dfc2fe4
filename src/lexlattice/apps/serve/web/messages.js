// Progress, announcements and errors, in live regions that screen readers announce.

import { UnreachableError } from "./api.js";
import { byId, make } from "./dom.js";
import { t } from "./i18n.js";

/** Milliseconds for which a result is shown. */
const NOTICE_DURATION = 2000;
/** The running tasks by name. @type {Map<string, AbortController>} */
const tasks = new Map();
/** What had the focus before a message or the progress was shown. @type {Element|null} */
let before = null;
let timer = 0;

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
  if (progress === null) return setStatus("");
  clearTimeout(timer);
  const box = byId("status");
  if (!box.querySelector("button")) {
    const button = make("button", { type: "button" }, t("cancel"));
    button.addEventListener("click", cancel);
    noteFocus();
    box.prepend(make("progress", { "aria-hidden": "true" }));
    box.append(button);
  }
  byId("announced").textContent = t("working") + progress;
  return undefined;
}

/** Show a text instead of the progress; an empty one removes it. */
function setStatus(text) {
  clearTimeout(timer);
  leave(byId("status"), () => byId("status").querySelectorAll("progress, button").forEach((part) => part.remove()));
  byId("announced").textContent = text;
}

/** Announce a result, which disappears after a while. */
export function announce(text) {
  setStatus(text);
  timer = setTimeout(() => setStatus(""), NOTICE_DURATION);
}

function noteFocus() {
  const { activeElement } = document;
  if (!activeElement.closest("#status, #errors")) before = activeElement;
}

/** Remove what is in a box; if the focus is there, it returns to where it was, or to what is shown. */
function leave(box, remove) {
  const hadFocus = box.contains(document.activeElement);
  remove();
  if (!hadFocus) return;
  const places = [before, byId("entry"), byId("title"), byId("act")];
  const isThere = (element) => element?.checkVisibility({ visibilityProperty: true }) && element !== document.body;
  places.find(isThere)?.focus({ preventScroll: true });
}

/** Show an error until it is closed or another task starts; without an error, remove those shown. */
export function showError(error, name = "") {
  if (!error) return leave(byId("errors"), () => byId("errors").replaceChildren());
  if (error instanceof UnreachableError) return showMessage(t("unreachable"));
  const about = [t("failed"), name, ""].filter((part, index) => part || index === 2).join(": ");
  showMessage(about, make("span", { lang: error.language ?? "en" }, error.message));
}

/** Add a line to the errors. @param {...(Node|string)} parts */
export function showMessage(...parts) {
  const box = byId("errors");
  if (!box.firstChild) {
    const label = t("close");
    const close = make("button", { type: "button", class: "icon", "aria-label": label, "data-tip": label }, "✕");
    close.addEventListener("click", () => showError());
    noteFocus();
    box.append(make("div", {}), close);
  }
  box.firstChild.append(make("p", {}, ...parts));
}
