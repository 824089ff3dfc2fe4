// Search in the act.

export function initSearch() {}
