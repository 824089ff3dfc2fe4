// Cross-references, recitals and articles that belong together, and previews of them.

export function initLinks() {}
