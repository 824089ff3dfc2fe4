// Two versions side by side.

export function initCompare() {}
