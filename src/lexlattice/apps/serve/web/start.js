// The start screen: one field that takes a file, a text, a number or an address of an act; and examples to try.

import { readAddress } from "./address.js";
import { fetchExamples, fetchIdentifier } from "./api.js";
import { byId, make } from "./dom.js";
import { languageName, LANGUAGES, t } from "./i18n.js";
import { runTask, showMessage } from "./messages.js";
import { recall } from "./recents.js";
import { load } from "./sources.js";

const root = document.documentElement;
/** Milliseconds after the last letter before the service is asked what was meant. */
const DELAY = 200;
/** No number, name or address of an act is as long as this. */
const MAX_IDENTIFIER = 300;

/** The last text that the service was asked about, and its answer. */
let understood = { text: "", answer: undefined };
let examples = [];
let timer = 0;
let asking = new AbortController();

/** Initialize the field, the file input, the drop target and the examples. */
export async function initStart() {
  initFileInput("file");
  initEntry();
  initDrop();
  byId("entry-language").append(...LANGUAGES.map((code) => make("option", { value: code, lang: code }, languageName(code))));
  byId("entry-language").value = root.lang;
  byId("example-list").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { example, lang } = readAddress(new URL(link.href));
    load([{ example, language: lang }]);
  });
  examples = await fetchExamples().catch(() => []);
  renderStart();
}

/** Render what depends on the interface language. */
export function renderStart() {
  const shown = examples.filter(({ language }) => language === root.lang);
  byId("examples").hidden = !shown.length;
  byId("example-list").replaceChildren(...shown.map(cardOf));
  if (!understood.answer) byId("entry-language").value = root.lang;
  fitHeight();
  showUnderstood();
}

function cardOf({ id, language, title, type, words }) {
  const facts = [languageName(language), ...(words ? [`${t("words")}: ${words.toLocaleString(root.lang)}`] : [])];
  return make(
    "li",
    { class: "card" },
    make(
      "a",
      { class: "card-link", href: `?${new URLSearchParams({ example: id, lang: language })}` },
      make("span", { class: "card-type" }, type),
      make("span", { class: "card-title" }, title),
      make("span", { class: "card-facts" }, facts.join(" · ")),
    ),
  );
}

// --- opening ---

/** Open the act that the URL names; until it is there, the start is not shown. @returns {boolean} whether there is one */
export function openFromUrl() {
  const opening = openAddress(readAddress(location), true);
  root.classList.toggle("is-opening", Boolean(opening));
  opening?.finally(() => root.classList.remove("is-opening"));
  return Boolean(opening);
}

/**
 * Open the act of an address at its place.
 * @param {import("./address.js").Address} address
 * @returns {Promise<unknown>|null} null if it names no act
 */
export function openAddress(address, isFromUrl = false) {
  const { celex, example, recent, lang = root.lang, from, with: beside } = address;
  const languages = [...new Set([from ?? lang, lang, beside].filter(Boolean))];
  const how = { address, isFromUrl };
  if (celex) return load(languages.map((language) => ({ celex, language })), how);
  if (example) return load(languages.map((language) => ({ example, language })), how);
  return recent ? openKept(recent, how) : null;
}

async function openKept(key, how) {
  const sources = await recall(key);
  if (sources) return load(sources, how);
  const { act, lang = root.lang } = how.address;
  const answer = act && (await fetchIdentifier(act).catch(() => undefined));
  if (answer?.fetches) return load([{ celex: act, language: lang }], how);
  if (how.isFromUrl) history.replaceState({}, "", location.pathname);
  const name = answer?.name ? [" ", make("span", {}, `${answer.name} `), officialLink(act, lang)] : [];
  return showMessage(t("not_kept"), ...name);
}

/** A link to an act at the Publications Office, for those who want to fetch it themselves. */
const officialLink = (celex, language) =>
  make(
    "a",
    { href: `https://eur-lex.europa.eu/legal-content/${language.toUpperCase()}/TXT/?uri=CELEX:${celex}`, rel: "noreferrer" },
    "EUR-Lex",
  );

/**
 * Open the files chosen in a file input.
 * @param {string} id of the input @param {boolean} [isAddition] whether they are further versions of the open act
 */
export function initFileInput(id, isAddition) {
  const input = byId(id);
  const open = () => {
    openFiles(input.files, isAddition);
    input.value = "";
  };
  input.addEventListener("change", open);
  if (input.files.length) open(); // chosen while the page was loading
}

const openFiles = (files, isAddition) => load([...files].map((file) => ({ file })), { isAddition });

// --- the field ---

function initEntry() {
  const entry = byId("entry");
  entry.addEventListener("input", () => {
    entry.removeAttribute("aria-invalid");
    fitHeight();
    understandSoon();
  });
  entry.addEventListener("keydown", (event) => {
    const isLine = !event.shiftKey && !entry.value.includes("\n");
    if (event.key !== "Enter" || event.isComposing || !(isLine || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    byId("open").requestSubmit();
  });
  byId("open").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  byId("candidates").addEventListener("click", ({ target }) => target.dataset.celex && openCelex(target.dataset.celex));
}

/** Let the field grow with its text, in browsers whose style sheets cannot; what is too high scrolls. */
function fitHeight() {
  if (CSS.supports("field-sizing", "content")) return;
  const entry = byId("entry");
  entry.style.height = "auto";
  entry.style.height = `${entry.scrollHeight + entry.offsetHeight - entry.clientHeight}px`;
}

const entered = () => byId("entry").value.trim();

/** Whether it is the text of an act: it has lines, or is too long for a number or an address. */
const isText = (text) => /\n/.test(text) || (text.length > MAX_IDENTIFIER && /\s/.test(text));

async function submit() {
  const text = entered();
  clearTimeout(timer);
  if (!text) return byId("entry").focus();
  if (isText(text)) return load([{ text }]);
  await runTask("understand", (signal) => understand(text, signal));
  if (understood.text !== text || !understood.answer) return undefined;
  if (understood.answer.celex) return openCelex(understood.answer.celex);
  byId("entry").setAttribute("aria-invalid", "true");
  return byId("entry").focus();
}

const openCelex = (celex) => load([{ celex, language: byId("entry-language").value }]);

function understandSoon() {
  clearTimeout(timer);
  asking.abort();
  const text = entered();
  if (text !== understood.text) understood = { text: "", answer: undefined };
  showUnderstood();
  if (!text || isText(text)) return;
  asking = new AbortController();
  timer = setTimeout(() => understand(text, asking.signal).catch(() => undefined), DELAY);
}

/** Ask the service what a number, name or address means. */
async function understand(text, signal) {
  if (understood.text !== text) understood = { text, answer: await fetchIdentifier(text, signal) };
  byId("entry-language").value = understood.answer.language ?? byId("entry-language").value;
  showUnderstood();
}

/** Say what the field holds, and offer the other acts that a number may mean. */
function showUnderstood() {
  const { answer } = understood;
  const others = answer?.candidates.slice(1) ?? [];
  const isOutOfReach = answer?.celex && !answer.fetches;
  const language = byId("entry-language").value || root.lang;
  byId("understood").replaceChildren(
    sentenceFor(entered(), answer),
    ...(isOutOfReach ? [". ", t("fetch_off"), " ", officialLink(answer.celex, language)] : []),
  );
  byId("understood").classList.toggle("is-doubtful", answer?.understood === "none");
  byId("entry-languages").hidden = !answer?.celex;
  byId("candidates").replaceChildren(
    ...others.map(({ celex, name }) => make("button", { type: "button", lang: "en", "data-celex": celex }, name)),
  );
}

function sentenceFor(text, answer) {
  if (text && isText(text)) {
    const words = text.split(/\s+/).length.toLocaleString(root.lang);
    return t("understood_text", { words });
  }
  if (!answer) return "";
  return answer.celex ? t("understood", { name: answer.name || answer.celex }) : t("not_understood");
}

// --- files dropped anywhere ---

function initDrop() {
  const highlight = (isDragging) => root.classList.toggle("is-dragging", isDragging);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    highlight(event.dataTransfer.types.includes("Files"));
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && highlight(false));
  addEventListener("drop", (event) => {
    event.preventDefault();
    highlight(false);
    if (event.dataTransfer.files.length) openFiles(event.dataTransfer.files);
  });
}
