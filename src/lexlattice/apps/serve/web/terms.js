// Defined terms: their list, and their definitions on hover.

export function initTerms() {}
