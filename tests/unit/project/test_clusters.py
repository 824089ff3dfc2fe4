"""The recipes for clusters can be parsed, and use options that exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from lexlattice.apps.cli import main

RECIPES = Path(__file__).parents[3] / "examples" / "clusters"
PAGE = Path(__file__).parents[3] / "docs" / "clusters.md"
SCRIPTS = sorted(RECIPES.glob("*.sh"))
VARIABLES = {
    "CORPUS": "corpus",
    "JOBS": "64",
    "ADDRESS": "10.0.0.1:6379",
    "PART": "a.jsonl.gz",
    "SLURM_CPUS_PER_TASK": "8",
}


def commands(text: str) -> list[list[str]]:
    """Return the arguments of all calls of the command in a script or a page."""
    joined = re.sub(r"\\\n\s*", "", text)
    calls = re.findall(r"^\s*(?:srun [^\n]*?)?lexlattice (corpus [^\n]*)", joined, re.MULTILINE)
    return [shlex.split(call, comments=True) for call in calls]


def filled(argument: str) -> str:
    without_calls = re.sub(r"\$\([^)]*\)", "part", argument)
    return re.sub(r"\$\{?(\w+)\}?", lambda variable: VARIABLES[variable[1]], without_calls)


def check(call: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse a call, and check what a run checks before it starts, on an input that exists."""
    monkeypatch.chdir(tmp_path)
    arguments = [filled(argument) for argument in call]
    (tmp_path / "acts.jsonl").write_text('{"reference": "Article 1 Bees are free."}\n')
    arguments[2] = "acts.jsonl"
    assert main([*arguments, "--dry-run"]) == 0


def test_there_are_recipes_for_kubernetes_and_slurm() -> None:
    assert {path.name for path in RECIPES.iterdir()} == {
        "Dockerfile",
        "rayjob.yaml",
        "slurm-array.sh",
        "slurm-ray.sh",
    }


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_parse_and_their_commands_are_valid(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["bash", "-n", str(script)], check=True)
    assert os.access(script, os.X_OK)
    (call,) = commands(script.read_text())
    check(call, tmp_path, monkeypatch)


def test_the_manifest_parses_and_its_command_is_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = yaml.safe_load((RECIPES / "rayjob.yaml").read_text())
    assert (manifest["apiVersion"], manifest["kind"]) == ("ray.io/v1", "RayJob")
    cluster = manifest["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    containers = [container for group in groups for container in group["template"]["spec"]["containers"]]
    assert len({container["image"] for container in containers}) == 1
    (call,) = commands(manifest["spec"]["entrypoint"])
    check(call, tmp_path, monkeypatch)
    (workers,) = cluster["workerGroupSpecs"]
    cores = int(workers["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"])
    assert int(call[call.index("--jobs") + 1]) == workers["replicas"] * cores


def test_the_image_has_the_version_of_ray_that_the_manifest_names() -> None:
    version = yaml.safe_load((RECIPES / "rayjob.yaml").read_text())["spec"]["rayClusterSpec"]["rayVersion"]
    image = (RECIPES / "Dockerfile").read_text()
    assert set(re.findall(r"\d+\.\d+\.\d+", image)) == {version}


def test_the_commands_of_the_page_are_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = commands(PAGE.read_text("utf-8"))
    assert found
    for call in found:
        check(call, tmp_path, monkeypatch)
