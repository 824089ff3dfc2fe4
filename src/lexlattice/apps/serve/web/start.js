// The start screen: open an act from a file, pasted text, a CELEX number or an example.

import { fetchExample } from "./api.js";
import { byId, make } from "./dom.js";
import { languageName, LANGUAGES, t } from "./i18n.js";
import { showError, showMessage } from "./messages.js";
import { load } from "./sources.js";

const root = document.documentElement;

/** Initialize the forms, file inputs and drop target. */
export function initStart() {
  initFileInput("file");
  onSubmit("by-text", () => load([{ text: byId("text").value }]));
  onSubmit("by-celex", () => openCelex(byId("celex").value.trim(), byId("celex-language").value));
  onSubmit("by-example", () => openExample(byId("example").value));
  for (const id of ["celex-language", "example"]) {
    byId(id).append(...LANGUAGES.map((code) => make("option", { value: code, lang: code }, languageName(code))));
    byId(id).value = root.lang;
  }
  initDrop();
}

/** Open the act named in the query string. @returns {boolean} whether there is one */
export function openFromUrl() {
  const query = new URLSearchParams(location.search);
  if (query.has("celex")) openCelex(query.get("celex"), query.get("language") ?? root.lang, true);
  else if (query.has("example")) openExample(query.get("example"), true);
  else return false;
  return true;
}

/**
 * Open the files chosen in a file input.
 * @param {string} id of the input @param {boolean} [isAddition] whether they are further versions of the open act
 */
export function initFileInput(id, isAddition) {
  byId(id).addEventListener("change", ({ target }) => {
    openFiles(target.files, isAddition);
    target.value = "";
  });
}

const openFiles = (files, isAddition) => load([...files].map((file) => ({ file })), { isAddition });

function openCelex(celex, language, isFromUrl) {
  return load([{ celex, language }], { query: { celex, language }, isFromUrl });
}

function openExample(language, isFromUrl) {
  showError();
  if (!LANGUAGES.includes(language)) return showMessage(`${t("missing")}: ${language}`);
  const example = async (signal) => ({ text: await fetchExample(language, signal), language });
  return load([example], { query: { example: language }, isFromUrl });
}

function onSubmit(id, run) {
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
}

/** Accept files dropped anywhere on the page. */
function initDrop() {
  const highlight = (isDragging) => root.classList.toggle("is-dragging", isDragging);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    highlight(event.dataTransfer.types.includes("Files"));
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && highlight(false));
  addEventListener("drop", (event) => {
    event.preventDefault();
    highlight(false);
    if (event.dataTransfer.files.length) openFiles(event.dataTransfer.files);
  });
}
