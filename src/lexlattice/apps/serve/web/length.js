// The length of the summary: presets, slider, and articles only.

import { byId, make } from "./dom.js";
import { t } from "./i18n.js";
import { hasSelection, listen, selectedWords, setBudget, setFocus, state, view } from "./state.js";

const PRESETS = ["short", "medium", "long"];

export function initLength() {
  listen((changed) => {
    if (changed.has("version")) updateRange();
    // In another version, the length stays that of the version that the selection was made on.
    if ((changed.has("version") && state.base === state.active) || changed.has("words")) renderPresets();
    if (["version", "chosen", "words"].some((name) => changed.has(name))) update();
  });
  byId("budget").addEventListener("input", ({ target }) => setBudget(Number(target.value)));
  // The slider says the count itself while it has the focus.
  byId("budget").addEventListener("focus", () => byId("count").setAttribute("aria-live", "off"));
  byId("budget").addEventListener("blur", () => byId("count").removeAttribute("aria-live"));
  byId("presets").addEventListener("change", ({ target }) => setPreset(target.value));
  byId("articles-only").addEventListener("change", ({ target }) => setFocus(target.checked ? "articles" : "all"));
}

/** Set the length to a preset. @param {"short"|"medium"|"long"} name */
function setPreset(name) {
  setBudget(view().selection.presets[name]);
}

/** "412 of 54,873 words", in the interface language. @param {Iterable<number>} [places] instead of the selection */
export const countText = (places) => t("word_count", { words: format(selectedWords(places)), total: format(view().words) });

const format = (number) => number.toLocaleString(document.documentElement.lang);

function renderPresets() {
  const options = PRESETS.map((name) => {
    const radio = make("input", { type: "radio", name: "preset", value: name });
    return make("label", {}, radio, make("span", {}, t(name)));
  });
  byId("presets").replaceChildren(...options);
}

/** Set the range of the slider for the version shown. */
function updateRange() {
  const { least, most, stops, articles } = view().selection;
  const [min, max] = [Math.min(least, state.budget), Math.max(most, state.budget)];
  Object.assign(byId("budget"), { min, max, disabled: min === max });
  byId("stops").replaceChildren(...stops.map((value) => make("option", { value })));
  byId("articles-only").disabled = !articles.order.length;
  byId("controls").classList.toggle("nothing", !hasSelection());
}

function update() {
  const { presets } = state.versions[state.base].view.selection;
  byId("budget").value = state.budget;
  byId("budget").setAttribute("aria-valuetext", countText());
  byId("count").textContent = countText();
  byId("articles-only").checked = state.focus === "articles";
  // Short acts have presets of equal length: the one that was checked stays, else it is the medium one.
  const radios = [...byId("presets").querySelectorAll("input")];
  const matching = radios.filter(({ value }) => presets[value] === state.budget);
  const checked = matching.find((radio) => radio.checked) ?? matching.find(({ value }) => value === "medium") ?? matching[0];
  for (const radio of radios) radio.checked = radio === checked;
}
