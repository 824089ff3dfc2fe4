// Copies provisions as people cite them: the text, then "(Article 6(1) of Regulation (EU) 2016/679)".

import { blocksOf, textOf } from "./blocks.js";
import { eliOf, fullCitation } from "./citation.js";
import { copyText } from "./clipboard.js";
import { t } from "./i18n.js";
import { placesShown } from "./lines.js";
import { announce, showError, showMessage } from "./messages.js";
import { linkToHere } from "./navigation.js";
import { omissionsOf } from "./omissions.js";
import { state, view } from "./state.js";

/** A block as it is shown, with its citation, and with its ELI address on request. */
export function citedText(block, { hasEli = false } = {}) {
  const address = hasEli ? [eliOf(view().units[block.places[0]].id)] : [];
  const cited = asShown(block).map((part) => `${textOf(part)}\n(${fullCitation(part.citation)})`);
  return [...cited, ...address].join("\n");
}

/** What a block would be if that which is unfolded in it were selected. @returns {import("./blocks.js").Block[]} */
function asShown(block) {
  const places = placesShown(block);
  if (places.length === block.places.length) return [block];
  const selected = new Set([...state.chosen, ...places]);
  return blocksOf(places, omissionsOf([...selected].sort((a, b) => a - b)));
}

/** Copy a block with its citation. @returns {Promise<boolean>} whether it was copied */
export const copyBlock = (block, options) => copyWithNotice(citedText(block, options));

/** Copy the text of a unit that is in no block, with its citation. */
export function copyUnit(place) {
  const { text, citation } = view().units[place];
  return copyWithNotice(`${text}\n(${fullCitation(citation)})`);
}

/** Copy a link to a provision on this page. */
export function copyProvisionLink(place) {
  return copyLink(`#${encodeURIComponent(view().units[place].id)}`);
}

/** Copy a link to what is shown, and say if others cannot open it: an act from a file is only in this browser. */
export function copyLink(hash) {
  const address = new URL(linkToHere());
  if (hash !== undefined) address.hash = hash;
  const isShared = ["celex", "example"].some((name) => address.searchParams.has(name));
  return copyWithNotice(address.href, t(isShared ? "link_copied" : "link_local"));
}

/** Copy text, and say whether it worked. */
export async function copyWithNotice(text, notice = t("copied")) {
  showError();
  const isCopied = await copyText(text);
  if (!isCopied) {
    showMessage(t("failed"));
    return false;
  }
  announce(notice);
  return true;
}
