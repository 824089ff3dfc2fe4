// Keyboard shortcuts, by the position of the key on any layout, and their list.

import { firstVisibleUnit } from "./act.js";
import { byId, loadSetting, make, saveSetting } from "./dom.js";
import { t } from "./i18n.js";
import { openContents } from "./layout.js";
import { isReading } from "./navigation.js";
import { goToUnit, setBudget, state, view } from "./state.js";
import { goToTerm } from "./terms.js";

const SETTING = "keys";
/** What each key does in the reader, by `event.code`. */
const ACTIONS = {
  KeyJ: ({ shiftKey }) => (shiftKey ? goToChosen(1) : goBy(1)),
  KeyK: ({ shiftKey }) => (shiftKey ? goToChosen(-1) : goBy(-1)),
  KeyN: () => goToChosen(1),
  KeyP: () => goToChosen(-1),
  KeyT: goToTerm,
  KeyC: async () => (await import("./share.js")).copyCurrent(),
  Digit1: () => setBudget(view().selection.presets.short),
  Digit2: () => setBudget(view().selection.presets.medium),
  Digit3: () => setBudget(view().selection.presets.long),
  BracketLeft: openContents,
  Slash: search,
};
/** The list: the keys of a line (several ways to the same are separated), and the text for them. */
const LIST = [
  [["J", "K"], "key_next"],
  [["N", "P"], "key_chosen"],
  [["Ctrl K", "/"], "key_search"],
  [["F3"], "next_hit"],
  [["Shift F3"], "previous_hit"],
  [["T"], "key_terms"],
  [["["], "key_contents"],
  [["C"], "key_copy"],
  [["1", "2", "3"], "key_length"],
  [["Alt ←"], "key_back"],
  [["Esc"], "key_close"],
  [["?"], "key_help"],
];
/** Elements that take letters themselves. */
const TYPING = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range], [type=file])";

export function initKeys() {
  addEventListener("keydown", onKey);
  byId("open-keys").addEventListener("click", showKeys);
}

function onKey(event) {
  const isModified = event.ctrlKey || event.metaKey || event.altKey;
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (event.code === "KeyK" && (event.ctrlKey || event.metaKey) && !event.altKey && isReading()) return run(event, search);
  if (isModified || event.target.closest?.(TYPING) || !isOn()) return;
  if (event.key === "?") return run(event, showKeys);
  const action = event.key === "[" ? openContents : event.key === "/" ? search : ACTIONS[event.code];
  const isShifted = event.shiftKey && !["KeyJ", "KeyK"].includes(event.code) && event.key !== "/";
  if (action && isReading() && !isShifted) run(event, action);
}

function run(event, action) {
  event.preventDefault();
  action(event);
}

/** Single keys can be switched off: speech input would press them by accident. */
const isOn = () => loadSetting(SETTING) !== "off";

function search() {
  byId("open-search").click();
}

/** Go to the next or previous provision; without a current one, to the first visible one. */
function goBy(direction) {
  const place = state.current < 0 ? Math.max(0, firstVisibleUnit().place) : state.current + direction;
  if (view().units[place]) goToUnit(place, "keys");
}

/** Go to the next or previous provision that was chosen. */
function goToChosen(direction) {
  const places = [...state.chosen].sort((a, b) => direction * (a - b));
  const from = state.current < 0 ? Math.max(0, firstVisibleUnit().place) - direction : state.current;
  const place = places.find((other) => direction * (other - from) > 0);
  if (place !== undefined) goToUnit(place, "keys");
}

function showKeys() {
  const lines = LIST.flatMap(([keys, text]) => [
    make("dt", {}, ...keys.flatMap((key) => [make("kbd", {}, key), " "])),
    make("dd", {}, t(text)),
  ]);
  const box = make("input", { type: "checkbox", id: "keys-on", checked: isOn() });
  box.addEventListener("change", () => saveSetting(SETTING, box.checked ? "on" : "off"));
  byId("keys-list").replaceChildren(...lines);
  byId("keys-switch").replaceChildren(box, make("span", {}, t("keys_on")));
  byId("keys").showModal();
}
