// The length of the summary: presets, slider, and articles only.

export function initLength() {}
