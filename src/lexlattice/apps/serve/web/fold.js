// Folds letters for search: case, diacritics (also Greek tonos and final sigma), ligatures, quotation marks and dashes.

/** Letters that Unicode does not decompose. */
const LETTERS = {
  ł: "l", ø: "o", đ: "d", ð: "d", ħ: "h", ŧ: "t", ı: "i", ß: "ss", æ: "ae", œ: "oe", þ: "th", ς: "σ",
  "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-", "‑": "-",
};
const known = new Map();

function foldLetter(letter) {
  let folded = known.get(letter);
  if (folded === undefined) {
    const plain = letter.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    folded = /^\s+$/.test(plain) ? " " : (LETTERS[plain] ?? plain);
    known.set(letter, folded);
  }
  return folded;
}

/** A text without differences of case and diacritics. */
export function fold(text) {
  let folded = "";
  for (const letter of text) folded += foldLetter(letter);
  return folded;
}

/**
 * A folded text, and the position in the original of each of its letters; null if all are where they were.
 * @returns {{folded: string, positions: number[]|null}}
 */
export function foldWithPositions(text) {
  let folded = "";
  let isSame = true;
  for (const letter of text) {
    const plain = foldLetter(letter);
    isSame &&= plain.length === letter.length;
    folded += plain;
  }
  return { folded, positions: isSame ? null : positionsOf(text) };
}

function positionsOf(text) {
  const positions = [];
  let at = 0;
  for (const letter of text) {
    for (let count = foldLetter(letter).length; count; count -= 1) positions.push(at);
    at += letter.length;
  }
  return [...positions, at];
}
