// Sliders, buttons, menus and tabs of the reader.

import { fetchExport } from "./api.js";
import { byId, loadSetting, make, saveSetting } from "./dom.js";
import { t } from "./i18n.js";
import { runTask } from "./messages.js";
import { listen, selectedWords, setBudget, setStep, state, view } from "./state.js";

/** Milliseconds per step of the animation. */
const STEP_DURATION = 700;
let timer = 0;

export function initControls() {
  listen((changed) => {
    if (changed.has("version")) updateSliders();
    if (changed.has("chosen") || changed.has("words")) updateCount();
    if (changed.has("step") || changed.has("words")) updateStep();
    if (changed.has("current") && state.current >= 0 && state.origin !== "version") showPane(opposite());
  });
  byId("budget").addEventListener("input", ({ target }) => setBudget(Number(target.value)));
  byId("step").addEventListener("input", ({ target }) => {
    const step = Number(target.value);
    pause();
    setStep(step);
  });
  byId("play").addEventListener("click", () => (timer ? pause() : play()));
  byId("print").addEventListener("click", () => {
    byId("exports").open = false;
    print();
  });
  byId("exports").addEventListener("click", ({ target }) => target.dataset.format && save(target.dataset.format));
  initPanes();
  initMenus();
  initTheme();
}

/** Set the ranges of the sliders for the version shown. */
function updateSliders() {
  const { least, most, steps, stops } = view();
  const [min, max] = [Math.min(least, state.budget), Math.max(most, state.budget)];
  Object.assign(byId("budget"), { min, max, value: state.budget, disabled: min === max });
  Object.assign(byId("step"), { max: steps.length - 1, value: state.step, disabled: steps.length < 2 });
  byId("stops").replaceChildren(...stops.map((value) => make("option", { value })));
  updateStep();
}

/** Show the word count; the budget only on the version that the selection was made on. */
function updateCount() {
  const isCounted = state.base === state.active;
  byId("count").textContent = isCounted ? `${selectedWords()} / ${state.budget}` : selectedWords();
  const label = isCounted ? `${selectedWords()} ${t("of")} ${state.budget}` : String(selectedWords());
  byId("budget").setAttribute("aria-valuetext", label);
}

function updateStep() {
  const last = view().steps.length - 1;
  byId("step").value = state.step;
  byId("step").setAttribute("aria-valuetext", `${state.step} ${t("of")} ${last}`);
  byId("steps").textContent = `${state.step} / ${last}`;
  byId("play").textContent = timer ? "❚❚" : "▶";
  byId("play").setAttribute("aria-label", t(timer ? "pause" : "play"));
  byId("play").title = t(timer ? "pause" : "play");
}

function play() {
  const last = view().steps.length - 1;
  timer = setInterval(() => {
    if (state.step >= last) pause();
    else setStep(state.step + 1);
  }, STEP_DURATION);
  setStep(state.step < last ? state.step : 0);
}

/** Stop the animation at the current step. */
export function pause() {
  clearInterval(timer);
  timer = 0;
  if (view()) updateStep();
}

/** On a phone only one pane is visible: a click leads to the other. */
const opposite = () => (state.origin === "act" && state.chosen.has(state.current) ? "summary" : "act");

function save(format) {
  byId("exports").open = false;
  return runTask("export", async (signal) => {
    const { source } = state.versions[state.active];
    const places = [...state.chosen].sort((a, b) => a - b);
    const units = places.map((place) => view().units[place].id);
    const wanted = { ...source, language: view().language };
    const { file, name } = await fetchExport(wanted, format, state.budget, units, signal);
    const link = make("a", { href: URL.createObjectURL(file), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
}

/** Close menus on Escape and on clicks elsewhere. */
function initMenus() {
  const menus = [...document.querySelectorAll(".menu")];
  addEventListener("click", ({ target }) => menus.forEach((menu) => menu.contains(target) || (menu.open = false)));
  for (const menu of menus) {
    menu.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  }
}

function initTheme() {
  const root = document.documentElement;
  if (loadSetting("theme")) root.dataset.theme = loadSetting("theme");
  byId("theme").addEventListener("click", () => {
    const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    saveSetting("theme", root.dataset.theme);
  });
}

function initPanes() {
  byId("tabs").addEventListener("click", ({ target: { dataset } }) => {
    if (!dataset.pane) return;
    showPane(dataset.pane);
    history.replaceState({ ...history.state, pane: dataset.pane }, "");
  });
}

/** The name of the visible pane on narrow screens. */
export const activePane = () => byId("panes").dataset.pane;

/** Show one of the three panes on narrow screens. */
export function showPane(name) {
  byId("panes").dataset.pane = name;
  for (const tab of byId("tabs").children) tab.setAttribute("aria-pressed", tab.dataset.pane === name);
}
