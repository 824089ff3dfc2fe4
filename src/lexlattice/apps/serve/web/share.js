// Share, copy, print and export the summary.

export function initShare() {}
