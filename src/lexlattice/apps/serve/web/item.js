// An item of the summary: heading, citation, text, and what one can do with it.

import { copyBlock, copyProvisionLink } from "./copying.js";
import { make } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { appendLines } from "./lines.js";
import { view } from "./state.js";
import { addWhy } from "./why.js";

/**
 * @param {import("./blocks.js").Block} block @param {string} heading of its section, or empty
 * @returns {HTMLLIElement}
 */
export function itemOf(block, heading) {
  const { places, citation, lines } = block;
  const text = make("div", { class: "item-text" });
  const tools = make("div", { class: "item-tools", lang: document.documentElement.lang });
  const item = make(
    "li",
    { class: "item", "data-places": places.join(" ") },
    ...(heading ? [make("h3", {}, heading)] : []),
    make("div", { class: "item-head" }, citationLink(block), tools),
    text,
  );
  appendLines(text, lines);
  addWhy(block, tools, item);
  tools.append(copyButton(block), moreMenu(block, citation));
  return item;
}

const citationLink = ({ places: [place], citation }) =>
  make("a", { class: "citation", href: `#${view().units[place].id}`, "data-place": place }, citation);

function copyButton(block) {
  const label = `${t("copy")}: ${block.citation}`;
  const button = make("button", { type: "button", class: "icon quiet copy", "aria-label": label, "data-tip": t("copy") });
  button.append(icon("copy"));
  button.addEventListener("click", async () => {
    if (!(await copyBlock(block))) return;
    button.replaceChildren(icon("check"));
    setTimeout(() => button.replaceChildren(icon("copy")), 1500);
  });
  return button;
}

/** Further ways to copy an item; the list is made when it is opened. */
function moreMenu(block, citation) {
  const label = `${t("copy_more")}: ${citation}`;
  const menu = make("details", { class: "menu item-menu" });
  const list = make("div", { class: "menu-list" });
  const summary = make("summary", { class: "icon quiet", "aria-label": label, "data-tip": t("copy_more") }, icon("more"));
  menu.append(summary, list);
  const add = (key, run) => {
    const button = make("button", { type: "button" }, t(key));
    button.addEventListener("click", () => {
      menu.open = false;
      summary.focus({ preventScroll: true });
      run();
    });
    list.append(button);
  };
  menu.addEventListener("toggle", () => {
    list.replaceChildren();
    if (!menu.open) return;
    add("copy", () => copyBlock(block));
    if (view().eli) add("copy_eli", () => copyBlock(block, { hasEli: true }));
    add("copy_link_provision", () => copyProvisionLink(block.places[0]));
  });
  return menu;
}
