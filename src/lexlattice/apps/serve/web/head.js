// The head of the summary: title, facts, status and notices.

export function initHead() {}
