"""`python -m lexlattice` is the `lexlattice` command."""

from lexlattice.apps.cli import main

raise SystemExit(main())
