// Requests to the REST API of the service that serves this page.

/**
 * An act: a file, a text, a CELEX number, or an example with its text.
 * @typedef {{file?: File, text?: string, celex?: string, example?: string, language?: string}} Source
 */

/** The service refused a request; the message is the detail of its problem+json, in the interface language if it can. */
export class ProblemError extends Error {
  /** @param {{detail?: string, title?: string, code?: string, values?: object}} problem @param {string} language of it */
  constructor({ detail, title, code = "", values = {} }, language) {
    super(detail ?? title);
    Object.assign(this, { code, values, language });
  }
}

/** The service cannot be reached. */
export class UnreachableError extends Error {}

/** The view of an act: all data that the page shows. @param {Source} source @param {AbortSignal} signal */
export async function fetchView(source, signal) {
  return (await request("/v1/views", { ...post(source), signal })).json();
}

/** The examples in all languages. @returns {Promise<{id: string, language: string, title: string, type: string}[]>} */
export async function fetchExamples() {
  return (await request("/v1/examples")).json();
}

/** The text of an example in a language. */
export async function fetchExample(id, language, signal) {
  return (await request(`/v1/examples/${path(language)}/${path(id)}`, { signal })).text();
}

/**
 * What somebody means who types a number, a name or an address of an act.
 * @returns {Promise<{understood: "celex"|"none", celex: string, name: string, language: string|null,
 *   candidates: {celex: string, name: string}[]}>}
 */
export async function fetchIdentifier(text, signal) {
  return (await request(`/v1/identifiers?text=${encodeURIComponent(text)}`, { signal })).json();
}

/**
 * Corresponding units of two versions: ids of the second by id of the first.
 * @param {Source} from @param {Source} to each with its language
 */
export async function fetchAlignment(from, to, signal) {
  const body = new FormData();
  for (const { file, text, celex, language } of [from, to]) {
    if (file) body.append("file", file, file.name);
    else if (celex) body.append("celex", celex);
    else body.append("text", text);
    body.append("language", language);
  }
  return (await (await request("/v1/alignments", { method: "POST", body, signal })).json()).pairs;
}

/**
 * The summary as a file, and its name.
 * @param {Source} source @param {string} format
 * @param {{words: number, focus: string, units: string[]}} selection the length, what it is made of, and ids of the units
 */
export async function fetchExport(source, format, selection, signal) {
  const options = { ...selection, group: true };
  const answer = await request(`/v1/exports?format=${format}`, { ...post(source, options), signal });
  const [, name] = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition")) ?? [];
  return { file: await answer.blob(), name: name ?? `summary.${format}` };
}

const path = encodeURIComponent;

function post(source, options = {}) {
  const { file, example: _, ...rest } = source;
  if (!file) {
    const body = JSON.stringify({ ...rest, ...options });
    return { method: "POST", headers: { "Content-Type": "application/json" }, body };
  }
  const body = new FormData();
  body.append("file", file, file.name);
  for (const [name, value] of Object.entries({ ...rest, ...options })) {
    if (value !== undefined) body.append(name, Array.isArray(value) ? value.join(" ") : String(value));
  }
  return { method: "POST", body };
}

async function request(address, options = {}) {
  const headers = { ...options.headers, "Accept-Language": document.documentElement.lang };
  const answer = await fetch(address, { ...options, headers }).catch((error) => {
    throw error.name === "AbortError" ? error : new UnreachableError();
  });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  const title = `${answer.status} ${answer.statusText}`;
  throw new ProblemError({ title, ...problem }, answer.headers.get("Content-Language") ?? "en");
}
