// Where there is no room for all three views, which one is to be seen.

import { byId } from "./dom.js";

export function preparePanes() {
  byId("tabs").addEventListener("click", ({ target: { dataset } }) => {
    if (!dataset.pane) return;
    turnTo(dataset.pane);
    history.replaceState({ ...history.state, pane: dataset.pane }, "");
  });
}

/** The one that is to be seen. */
export const pane = () => byId("panes").dataset.pane;

/** Show one of the three. */
export function turnTo(name) {
  byId("panes").dataset.pane = name;
  for (const tab of byId("tabs").children) tab.setAttribute("aria-pressed", tab.dataset.pane === name);
}
