"""Runs on a real Ray cluster of several nodes, whose processes are killed: the same rows as without it, each once."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from test_corpus import command, corpus, lines, without_times

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("LEXLATTICE_KILLS", "200")) // 20
"""How many nodes, actors and worker processes are killed during one run."""
HOST = "127.0.0.1"
STORE = 80_000_000
"""Bytes of each node's object store, nearly the least that Ray accepts."""
ENVIRONMENT = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
QUICK = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 500, "health_check_failure_threshold": 3}
"""Dead nodes are noticed after two seconds instead of fifteen."""
TESTS = Path(__file__).parent


class Nodes:
    """A head without CPUs, and nodes with one each, all on this machine, in processes of their own."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        common = {"object_store_memory": STORE, "node_ip_address": HOST}
        head = {"num_cpus": 0, "include_dashboard": False, "_system_config": QUICK, **common}
        self.cluster = Cluster(initialize_head=True, head_node_args=head, shutdown_at_exit=True)
        self._add = partial(self.cluster.add_node, wait=False, num_cpus=1, **common)
        self.nodes: list[Any] = []

    def add(self) -> None:
        self.nodes.append(self._add())

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    @property
    def session(self) -> Path:
        return Path(self.cluster.head_node.get_session_dir_path())

    def kill(self, node: Any) -> None:
        """Kill a node as if its machine lost power: none of its processes has time to say goodbye."""
        raylet = node.all_processes["raylet"][0].process.pid
        for number in [raylet, *descendants(raylet)]:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        if node in self.nodes:
            self.nodes.remove(node)

    def kill_head(self) -> None:
        head = self.cluster.head_node
        os.kill(head.all_processes["gcs_server"][0].process.pid, signal.SIGKILL)
        self.kill(head)

    def actors(self) -> list[int]:
        raylets = [node.all_processes["raylet"][0].process.pid for node in self.nodes]
        return [number for raylet in raylets for number in descendants(raylet) if b"RemoteWorker" in arguments(number)]

    def workers(self) -> list[int]:
        return [
            number for actor in self.actors() for number in descendants(actor) if b"spawn_main" in arguments(number)
        ]


def descendants(process: int) -> list[int]:
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found: list[int] = []
    level = {process}
    while level:
        level = {number for number, parent in parents.items() if parent in level}
        found += level
    return found


def arguments(process: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def wait_for(condition: Callable[[], Any], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(TESTS), str(TESTS.parents[1]), os.environ.get("PYTHONPATH", "")])
    )
    pytest.importorskip("ray")
    cluster = Nodes()
    try:
        yield cluster
    finally:
        cluster.cluster.shutdown()


@pytest.fixture
def acts(tmp_path: Path, examples: Path) -> Path:
    """A hundred acts, no two alike; some cannot be read."""
    text = (examples / "long" / "en.txt").read_text("utf-8")
    path = tmp_path / "acts.jsonl"
    corpus(path, (f"{number} {text}" if number % 20 else "" for number in range(100)))
    return path


def score(acts: Path, *more: str) -> Callable[[Path], list[str]]:
    return lambda folder: [*command("score", acts, "--shard", "10", "--quiet", "-o", folder), *more]


def on_ray(nodes: Nodes, jobs: int = 3) -> tuple[str, ...]:
    return ("-j", str(jobs), "--engine", "ray", "--address", nodes.address)


def check_same(folder: Path, expected: Path, rows: int, dead: int) -> None:
    found = without_times(lines(folder))
    assert found == without_times(lines(expected))
    letters = lines(folder, "__run__/dead-letters.jsonl")
    assert letters == lines(expected, "__run__/dead-letters.jsonl")
    assert (len(found), len(letters)) == (rows, dead)


def test_a_cluster_of_this_machine_gives_the_same_rows_bit_for_bit_and_the_same_dead_letters(
    tmp_path: Path, examples: Path
) -> None:
    pytest.importorskip("ray")
    (tmp_path / "acts").mkdir()
    for name in ("bg", "el", "en", "mt", "sv"):
        (tmp_path / "acts" / f"{name}.txt").write_bytes((examples / "short" / f"{name}.txt").read_bytes())
    (tmp_path / "acts" / "empty.txt").write_bytes(b"")
    shutil.copytree(examples / "formats" / "act.fmx4", tmp_path / "acts" / "formex")
    call = partial(command, "summarize", tmp_path / "acts", "--shard", "2", "--quiet", "-j", "2", "-o")
    assert subprocess.run(call(tmp_path / "local"), capture_output=True).returncode == 1
    for _ in range(2):  # the second time all is done already
        done = subprocess.run([*call(tmp_path / "ray"), "--engine", "ray"], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (1, ""), done.stderr
        check_same(tmp_path / "ray", tmp_path / "local", 6, 1)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(3))
def test_nodes_actors_and_workers_killed_at_random_change_no_row(
    tmp_path: Path, acts: Path, nodes: Nodes, seed: int
) -> None:
    call = score(acts)
    assert subprocess.run([*call(tmp_path / "local"), "-j", "2"], capture_output=True).returncode == 1
    for _ in range(3):
        nodes.add()
    draw = random.Random(seed)
    killed = dict.fromkeys(("node", "actor", "worker"), 0)
    returning: list[float] = []
    log = tmp_path / "log.jsonl"
    process = subprocess.Popen(
        [*call(tmp_path / "ray"), *on_ray(nodes), "--log", str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    runs = 1
    try:
        while True:
            if process.poll() is not None:
                if sum(killed.values()) >= KILLS:
                    break
                assert process.returncode == 1, process.communicate()
                draw.choice(sorted((tmp_path / "ray").glob("shard-*"))).unlink()  # so that there is something to do
                process = subprocess.Popen(process.args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                runs += 1
            time.sleep(draw.uniform(0.2, 1.5))
            while returning and returning[0] < time.monotonic():
                returning.pop(0)
                nodes.add()
            if sum(killed.values()) < KILLS:
                kind = draw.choice(list(killed))
                killed[kind] += kill_one(nodes, kind, draw)
                returning += [time.monotonic() + draw.uniform(0, 6)] * (3 - len(nodes.nodes) - len(returning))
        output, errors = process.communicate()
        assert (process.returncode, output) == (1, b""), errors
    finally:
        process.kill()
    print(f"\nkilled {killed} in {runs} runs; {sum_of_restarts(log)} acts were processed again", file=sys.__stderr__)
    check_same(tmp_path / "ray", tmp_path / "local", 95, 5)


def kill_one(nodes: Nodes, kind: str, draw: random.Random) -> bool:
    """Kill one of a kind, if there is any."""
    if kind == "node":
        if not nodes.nodes:
            return False
        nodes.kill(draw.choice(nodes.nodes))
        return True
    found = nodes.actors() if kind == "actor" else nodes.workers()
    if not found:
        return False
    with suppress(ProcessLookupError):
        os.kill(draw.choice(found), signal.SIGKILL)
        return True
    return False


def sum_of_restarts(log: Path) -> int:
    events = (json.loads(line) for line in log.open())
    return sum(event.get("restarts", 0) for event in events if event["event"] == "end")


def test_the_command_killed_resumes_and_leaves_no_process(tmp_path: Path, acts: Path, nodes: Nodes) -> None:
    call = score(acts, *on_ray(nodes, 2))
    assert subprocess.run([*score(acts)(tmp_path / "local"), "-j", "2"], capture_output=True).returncode == 1
    nodes.add()
    nodes.add()
    process = subprocess.Popen(call(tmp_path / "ray"))
    wait_for(lambda: len(list((tmp_path / "ray").glob("shard-*.jsonl"))) > 2)
    workers = nodes.workers()
    process.kill()
    process.wait()
    assert workers
    wait_for(lambda: not any(b"spawn_main" in arguments(number) for number in workers))
    assert len(lines(tmp_path / "ray")) < 95
    assert subprocess.run(call(tmp_path / "ray"), capture_output=True).returncode == 1
    check_same(tmp_path / "ray", tmp_path / "local", 95, 5)


def test_a_cluster_that_goes_away_is_reported_in_one_sentence_and_the_run_resumes(
    tmp_path: Path, acts: Path, nodes: Nodes
) -> None:
    nodes.add()
    call = score(acts, *on_ray(nodes, 1))
    process = subprocess.Popen(call(tmp_path / "ray"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: list((tmp_path / "ray").glob("shard-*.jsonl")))
    nodes.kill_head()
    nodes.kill(nodes.nodes[0])  # the run would go on without the head, for a while
    output, errors = process.communicate(timeout=120)
    assert (process.returncode, output) == (2, ""), errors
    assert [line.startswith("lexlattice: ") for line in errors.splitlines()] == [True], errors
    for folder in ("local", "ray"):
        ended = subprocess.run([*score(acts)(tmp_path / folder), "-j", "2"], capture_output=True)
        assert ended.returncode == 1
    check_same(tmp_path / "ray", tmp_path / "local", 95, 5)


def test_an_address_where_nothing_listens_is_reported_in_one_sentence(tmp_path: Path, acts: Path) -> None:
    pytest.importorskip("ray")
    done = subprocess.run(
        [*score(acts)(tmp_path / "out"), "--engine", "ray", "--address", f"{HOST}:9"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


# --- Runs of a small task, by the library

_RUN = """
import sys
from test_corpus import Count, Inputs, Limits, Subset, run
from lexlattice.apps.bulk.engines import LocalEngine, RayEngine
from lexlattice.errors import LexLatticeError

engine = RayEngine(2, {address!r}) if {address!r} else LocalEngine(2)
try:
    run(Count(None), Subset(Inputs(({path!r},))), {folder!r}, engine, Limits({seconds!r}, 1_500_000_000))
except LexLatticeError as error:
    sys.exit(str(error))
"""


def start(path: Path, folder: Path, address: str | None, seconds: float = 60) -> subprocess.Popen[str]:
    code = _RUN.format(address=address, path=str(path), folder=str(folder), seconds=seconds)
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)


def test_acts_that_break_their_process_become_the_same_dead_letters(tmp_path: Path, nodes: Nodes) -> None:
    corpus(tmp_path / "a.jsonl", ["a", "dies", "bb", "fails", "sleeps", "ccc", "hoards", "", "dddd"])
    nodes.add()
    nodes.add()
    for folder, address in (("local", None), ("ray", nodes.address)):
        process = start(tmp_path / "a.jsonl", tmp_path / folder, address, seconds=3)
        errors = process.communicate()[1]
        assert process.returncode == 0, errors
    check_same(tmp_path / "ray", tmp_path / "local", 4, 5)


def test_many_large_acts_pass_through_a_small_object_store(tmp_path: Path, nodes: Nodes) -> None:
    """Acts of 8 MB, 480 in total, and one that is larger than the object store."""
    inputs = tmp_path / "a.jsonl.gz"
    sizes = [8_000_000] * 60
    sizes[30] = 90_000_000
    with gzip.open(inputs, "wb", 1) as file:
        for size in sizes:
            file.write(b'{"reference": "' + b"a" * size + b'"}\n')
    nodes.add()
    nodes.add()
    process = start(inputs, tmp_path / "ray", nodes.address)
    peak = spilled = largest = 0
    while process.poll() is None:
        raylets = [node.all_processes["raylet"][0].process.pid for node in (nodes.cluster.head_node, *nodes.nodes)]
        peak = max(peak, *(memory(raylet, "RssShmem") for raylet in raylets))
        files = [path for path in nodes.session.glob("*spill*/**/*") if path.is_file()]
        spilled = max(spilled, sum(path.stat().st_size for path in files))
        largest = max(largest, *(memory(number, "VmRSS") for number in (process.pid, *descendants(process.pid))))
        time.sleep(0.1)
    assert (process.communicate()[1], process.returncode) == ("", 0)
    assert [row["letters"] for row in lines(tmp_path / "ray")] == sizes
    print(f"\nstore {peak:,}, spilled {spilled:,}, largest process {largest:,}", file=sys.__stderr__)
    assert peak < 1.05 * STORE
    assert spilled < 2 * STORE
    assert largest < 700_000_000


def memory(process: int, name: str) -> int:
    """Return an entry of a process's status, in bytes."""
    with suppress(OSError, IndexError):
        return 1024 * int(Path(f"/proc/{process}/status").read_text().split(f"{name}:")[1].split()[0])
    return 0
