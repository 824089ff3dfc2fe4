// The act map: a bar per article, its strength by colour, stars where something was chosen.

export function initMap() {}
