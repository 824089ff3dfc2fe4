// Entry point: initializes the start screen, the three panes and the interface language.

import { initAct } from "./act.js";
import { UnreachableError } from "./api.js";
import { initControls, showPane } from "./controls.js";
import { byId, make, saveSetting } from "./dom.js";
import { LANGUAGES, languageName, preferredLanguage, setLanguage, translate } from "./i18n.js";
import { initLattice } from "./lattice.js";
import { initMessages, showError } from "./messages.js";
import { initNavigation } from "./navigation.js";
import { initStart, openFromUrl } from "./start.js";
import { refresh } from "./state.js";
import { initSummary } from "./summary.js";
import { initVersions } from "./versions.js";

const root = document.documentElement;

function initLanguageMenu() {
  const list = byId("interface");
  list.append(...LANGUAGES.map((code) => make("option", { value: code, lang: code }, languageName(code))));
  list.value = root.lang;
  list.addEventListener("change", async () => {
    const before = root.lang;
    if (await setLanguage(list.value)) {
      saveSetting("language", root.lang);
      if (byId("celex-language").value === before) byId("celex-language").value = root.lang;
      refresh();
    } else {
      list.value = root.lang;
      showError(new UnreachableError());
    }
  });
}

async function start() {
  initMessages();
  initControls(); // first: a pane must be visible before the others scroll in it
  initLattice();
  initAct();
  initSummary();
  initVersions();
  initNavigation(openFromUrl);
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    showPane("summary");
    byId("summary").focus();
  });
  if (!(await setLanguage(preferredLanguage()))) translate(document);
  initLanguageMenu();
  initStart();
  openFromUrl();
}

start();
