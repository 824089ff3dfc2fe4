// Keyboard shortcuts and their list.

export function initKeys() {}
