// Entry point: initializes the parts of the page.

import { initAct } from "./act.js";
import { UnreachableError } from "./api.js";
import { initCompare } from "./compare.js";
import { initContents } from "./contents.js";
import { byId, make, saveSetting } from "./dom.js";
import { initHead } from "./head.js";
import { initHow } from "./how.js";
import { LANGUAGES, languageName, preferredLanguage, setLanguage, translate } from "./i18n.js";
import { drawIcons } from "./icons.js";
import { initKeys } from "./keys.js";
import { initLayout } from "./layout.js";
import { initLength } from "./length.js";
import { initLinks } from "./links.js";
import { initMap } from "./map.js";
import { initMessages, showError } from "./messages.js";
import { initNavigation } from "./navigation.js";
import { initRecents, renderRecents } from "./recents.js";
import { initSearch } from "./search.js";
import { initShare } from "./share.js";
import { initStart, openAddress, openFromUrl, renderStart } from "./start.js";
import { refresh } from "./state.js";
import { initSummary } from "./summary.js";
import { initTerms } from "./terms.js";
import { initVersions } from "./versions.js";

const root = document.documentElement;

function initLanguageMenu() {
  const list = byId("interface");
  list.append(...LANGUAGES.map((code) => make("option", { value: code, lang: code }, languageName(code))));
  list.value = root.lang;
  list.addEventListener("change", async () => {
    if (await setLanguage(list.value)) {
      saveSetting("language", root.lang);
      refresh();
      renderStart();
      renderRecents();
    } else {
      list.value = root.lang;
      showError(new UnreachableError());
    }
  });
}

async function start() {
  drawIcons(document);
  initMessages();
  initNavigation(openFromUrl); // first: it notes where the user was before a pane closes or scrolls
  initLayout(); // then: a pane must be visible before the others scroll in it
  initHead();
  initLength();
  initSummary();
  initAct();
  initContents();
  initTerms();
  initLinks();
  initMap();
  initHow();
  initShare();
  initVersions();
  initCompare();
  initSearch();
  initKeys();
  if (!(await setLanguage(preferredLanguage()))) translate(document);
  initLanguageMenu();
  initRecents(openAddress);
  initStart();
  openFromUrl();
  root.dataset.ready = ""; // for those who wait for it
}

start();
