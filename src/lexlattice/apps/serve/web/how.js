// How it was chosen: the lattice and the steps of the automaton.

export function initHow() {}
