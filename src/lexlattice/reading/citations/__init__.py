"""How provisions are cited: citation forms, finding a provision by its citation, cross-references, definitions."""
