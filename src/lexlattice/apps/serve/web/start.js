// The first screen: an act by dropping, choosing, pasting, its number, or as an example.

import { byId, make } from "./dom.js";
import { LANGUAGES, nameOf } from "./languages.js";
import { note, tellTrouble } from "./news.js";
import { load } from "./opening.js";
import { exampleIn } from "./service.js";
import { word } from "./words.js";

const root = document.documentElement;

/** Get ready for whatever way an act comes in. */
export function prepareStart() {
  prepareFiles("file");
  onSubmit("by-text", () => load([{ text: byId("text").value }]));
  onSubmit("by-celex", () => byCelex(byId("celex").value.trim(), byId("celex-language").value));
  onSubmit("by-example", () => byExample(byId("example").value));
  for (const id of ["celex-language", "example"]) {
    byId(id).append(...LANGUAGES.map((code) => make("option", { value: code, lang: code }, nameOf(code))));
    byId(id).value = root.lang;
  }
  prepareDrop();
}

/** Open the act that the address asks for. @returns {boolean} whether it does */
export function openAsked() {
  const asked = new URLSearchParams(location.search);
  if (asked.has("celex")) byCelex(asked.get("celex"), asked.get("language") ?? root.lang, true);
  else if (asked.has("example")) byExample(asked.get("example"), true);
  else return false;
  return true;
}

/**
 * Whatever is chosen there is read.
 * @param {string} id of an input @param {boolean} [isMore] as a version of what is open
 */
export function prepareFiles(id, isMore) {
  byId(id).addEventListener("change", ({ target }) => {
    fromFiles(target.files, isMore);
    target.value = "";
  });
}

const fromFiles = (files, isMore) => load([...files].map((file) => ({ file })), { isMore });

function byCelex(celex, language, isAsked) {
  return load([{ celex, language }], { query: { celex, language }, isAsked });
}

function byExample(language, isAsked) {
  tellTrouble();
  if (!LANGUAGES.includes(language)) return note(`${word("missing")}: ${language}`);
  const example = async (signal) => ({ text: await exampleIn(language, signal), language });
  return load([example], { query: { example: language }, isAsked });
}

function onSubmit(id, run) {
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
}

/** Files may be dropped anywhere on the page. */
function prepareDrop() {
  const light = (is) => root.classList.toggle("over", is);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    light(event.dataTransfer.types.includes("Files"));
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && light(false));
  addEventListener("drop", (event) => {
    event.preventDefault();
    light(false);
    if (event.dataTransfer.files.length) fromFiles(event.dataTransfer.files);
  });
}
