// Share, copy, print and export the summary.

import { fetchExport } from "./api.js";
import { citedText, copyBlock, copyLink, copyUnit, copyWithNotice } from "./copying.js";
import { byId, make } from "./dom.js";
import { statusText } from "./head.js";
import { formatDate, t } from "./i18n.js";
import { countText } from "./length.js";
import { placesShown } from "./lines.js";
import { announce, runTask } from "./messages.js";
import { linkToHere } from "./navigation.js";
import { hasSelection, state, view } from "./state.js";
import { blockWith, groupsShown } from "./summary.js";

/** Milliseconds after which the file of a download is released. */
const DOWNLOAD_DURATION = 10_000;

export function initShare() {
  onClick("copy-link", shareLink);
  onClick("copy-all", () => copyWithNotice(summaryText()));
  onClick("print", () => print());
  byId("exports").addEventListener("click", ({ target }) => {
    const { format } = target.closest("[data-format]")?.dataset ?? {};
    if (!format) return;
    closeMenu();
    exportAs(format);
  });
  addEventListener("beforeprint", renderCover);
}

function onClick(id, run) {
  byId(id).addEventListener("click", () => {
    closeMenu();
    run();
  });
}

function closeMenu() {
  byId("exports").open = false;
  byId("exports").querySelector("summary").focus({ preventScroll: true });
}

/** Copy the current provision with its citation: its item if it is in the summary. */
export function copyCurrent() {
  if (state.current < 0) return Promise.resolve(false);
  const block = blockWith(state.current);
  return block ? copyBlock(block) : copyUnit(state.current);
}

/** Share the link to what is shown: phones have a menu for it, elsewhere it is copied. */
function shareLink() {
  if (!navigator.share || !matchMedia("(pointer: coarse)").matches) return copyLink();
  return navigator.share({ title: document.title, url: linkToHere() }).catch(() => {}); // closed by the user
}

/** The whole summary as text: the title, then groups of provisions with their citations. */
function summaryText() {
  const { title, name, groups } = view();
  const parts = groupsShown().flatMap(({ name: group, blocks }) => [groups[group], ...blocks.map((block) => citedText(block))]);
  return [title || name, ...parts].filter(Boolean).join("\n\n");
}

async function exportAs(format) {
  let saved = "";
  await runTask("export", async (signal) => {
    const { source } = state.versions[state.active];
    const places = [...state.chosen].sort((a, b) => a - b);
    const units = places.map((place) => view().units[place].id);
    const wanted = { ...source, language: view().language };
    const selection = { words: state.budget, focus: state.focus, units };
    const { file, name } = await fetchExport(wanted, format, selection, signal);
    const link = make("a", { href: URL.createObjectURL(file), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_DURATION);
    saved = name;
  });
  if (saved) announce(t("saved", { name: saved }));
}

/** The cover line of the print below the title: what is shown of which text, the day it was printed, and the ELI. */
function renderCover() {
  if (!view()) return;
  const { name, celex, title, status, eli } = view();
  const shown = new Set(groupsShown().flatMap(({ blocks }) => blocks.flatMap(placesShown)));
  const today = new Date();
  const day = [today.getFullYear(), today.getMonth() + 1, today.getDate()].map((part) => String(part).padStart(2, "0"));
  const number = status.celex || celex;
  const parts = [
    !title && name,
    number && `CELEX ${number}`,
    ...(hasSelection() ? [statusText(status), countText(shown)] : []), // else a notice says it
    t("printed_on", { date: formatDate(day.join("-")) }),
    "LexLattice",
    eli && make("a", { href: eli }, eli),
  ];
  byId("cover").replaceChildren(...parts.filter(Boolean).map((part) => make("span", {}, part)));
}
