// The contents: a tree of divisions and articles, with stars and the current place.

export function initContents() {}
