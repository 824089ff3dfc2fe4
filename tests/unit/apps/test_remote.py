"""Workers on other machines do the same as here, or refuse to work."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys

import pytest

from lexlattice import LexLatticeError, __version__
from lexlattice.apps.bulk.records import Record
from lexlattice.apps.bulk.remote import set_up
from lexlattice.apps.bulk.tasks import Score, row_of


def test_a_machine_with_the_same_code_and_weights_loads_the_task() -> None:
    task = Score(None, model=None)
    set_up(pickle.loads(pickle.dumps(task)), __version__)
    assert json.loads(row_of(Record("a.txt", b"Article 1\n\nBees are free.\n")))["weights"] == task.weights


def test_a_machine_with_another_version_is_refused() -> None:
    with pytest.raises(LexLatticeError) as error:
        set_up(Score(None, model=None), "0.0.0")
    assert "0.0.0" in str(error.value) and __version__ in str(error.value)


def test_a_machine_with_other_weights_is_refused() -> None:
    task = Score(None, model=None)
    task.__dict__["weights"] = "other"  # as it would arrive from a machine that has other ones
    with pytest.raises(LexLatticeError) as error:
        set_up(pickle.loads(pickle.dumps(task)), __version__)
    assert "other" in str(error.value)


def test_no_process_of_a_remote_worker_imports_ray() -> None:
    """Importing it takes a second and 60 MB in each of them."""
    code = "import sys, lexlattice.apps.bulk.remote; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ)).returncode == 0
