// What the page asks of the service it came from, and of nobody else.

/**
 * Where an act comes from: a file, a text or a CELEX number.
 * @typedef {{file?: File, text?: string, celex?: string, language?: string}} Source
 */

/** A sentence of the service's about what went wrong. */
export class Refused extends Error {}

/** The service does not answer. */
export class Unreached extends Error {}

/** All that the page needs of an act. @param {Source} source @param {AbortSignal} signal */
export async function viewOf(source, signal) {
  return (await ask("/v1/views", { ...post(source), signal })).json();
}

/** The text of the example act in a language. */
export async function exampleIn(language, signal) {
  return (await ask(`/v1/examples/${language}`, { signal })).text();
}

/**
 * For ids of units of one version those of another that say the same.
 * @param {Source} from @param {Source} to each with its language
 */
export async function pairsOf(from, to, signal) {
  const body = new FormData();
  for (const { file, text, celex, language } of [from, to]) {
    if (file) body.append("file", file, file.name);
    else if (celex) body.append("celex", celex);
    else body.append("text", text);
    body.append("language", language);
  }
  return (await (await ask("/v1/alignments", { method: "POST", body, signal })).json()).pairs;
}

/**
 * The summary as a file, and its name.
 * @param {Source} source @param {string} format @param {number} words @param {string[]} units ids of what was chosen
 */
export async function exported(source, format, words, units, signal) {
  const options = { words, group: true, units };
  const answer = await ask(`/v1/exports?format=${format}`, { ...post(source, options), signal });
  const [, name] = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition")) ?? [];
  return { file: await answer.blob(), name: name ?? `summary.${format}` };
}

function post(source, options = {}) {
  const { file, ...rest } = source;
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

async function ask(address, options) {
  const answer = await fetch(address, options).catch((error) => {
    throw error.name === "AbortError" ? error : new Unreached();
  });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw new Refused(problem.detail ?? problem.title ?? `${answer.status} ${answer.statusText}`);
}
