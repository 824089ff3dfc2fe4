// Acts opened before, kept in the browser if the user agrees.

export function initRecents() {}
