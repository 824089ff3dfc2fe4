// Requests to the REST API of the service that serves this page.

/**
 * An act: a file, a text or a CELEX number; the text may be that of an example.
 * @typedef {{file?: File, text?: string, celex?: string, language?: string, example?: string}} Source
 */

/** The service refused a request; the message is its problem+json detail. */
class ProblemError extends Error {}

/** The service cannot be reached. */
export class UnreachableError extends Error {}

/** The view of an act: all data that the page shows. @param {Source} source @param {AbortSignal} signal */
export async function fetchView(source, signal) {
  return (await request("/v1/views", { ...post(source), signal })).json();
}

/** The text of an example act in a language. */
export async function fetchExample(name, language, signal) {
  return (await request(`/v1/examples/${language}/${name}`, { signal })).text();
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
 * @param {Source} source @param {string} format @param {number} words @param {string[]} units ids of the selected units
 */
export async function fetchExport(source, format, words, units, signal) {
  const options = { words, group: true, units };
  const answer = await request(`/v1/exports?format=${format}`, { ...post(source, options), signal });
  const [, name] = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition")) ?? [];
  return { file: await answer.blob(), name: name ?? `summary.${format}` };
}

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

async function request(address, options) {
  const answer = await fetch(address, options).catch((error) => {
    throw error.name === "AbortError" ? error : new UnreachableError();
  });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw new ProblemError(problem.detail ?? problem.title ?? `${answer.status} ${answer.statusText}`);
}
