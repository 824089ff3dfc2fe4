// How it was chosen: the lattice and the steps of the automaton, in a dialog.

import { byId } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { initLattice } from "./lattice.js";
import { goToUnit, listen, setStep, state, view } from "./state.js";

/** Milliseconds per step of the animation. */
const STEP_DURATION = 700;
let timer = 0;

export function initHow() {
  const dialog = byId("how");
  initLattice((place) => {
    dialog.close();
    goToUnit(place, "lattice");
  });
  listen((changed) => {
    if (["version", "step", "words"].some((name) => changed.has(name))) updateStep();
  });
  byId("open-how").addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("close", () => {
    pause();
    setStep(view().steps.length - 1);
  });
  addEventListener("popstate", () => dialog.open && dialog.close());
  byId("step").addEventListener("input", ({ target }) => {
    const step = Number(target.value);
    pause();
    setStep(step);
  });
  byId("play").addEventListener("click", () => (timer ? pause() : play()));
}

function updateStep() {
  const last = view().steps.length - 1;
  Object.assign(byId("step"), { max: last, value: state.step, disabled: last < 1 });
  byId("step").setAttribute("aria-valuetext", `${state.step} ${t("of")} ${last}`);
  byId("steps").textContent = `${state.step} / ${last}`;
  updatePlay();
}

function updatePlay() {
  const name = timer ? "pause" : "play";
  byId("play").replaceChildren(icon(name));
  byId("play").setAttribute("aria-label", t(name));
  byId("play").title = t(name);
  byId("play").disabled = view().steps.length < 2;
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
function pause() {
  clearInterval(timer);
  timer = 0;
  updatePlay();
}
