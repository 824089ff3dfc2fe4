// Puts the page together: the start, the three views, and the language in which it speaks.

import { prepareAct } from "./act.js";
import { prepareAddresses } from "./addresses.js";
import { prepareControls } from "./controls.js";
import { byId, make } from "./dom.js";
import { LANGUAGES, nameOf } from "./languages.js";
import { prepareLattice } from "./lattice.js";
import { prepareNews, tellTrouble } from "./news.js";
import { preparePanes, turnTo } from "./panes.js";
import { Unreached } from "./service.js";
import { openAsked, prepareStart } from "./start.js";
import { refresh } from "./state.js";
import { prepareSummary } from "./summary.js";
import { prepareVersions } from "./versions.js";
import { fill, preferred, speak, store } from "./words.js";

const root = document.documentElement;

function prepareLanguage() {
  const list = byId("interface");
  list.append(...LANGUAGES.map((code) => make("option", { value: code, lang: code }, nameOf(code))));
  list.value = root.lang;
  list.addEventListener("change", async () => {
    const before = root.lang;
    if (await speak(list.value)) {
      store("language", root.lang);
      if (byId("celex-language").value === before) byId("celex-language").value = root.lang;
      refresh();
    } else {
      list.value = root.lang;
      tellTrouble(new Unreached());
    }
  });
}

async function start() {
  prepareNews();
  preparePanes();
  prepareControls(); // before the views: what is to be scrolled to has to be there to be seen
  prepareLattice();
  prepareAct();
  prepareSummary();
  prepareVersions();
  prepareAddresses(openAsked);
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    turnTo("summary");
    byId("summary").focus();
  });
  if (!(await speak(preferred()))) fill(document);
  prepareLanguage();
  prepareStart();
  openAsked();
}

start();
