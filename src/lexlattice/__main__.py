"""`python -m lexlattice` is the `lexlattice` command."""

from lexlattice.cli import main

raise SystemExit(main())
