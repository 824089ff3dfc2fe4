// The first screen: an act by dropping, choosing, pasting, its number, or as an example.

import { byId, make } from "./dom.js";
import { LANGUAGES, nameOf } from "./languages.js";
import { exampleIn, viewOf } from "./service.js";
import { word } from "./words.js";

/** Show what is going on, and nothing once it is over. */
export function tellNews(text, isBusy = false) {
  byId("news").replaceChildren(...(isBusy ? [make("progress", { "aria-label": text })] : []), text);
}

/** Say what went wrong, until something else is tried. */
export function tellTrouble(error) {
  byId("trouble").textContent = error ? `${word("failed")}: ${error.message}` : "";
}

/** Show what was loaded; the page says how. @type {(versions: {view: any, source: object}[]) => void} */
let open = () => {};

/**
 * Get ready for whatever way an act comes in.
 * @param {(versions: {view: any, source: object}[]) => void} opening
 * @param {() => string} language the language of the page
 */
export function prepareStart(opening, language) {
  open = opening;
  const fromFiles = (files) => load([...files].map((file) => ({ file })));

  byId("file").addEventListener("change", ({ target }) => {
    fromFiles(target.files);
    target.value = "";
  });
  onSubmit("by-text", () => load([{ text: byId("text").value }]));
  onSubmit("by-celex", () => byCelex(byId("celex").value.trim()));
  onSubmit("by-example", () => byExample(byId("example").value));
  byId("example").append(...LANGUAGES.map((code) => make("option", { value: code, lang: code }, nameOf(code))));
  byId("example").value = language();
  prepareDrop(fromFiles);

  const asked = new URLSearchParams(location.search);
  if (asked.has("celex")) byCelex(asked.get("celex"), asked.get("language") ?? undefined);
  else if (asked.has("example")) byExample(asked.get("example"));

  function byCelex(celex, wanted = language()) {
    return load([{ celex, language: wanted }], { celex, language: wanted });
  }

  function byExample(wanted) {
    if (!LANGUAGES.includes(wanted)) return;
    return load([async () => ({ text: await exampleIn(wanted), language: wanted })], { example: wanted });
  }
}

/**
 * Read what may be several versions, one after the other.
 * @param {object[]} sources
 * @param {Record<string, string>} [query] names an act that can be got again in the address, so that a link to a
 *   provision leads others there as well
 */
export async function load(sources, query = {}) {
  const versions = [];
  tellTrouble();
  document.body.setAttribute("aria-busy", "true");
  try {
    for (const [number, given] of sources.entries()) {
      const progress = sources.length > 1 ? ` ${number + 1} ${word("of")} ${sources.length}` : "";
      tellNews(word("working") + progress, true);
      const source = typeof given === "function" ? await given() : given;
      versions.push({ source, view: await viewOf(source) });
    }
    if (versions.length) {
      const search = new URLSearchParams(query).toString();
      history.replaceState(null, "", location.pathname + (search && `?${search}`) + location.hash);
      await open(versions);
    }
  } catch (error) {
    tellTrouble(error);
  } finally {
    tellNews("");
    document.body.removeAttribute("aria-busy");
  }
}

function onSubmit(id, run) {
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
}

/** Files may be dropped anywhere on the page. */
function prepareDrop(fromFiles) {
  const light = (is) => byId("drop").classList.toggle("over", is);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    light(true);
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && light(false));
  addEventListener("drop", (event) => {
    event.preventDefault();
    light(false);
    if (event.dataTransfer.files.length) fromFiles(event.dataTransfer.files);
  });
}
