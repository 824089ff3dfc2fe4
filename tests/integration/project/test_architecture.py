"""The import contracts of pyproject.toml hold, the package has few entries, and importing it is cheap."""

import os
import subprocess
import sys
from pathlib import Path

from helpers import ROOT

PACKAGE = ROOT / "src" / "lexlattice"
MOST_ENTRIES = 14
LONGEST_IMPORT = 5.0  # times as long as the import of `asyncio` and `http.client`; usually twice
HEAVY = {
    *"torch transformers sentence_transformers tokenizers sentencepiece onnx onnxruntime safetensors pandas".split(),
    *"matplotlib ray datasets bert_score fastapi starlette uvicorn pydantic python_multipart prometheus_client".split(),
    *"mcp docx pypdfium2 typst pyarrow nltk lxml httpx py3langid numpy tqdm threadpoolctl".split(),
}


def test_the_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_package_has_few_entries() -> None:
    entries = {path.name for path in PACKAGE.iterdir()} - {"__init__.py", "__main__.py", "__pycache__", "py.typed"}
    assert len(entries) <= MOST_ENTRIES, sorted(entries)


def python(code: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    return done.stdout.strip()


def test_importing_the_package_imports_nothing_heavy() -> None:
    loaded = python("import sys, lexlattice; print(*sys.modules)").split()
    assert "lexlattice.reading" in loaded
    assert not sorted({name.split(".")[0] for name in loaded} & HEAVY)


def test_importing_the_package_is_fast() -> None:
    """In processor time, compared with known modules on the same machine, in turns; the best of several runs."""
    code = "import time; start = time.process_time(); import {}; print(time.process_time() - start)"
    turns = [[float(python(code.format(name))) for name in ("asyncio, http.client", "lexlattice")] for _ in range(6)]
    known, own = map(min, zip(*turns, strict=True))
    assert own < LONGEST_IMPORT * known, f"importing lexlattice takes {own:.3f} s, what is known {known:.3f} s"


def test_a_summary_at_the_command_line_imports_neither_other_commands_nor_what_it_does_not_need() -> None:
    text = "Article 1\\nHives shall be registered.\\nArticle 2\\nBees are free."
    printed = python(
        "import sys, tempfile; from lexlattice.apps.cli import main\n"
        "with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:\n"
        f"    file.write('{text}'); file.flush()\n"
        "    main(['summarize', file.name, '--lang', 'en'])\n"
        "print(); print(*sys.modules)"
    )
    loaded = printed.splitlines()[-1].split()
    commands = {name for name in loaded if name.startswith("lexlattice.apps.cli.")}
    assert commands <= {f"lexlattice.apps.cli.{name}" for name in ("summarize", "common", "output_folder")}
    needed = {"numpy", "threadpoolctl"}
    assert not {"email", "csv", "numpy.ma", "lexlattice.reading.citations.lookup", *(HEAVY - needed)} & set(loaded)
