"""The rules of docs/architecture.md: who may import whom, and what `import lexlattice` may cost."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "lexlattice"
READING = "lexlattice.reading"
BACK_ENDS = {f"{READING}.{name}" for name in ("text", "html", "formex", "akoma", "pdf", "docx")}
SECOND_HALVES = {
    f"{READING}.{name}"
    for name in (
        *("formex_lines", "formex_marks", "formex_notes", "akoma_marks", "docx_numbering", "pdf_words", "pdf_lines"),
        *("pdf_columns", "pdf_furniture", "pdf_notes", "pdf_paragraphs", "pdf_tables"),
    )
}
HELPERS = {
    f"{READING}.{name}" for name in ("blocks", "numbering", "tables", "xmlsafe", "archives", "decode")
} | SECOND_HALVES
HELPERS |= {f"{READING}.{name}" for name in ("html_tables", "html_groups", "site_frame", "strangers")}
WAYS_IN = {READING, *(f"{READING}.{name}" for name in ("formats", "fetch", "addresses"))}
BIG = {*"torch transformers sentence_transformers tokenizers sentencepiece onnx onnxruntime".split()} | {
    *"safetensors pandas matplotlib ray datasets bert_score".split()
}
SERVICE = {*"fastapi starlette uvicorn pydantic multipart python_multipart prometheus_client mcp".split()}
BIG |= SERVICE
OPTIONAL = BIG | {"docx", "pypdfium2", "reportlab", "typst", "tulit", "pyarrow", "nltk", "rouge_score", "scipy"}
HEAVY = BIG | {
    "docx",
    "pypdfium2",
    "typst",
    "pyarrow",
    "nltk",
    "lxml",
    "httpx",
    "py3langid",
    "numpy",
    "tqdm",
    "threadpoolctl",
}
ABOVE = {
    "tokens": {"errors"},
    "notebook": {"act", "blocks", "summary"},
    "corpus": {"errors", "act", "reading"},
    "quiet": set(),
    "threads": set(),
    "imports": {"errors"},
    "worker": {"errors"},
    "metrics": {"errors", "tokens", "quiet"},
    "selection": {"errors", "tokens", "act", "reading", "grouping"},
    "baselines": {"errors", "tokens", "act", "quiet"},
    "weights": {"errors"},
    "files": {"errors"},
    "encoding": {"errors", "files", "weights", "quiet", "imports", "threads"},
    "lattice": {"errors", "act", "weights", "grouping", "selection", "threads", "encoding.protocol"},
    "features": {"errors", "act", "tokens"},
    "coverage": {"errors", "features"},
    "salience": {"errors", "weights", "lattice", "features", "coverage"},
    "summary": {"act", "selection", "blocks", "notebook", "rendering"},
    "blocks": {"act", "phrases", "reading", "selection", "summary"},
    "explaining": {"act", "features", "lattice", "salience", "summary"},
    "grouping": {"act", "phrases"},
    "phrases": set(),
    "standing": {"act", "phrases"},
    "rendering": {"errors", "files", "act", "blocks", "phrases", "selection", "standing", "summary"},
    "plotting": {"errors", "files", "act"},
    "summarizer": {
        *"errors act reading encoding weights lattice features coverage salience selection".split(),
        *"explaining files grouping standing summary".split(),
    },
    "projection": {"act", "selection"},
    "alignment": {"act", "projection"},
    "versions": {*"errors act reading encoding features alignment selection grouping standing summary".split()},
    "learning": {
        *"errors files act tokens reading encoding lattice features coverage salience selection metrics".split(),
        *("weights", "corpus", "evaluation.gold", "evaluation.meaning"),
    },
    "client": {"errors", "act"},
    "serving": {
        *"errors act reading features selection grouping phrases summary summarizer rendering".split(),
        *("versions", "worker", "standing", "blocks"),
    },
    "llm": {"errors", "files"},
    "judging": {"errors", "files", "metrics", "llm"},
    "rewriting": {*"errors files act reading summary phrases rendering llm".split()},
    "experiments": {
        *"errors files tokens act reading corpus metrics selection projection summarizer plotting learning".split(),
        *("evaluation", "llm", "judging"),
    },
    "bulk": {
        *"errors files act tokens reading corpus encoding selection summarizer evaluation worker".split(),
    },
    "evaluation": {
        *"errors tokens act reading encoding weights lattice selection summarizer metrics baselines learning".split(),
        *("corpus", "llm", "imports", "versions"),
    },
}
"""For each room that is not on the way from file to act, the rooms it may know."""
TRANSFORMERS = {f"lexlattice.encoding.{name}" for name in ("mt5", "export", "sentence_transformers")} | {
    *(f"lexlattice.baselines.external.{name}" for name in ("hub", "llm", "seq2seq", "translation", "windows")),
    "lexlattice.metrics.bertscore",
}
"""These run PyTorch models, and import it when they are asked to."""
LONGEST_IMPORT = 0.15  # seconds


class Import(NamedTuple):
    """A module that another one imports, and whether it does so as soon as it is imported itself."""

    module: str
    eager: bool


def imports(path: Path, name: str) -> Iterator[Import]:
    """Every import in a file, those inside functions too; what only type checkers see is not eager."""
    package = name if path.stem == "__init__" else name.rpartition(".")[0]

    def walk(node: ast.AST, eager: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, eager) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], *filter(None, [base])])
            for alias in node.names:
                if alias.name == "__version__":
                    continue  # a string, which leads nowhere
                inside = f"{base}.{alias.name}"
                yield Import(inside if inside in MODULES else base, eager)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            yield from chain.from_iterable(walk(child, False) for child in node.body)
            yield from chain.from_iterable(walk(child, eager) for child in node.orelse)
        else:
            lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from walk(child, eager and not lazy)

    yield from walk(ast.parse(path.read_text("utf-8")), True)


def module_name(path: Path) -> str:
    parts = ["lexlattice", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
IMPORTS = {name: list(imports(path, name)) for name, path in MODULES.items()}
PARSER = {name for name in MODULES if name.startswith(READING)} - BACK_ENDS - HELPERS - WAYS_IN


def ours(name: str) -> set[str]:
    """The modules of this package that a module imports, anywhere in it."""
    return {target.module for target in IMPORTS[name] if target.module.split(".")[0] == "lexlattice"}


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def test_the_rooms_are_where_the_rules_look_for_them() -> None:
    assert set(MODULES) >= {"lexlattice.act", "lexlattice.errors"} | BACK_ENDS | HELPERS | WAYS_IN
    assert set(MODULES) >= {f"{READING}.{name}" for name in ("grammar", "numbering", "outline", "draft", "units")}
    behind_formats = ours(f"{READING}.formats") - HELPERS - {"lexlattice.errors"}
    assert behind_formats == BACK_ENDS, "add a new back-end to BACK_ENDS and to docs/architecture.md"


def test_imports_are_found_wherever_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "sample.py"
    file.write_text(
        "import os.path\nfrom . import blocks\nfrom ..act import Act\nfrom lexlattice.reading import formex\n"
        "if TYPE_CHECKING:\n    import lxml\n"
        "def f():\n    if True:\n        import torch.nn\n"
        "class C:\n    import numpy\n    def g(self):\n        from lexlattice import cli\n"
    )
    found = list(imports(file, "lexlattice.reading.sample"))
    assert [target.module for target in found if target.eager] == [
        *("os.path", "lexlattice.reading.blocks", "lexlattice.act", "lexlattice.reading.formex", "numpy"),
    ]
    lazy = [target.module for target in found if not target.eager]
    assert lazy[:2] == ["lxml", "torch.nn"]
    assert lazy[2].startswith("lexlattice")


@pytest.mark.parametrize("name", ["lexlattice.errors", f"{READING}.blocks"])
def test_the_ground_floor_imports_nothing_of_ours(name: str) -> None:
    assert ours(name) <= {"lexlattice.errors"}


def test_an_act_asks_others_only_when_it_is_asked_itself() -> None:
    """Finding by citation, references and definitions need words of 24 languages; notebooks need HTML."""
    eager = {target.module for target in IMPORTS["lexlattice.act"] if target.eager}
    assert {name for name in eager if within(name, "lexlattice")} == {"lexlattice.errors"}
    asked = {f"{READING}.{name}" for name in ("lookup", "references", "definitions")}
    assert ours("lexlattice.act") <= {"lexlattice.errors", "lexlattice.notebook", *asked}


@pytest.mark.parametrize("name", [name for name in MODULES if within(name, READING)])
def test_reading_knows_acts_and_errors_and_no_other_room(name: str) -> None:
    others = {m for m in ours(name) if not within(m, READING)}
    assert others <= {"lexlattice.act", "lexlattice.errors"}


def test_readers_of_lines_share_the_draft_and_never_know_the_pass_that_calls_them() -> None:
    readers = {name for name in MODULES if f"{READING}.draft" in ours(name)} - {f"{READING}.outline"}
    assert len(readers) > 5
    assert not {name for name in readers if f"{READING}.outline" in ours(name)}


@pytest.mark.parametrize("room", ABOVE)
def test_a_room_knows_only_those_above_it(room: str) -> None:
    inside = [name for name in MODULES if within(name, f"lexlattice.{room}")]
    assert inside
    known = [f"lexlattice.{other}" for other in {room, *ABOVE[room]}]
    strangers = {(name, m) for name in inside for m in ours(name) if not any(within(m, other) for other in known)}
    assert not strangers


def test_every_room_has_its_rule() -> None:
    rooms = {name.split(".")[1] for name in MODULES if "." in name}
    assert rooms - set(ABOVE) == {"act", "errors", "reading", "cli", "__main__"}


@pytest.mark.parametrize("name", sorted(BACK_ENDS))
def test_a_back_end_knows_nothing_of_law(name: str) -> None:
    assert ours(name) <= HELPERS | {"lexlattice.errors"}


@pytest.mark.parametrize("name", sorted(PARSER))
def test_the_parser_knows_no_format(name: str) -> None:
    assert not ours(name) & (BACK_ENDS | WAYS_IN | {f"{READING}.xmlsafe", f"{READING}.decode"})


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("xmlsafe", ["blocks", "archives"]),
        ("archives", ["blocks"]),
        ("numbering", []),
        ("decode", ["identify", "grammar"]),
        ("fetch", ["addresses"]),
        ("addresses", []),
    ],
)
def test_what_serves_back_ends_knows_little(name: str, known: list[str]) -> None:
    assert ours(f"{READING}.{name}") <= {"lexlattice.errors", *(f"{READING}.{other}" for other in known)}


def test_nothing_imports_the_command_line() -> None:
    shells = {name for name in MODULES if within(name, "lexlattice.cli")} | {"lexlattice.__main__"}
    assert not [name for name in set(MODULES) - shells if ours(name) & shells]


def test_torch_stays_in_learning_and_in_encoders_of_others() -> None:
    users = {name for name, targets in IMPORTS.items() for t in targets if within(t.module, "torch")}
    assert {name for name in users if not within(name, "lexlattice.learning")} <= TRANSFORMERS


@pytest.mark.parametrize("name", ["lexlattice.summarizer", "lexlattice.projection", "lexlattice.lattice"])
def test_what_is_shipped_runs_without_what_trains_it(name: str) -> None:
    reached, ahead = set(), [name]
    while ahead:
        module = ahead.pop()
        reached.add(module)
        ahead += [m for m in ours(module) if m not in reached and m not in TRANSFORMERS]
    assert "lexlattice.act" in reached
    assert not [module for module in reached if within(module, "lexlattice.learning")]


def test_optional_dependencies_are_imported_late() -> None:
    eager = {
        (name, target.module)
        for name, targets in IMPORTS.items()
        for target in targets
        if target.eager and target.module.split(".")[0] in OPTIONAL
        if not (within(name, "lexlattice.learning") and within(target.module, "torch"))
        if not (within(name, "lexlattice.serving") and target.module.split(".")[0] in SERVICE)
        if name != "lexlattice.bulk.on_ray"  # which is itself imported late
    }
    assert not eager


def test_what_a_service_needs_stays_in_serving() -> None:
    users = {name for name, targets in IMPORTS.items() for t in targets if t.module.split(".")[0] in SERVICE}
    assert {name for name in users if not within(name, "lexlattice.serving")} == set()


@pytest.mark.parametrize("name", ["", ".settings", ".work", ".jobs", ".view"])
def test_what_workers_run_needs_none_of_it(name: str) -> None:
    assert not {t.module for t in IMPORTS[f"lexlattice.serving{name}"] if t.module.split(".")[0] in SERVICE}


# --- what importing costs ---------------------------------------------------------------------------------


def python(code: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    return done.stdout.strip()


def test_importing_the_package_imports_nothing_heavy() -> None:
    loaded = python("import sys, lexlattice; print(*sys.modules)").split()
    assert "lexlattice.reading" in loaded
    assert not sorted({name.split(".")[0] for name in loaded} & HEAVY)


def test_importing_the_package_is_fast() -> None:
    """In processor time, so that a busy machine does not count; the best of several runs."""
    code = "import time; start = time.process_time(); import lexlattice; print(time.process_time() - start)"
    cost = min(float(python(code)) for _ in range(8))
    assert cost < LONGEST_IMPORT, f"importing lexlattice takes {cost:.3f} s"
