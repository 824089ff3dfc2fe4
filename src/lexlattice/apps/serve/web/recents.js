// Acts opened before, kept in the browser (IndexedDB) only if the user agrees, so that reloading the page loses nothing.

import { identityOf, readAddress } from "./address.js";
import { byId, loadSetting, make, saveSetting } from "./dom.js";
import { languageName, t } from "./i18n.js";
import { icon } from "./icons.js";
import { showMessage } from "./messages.js";
import { state } from "./state.js";

const DATABASE = "lexlattice";
const MOST = 12;
const SETTING = "keep";

/**
 * An act that is kept.
 * @typedef {{key: string, sources: import("./api.js").Source[], title: string, name: string, language: string,
 *   words: number, time: number}} Kept
 */

/** @param {(address: import("./address.js").Address) => void} open opens an act at a place */
export function initRecents(open) {
  const box = byId("keep");
  box.checked = isAgreed();
  box.addEventListener("change", async () => {
    saveSetting(SETTING, box.checked ? "yes" : "");
    if (!box.checked) await removeAll();
    else if (state.versions.length) await keep(state.versions);
    await renderRecents();
  });
  byId("recent-list").addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    const link = event.target.closest("a");
    if (button) await forget(button);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(readAddress(new URL(link.href)));
  });
  return renderRecents();
}

const isAgreed = () => loadSetting(SETTING) === "yes";

/** Keep an act, and drop the oldest if there are too many. @param {import("./state.js").Version[]} versions */
export async function keep(versions) {
  const key = keyOf(versions);
  if (!isAgreed() || !key) return;
  const { title, name, language, words } = versions[0].view;
  const sources = versions.map(({ source, view }) => ({ ...source, language: view.language }));
  try {
    await run("acts", "readwrite", (store) => store.put({ key, sources, title, name, language, words, time: Date.now() }));
    const kept = (await all("acts")).sort((a, b) => b.time - a.time);
    await Promise.all(kept.slice(MOST).map((act) => remove(act.key)));
  } catch {
    showMessage(t("keep_failed")); // no room, or storage is blocked
  }
  await renderRecents();
}

/** Keep the place at which an act is read, as the address of it. */
export async function keepPlace(versions, address) {
  const key = keyOf(versions);
  if (!isAgreed() || !key) return;
  await run("places", "readwrite", (store) => store.put({ key, address })).catch(() => undefined);
}

/** The sources of an act that is kept, or undefined. @param {string} key */
export async function recall(key) {
  if (!isAgreed()) return undefined;
  return (await run("acts", "readonly", (store) => store.get(key)).catch(() => undefined))?.sources;
}

/** The key of an act; examples are not kept, they are always there. */
function keyOf(versions) {
  const { celex, recent } = identityOf(versions);
  return recent ?? celex ?? "";
}

/** List the acts that are kept, the last one first. */
export async function renderRecents() {
  const acts = isAgreed() ? await all("acts").catch(() => []) : [];
  const places = acts.length ? await all("places").catch(() => []) : [];
  const addresses = new Map(places.map(({ key, address }) => [key, address]));
  acts.sort((a, b) => b.time - a.time);
  byId("recent-list").replaceChildren(...acts.map((act) => cardOf(act, addresses.get(act.key))));
}

function cardOf({ key, sources, title, name, language, words }, address) {
  const start = new URLSearchParams({ ...(sources.every(({ celex }) => celex) ? { celex: key } : { recent: key }), lang: language });
  const shown = title || name || sources[0].file?.name || t("act");
  const label = `${t("forget")}: ${shown}`;
  const facts = [languageName(language), `${t("words")}: ${words.toLocaleString(document.documentElement.lang)}`];
  return make(
    "li",
    { class: "card" },
    make(
      "a",
      { class: "card-link", href: address ?? `?${start}` },
      make("span", { class: "card-type", lang: language }, name || sources[0].file?.name || ""),
      make("span", { class: "card-title", lang: language }, shown),
      make("span", { class: "card-facts" }, facts.join(" · ")),
    ),
    make("button", { type: "button", class: "icon quiet", "aria-label": label, "data-tip": t("forget"), "data-key": key }, icon("close")),
  );
}

async function forget(button) {
  await remove(button.dataset.key);
  await renderRecents();
  (byId("recent-list").querySelector("a") ?? byId("keep")).focus();
}

// --- the database ---

/** Run a request on a store, in a transaction of its own. @param {(store: IDBObjectStore) => IDBRequest} request */
async function run(name, mode, request) {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(name, mode);
      const running = request(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(running.result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

const all = (name) => run(name, "readonly", (store) => store.getAll());

const remove = (key) => Promise.all(["acts", "places"].map((name) => run(name, "readwrite", (store) => store.delete(key))));

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      for (const name of ["acts", "places"]) request.result.createObjectStore(name, { keyPath: "key" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function removeAll() {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(DATABASE);
    request.onsuccess = request.onerror = request.onblocked = () => resolve();
  });
}
