// Sliders, buttons and the places of the page that are neither the act nor its summary.

import { byId, make } from "./dom.js";
import { busy } from "./news.js";
import { turnTo } from "./panes.js";
import { exported } from "./service.js";
import { allow, chosenWords, goToStep, listen, state, view } from "./state.js";
import { store, stored, word } from "./words.js";

const PAUSE = 700;
let timer = 0;

export function prepareControls() {
  listen((changed) => {
    if (changed.has("version")) offer();
    if (changed.has("chosen") || changed.has("words")) tellCount();
    if (changed.has("step") || changed.has("words")) tellStep();
    if (changed.has("current") && state.current >= 0 && state.origin !== "version") turnTo(opposite());
  });
  byId("budget").addEventListener("input", ({ target }) => allow(Number(target.value)));
  byId("step").addEventListener("input", ({ target }) => {
    const step = Number(target.value);
    pause();
    goToStep(step);
  });
  byId("play").addEventListener("click", () => (timer ? pause() : play()));
  byId("print").addEventListener("click", () => {
    byId("exports").open = false;
    print();
  });
  byId("exports").addEventListener("click", ({ target }) => target.dataset.format && save(target.dataset.format));
  prepareMenus();
  prepareTheme();
}

/** What the sliders offer for the version that is shown. */
function offer() {
  const { least, most, steps, stops } = view();
  const [min, max] = [Math.min(least, state.budget), Math.max(most, state.budget)];
  Object.assign(byId("budget"), { min, max, value: state.budget, disabled: min === max });
  Object.assign(byId("step"), { max: steps.length - 1, value: state.step, disabled: steps.length < 2 });
  byId("stops").replaceChildren(...stops.map((value) => make("option", { value })));
  tellStep();
}

/** How many words there are of those allowed, which were counted in the version that was chosen on. */
function tellCount() {
  const isCounted = state.base === state.now;
  byId("count").textContent = isCounted ? `${chosenWords()} / ${state.budget}` : chosenWords();
  const said = isCounted ? `${chosenWords()} ${word("of")} ${state.budget}` : String(chosenWords());
  byId("budget").setAttribute("aria-valuetext", said);
}

function tellStep() {
  const last = view().steps.length - 1;
  byId("step").value = state.step;
  byId("step").setAttribute("aria-valuetext", `${state.step} ${word("of")} ${last}`);
  byId("steps").textContent = `${state.step} / ${last}`;
  byId("play").textContent = timer ? "❚❚" : "▶";
  byId("play").setAttribute("aria-label", word(timer ? "pause" : "play"));
  byId("play").title = word(timer ? "pause" : "play");
}

function play() {
  const last = view().steps.length - 1;
  timer = setInterval(() => {
    if (state.step >= last) pause();
    else goToStep(state.step + 1);
  }, PAUSE);
  goToStep(state.step < last ? state.step : 0);
}

/** Stop where it is. */
export function pause() {
  clearInterval(timer);
  timer = 0;
  if (view()) tellStep();
}

/** On a phone one of the three is to be seen: where a click leads is the other one. */
const opposite = () => (state.origin === "act" && state.chosen.has(state.current) ? "summary" : "act");

function save(format) {
  byId("exports").open = false;
  return busy("export", async (signal) => {
    const { source } = state.versions[state.now];
    const places = [...state.chosen].sort((a, b) => a - b);
    const units = places.map((place) => view().units[place].id);
    const wanted = { ...source, language: view().language };
    const { file, name } = await exported(wanted, format, state.budget, units, signal);
    const link = make("a", { href: URL.createObjectURL(file), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
}

/** Menus close on Escape and when something else is clicked. */
function prepareMenus() {
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

function prepareTheme() {
  const root = document.documentElement;
  if (stored("theme")) root.dataset.theme = stored("theme");
  byId("theme").addEventListener("click", () => {
    const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    store("theme", root.dataset.theme);
  });
}
