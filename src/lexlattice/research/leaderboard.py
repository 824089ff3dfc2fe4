"""The leaderboard: any systems on the gold annotations, under the same rules, as a table that can be cited.

Every system has the length of the official summary, every annotated act counts, and the texts of the acts are checked
to be those that were annotated. `lexlattice leaderboard` prints it; docs/gold.md explains it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lexlattice import __version__
from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.errors import DataError, OptionError
from lexlattice.evaluation import Evaluation, evaluate
from lexlattice.evaluation.extracts import read_extracts
from lexlattice.evaluation.gold import Edition, Gold, edition, load_gold, texts_digest
from lexlattice.evaluation.measure import MEANING, VERBATIM
from lexlattice.evaluation.points import MEANINGS
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.evaluation.sources import SPLIT
from lexlattice.evaluation.systems import EXTRACTS, ORACLES, OURS, WITHOUT_BUDGET, Summarize, named_systems
from lexlattice.research.experiments.tables import Cell, Column, Source, Table, row, to_latex

ALWAYS: Final = (OURS, "lead", "random", "lexrank", "oracle", "gold")
"""Systems that are in every leaderboard: the shipped model, baselines, and those that see the summary."""
_MEANING: Final = dict(zip(MEANINGS, ("points", "precision", "F1"), strict=True))
_ROUGE: Final = {"rouge1": "R-1", "rouge2": "R-2"}
"""The measures, with the names of their columns."""
_TOKENIZER: Final = TOKENIZERS[0]
_SEED: Final = 0
_ABOUT: Final = (
    "Points: the weighted share of the official summary's points that the extract states. Precision: the share of its "
    "words that belong to the annotation. F1: their harmonic mean, act by act. Verbatim: the share of its words that "
    "the act has, in the same order. In italics: systems that see the summary or the annotation. The annotations were "
    "made by a large language model under written rules; no lawyer has checked them."
)
_BIBTEX: Final = """\
@software{{lexlattice,
  author  = {{{{The LexLattice authors}}}},
  title   = {{LexLattice}},
  version = {{{version}}},
  url     = {{https://github.com/lexlattice/lexlattice}},
  note    = {{{annotations}}}
}}

@inproceedings{{eur-lex-sum,
  author    = {{Aumiller, Dennis and Chouhan, Ashish and Gertz, Michael}},
  title     = {{{{EUR-Lex-Sum}}: A Multi- and Cross-lingual Dataset for Long-form Summarization in the Legal Domain}},
  booktitle = {{Proceedings of the 2022 Conference on Empirical Methods in Natural Language Processing}},
  year      = {{2022}}
}}
"""


@dataclass(frozen=True)
class Leaderboard:
    """The results of systems on the gold annotations."""

    evaluation: Evaluation
    edition: Edition
    against: str
    """The system that the others are compared with."""
    oracles: frozenset[str]
    """The systems that see the summary or the annotation."""
    command: str

    @property
    def ranking(self) -> list[str]:
        """The systems by F1, best first; those that see the summary or the annotation come last."""
        systems = self.evaluation.systems
        return sorted(systems, key=lambda name: (name in self.oracles, -systems[name][MEANING]["f1"]))

    @property
    def annotations(self) -> str:
        """Which annotations were used, in words."""
        version = f" {self.edition.version}" if self.edition.version else ""
        return f"gold annotations{version}, {self.edition.name}, sha256 {self.edition.sha256[:12]}"

    @property
    def bibtex(self) -> str:
        """What to cite: the software with the annotations, and the acts and summaries."""
        return _BIBTEX.format(version=__version__, annotations=self.annotations[0].upper() + self.annotations[1:])

    @property
    def tables(self) -> list[Table]:
        """The scores, and the differences from one system with their tests."""
        return [self._scores(), self._differences()]

    def to_markdown(self) -> str:
        """Both tables, and what to cite."""
        return "\n".join([*(table.to_markdown() for table in self.tables), f"```bibtex\n{self.bibtex}```\n"])

    def to_latex(self) -> str:
        """Both tables as floats; what to cite is in comments."""
        cited = "".join(f"% {line}".rstrip() + "\n" for line in self.bibtex.splitlines())
        labels = ("leaderboard", "leaderboard-differences")
        return "\n".join([*map(to_latex, self.tables, labels), cited])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON types, with full precision."""
        return {
            "lexlattice": __version__,
            "gold": self.edition._asdict(),
            "command": self.command,
            "against": self.against,
            "ranking": self.ranking,
            **self.evaluation.to_dict(),
            "bibtex": self.bibtex,
        }

    def _scores(self) -> Table:
        columns = [Column(name, digits=1) for name in (*_MEANING.values(), *_ROUGE.values())]
        rows = []
        for name in self.ranking:
            system = self.evaluation.systems[name]
            measured = [(system[MEANING], measure) for measure in MEANINGS]
            measured += [(system[_TOKENIZER], measure) for measure in _ROUGE]
            figures = [Cell(scores[measure], tuple(scores["ci"][measure])) for scores, measure in measured]
            others = (system["words"], system[MEANING][VERBATIM])
            rows.append(row(name, *figures, *others, competes=name not in self.oracles))
        return Table(
            f"Leaderboard, {self.edition.name}",
            "Points, precision and F1 × 100 against gold annotations, and ROUGE F1 × 100, at the length of the "
            "official summary.",
            (*columns, _aside("words"), _aside("verbatim, %")),
            tuple(rows),
            self._source,
            " ".join(filter(None, (_ABOUT, self._counted()))),
            paper="The paper has no such measure.",
        )

    def _counted(self) -> str:
        """In how many acts extracts were cut or missing."""
        systems, acts = self.evaluation.systems, self.evaluation.acts
        said = {"over": "Cut to the length", "empty": "Without an extract, which counts as zero"}
        parts = []
        for key, what in said.items():
            if found := [f"{name} in {systems[name][key]} of {acts} acts" for name in systems if systems[name][key]]:
                parts.append(f"{what}: {', '.join(found)}.")
        return " ".join(parts)

    def _differences(self) -> Table:
        compared = {
            (item["system"], item["measure"]): item
            for item in self.evaluation.comparisons
            if item["against"] == self.against and item["tokenizer"] == MEANING
        }
        rows = []
        for name in self.ranking:
            if name != self.against:
                found = [compared[name, measure] for measure in MEANINGS]
                cells = [(Cell(item["difference"], tuple(item["ci"])), _p(item["p_wilcoxon"])) for item in found]
                rows.append(row(name, *(cell for pair in cells for cell in pair), competes=name not in self.oracles))
        return Table(
            f"Differences from {self.against}, {self.edition.name}",
            "Differences × 100 on the same acts, and two-sided p-values of Wilcoxon's signed-rank test.",
            tuple(column for name in _MEANING.values() for column in (_aside(name, signed=True), _aside("p"))),
            tuple(rows),
            self._source,
            "The tests are not corrected for their number.",
            paper="The paper has no such measure.",
            interval="95 % paired bootstrap interval over acts",
        )

    @property
    def _source(self) -> Source:
        data = f"EUR-Lex-Sum and {self.annotations}, with LexLattice {__version__}"
        return Source(self.command, data, (_SEED,), self.evaluation.acts)


def leaderboard(
    data: str | os.PathLike[str] | Sequence[Mapping[str, object]],
    systems: str | Iterable[str] | Mapping[str, str | Summarize] = (),
    *,
    gold: str | os.PathLike[str] = SPLIT,
    against: str = OURS,
    jobs: int = 1,
    per_act: str | os.PathLike[str] | None = None,
    progress: bool = False,
    note: Callable[[str], object] = lambda sentence: None,
) -> Leaderboard:
    """Compare systems with those of `ALWAYS` on all annotated acts.

    Args:
        data: EUR-Lex-Sum's split with the annotated acts: a file, a saved data set, `hf:NAME`, or rows.
        systems: The systems to add: names, `NAME=SYSTEM`, or a mapping from names to names or callables (`evaluate`).
        gold: `validation` or `train`, or a file of annotations.
        against: The system that the others are compared with.
        jobs: Worker processes.
        per_act: A file for the results of every act, one JSON object per line.
        progress: Show a progress bar.
        note: Called with messages, such as that a file has extracts of other acts.

    Raises:
        OptionError: A system is unknown or does not keep to a length.
        DataError: An annotated act is missing, or is not the text that was annotated.

    """
    added = systems if isinstance(systems, Mapping) else named_systems(_split(systems))
    every = {**added, **{name: name for name in ALWAYS if name not in added}}
    if free := [name for name, system in every.items() if system in WITHOUT_BUDGET]:
        raise OptionError(f"The system '{free[0]}' has a length of its own; name systems that keep to a given one.")
    if disguised := [name for name, system in added.items() if name in ALWAYS and system != name]:
        raise OptionError(f"'{disguised[0]}' is the name of another system; call yours differently.")
    if against not in every:
        raise OptionError(f"There is no system '{against}' to compare with; choose one of: {', '.join(every)}.")
    annotations, which = {one.celex: one for one in load_gold(str(gold))}, edition(str(gold))
    _check_acts(data, annotations, which)
    for name, system in added.items():
        if isinstance(system, str) and system.startswith(EXTRACTS):
            _check_extracts(name, system.removeprefix(EXTRACTS), annotations, note)
    result = evaluate(
        data,
        {against: every[against], **every},
        tokenizers=_TOKENIZER,
        seed=_SEED,
        jobs=jobs,
        split=which.name if which.version else SPLIT,
        per_act=per_act,
        gold=annotations.values(),
        progress=progress,
        note=note,
    )
    if result.acts != len(annotations):
        reason = f" (line {result.skipped[0]['line']}: {result.skipped[0]['reason']})" if result.skipped else ""
        raise DataError(f"Only {result.acts} of {len(annotations)} annotated acts could be evaluated{reason}.")
    oracles = frozenset(name for name, system in every.items() if system in ORACLES)
    return Leaderboard(result, which, against, oracles, _command(data, added, gold, against))


def _split(systems: str | Iterable[str]) -> list[str]:
    parts = systems.split(",") if isinstance(systems, str) else systems
    return [part.strip() for part in parts if part.strip()]


def _check_acts(data: Any, annotations: Mapping[str, Gold], which: Edition) -> None:
    """Check that each annotated act is in the data once, with the text that was annotated."""
    texts: dict[str, str] = {}
    for found in Rows(data, split=which.name if which.version else SPLIT):
        if isinstance(found, Row) and found.celex in annotations:
            if found.celex in texts:
                raise DataError(f"The data have {found.celex} twice; every act counts once.")
            texts[found.celex] = found.text
    if missing := [celex for celex in annotations if celex not in texts]:
        raise DataError(
            f"The data lack {len(missing)} of {len(annotations)} annotated acts, such as {missing[0]}; "
            f"give EUR-Lex-Sum's English {which.name} split."
        )
    if which.acts_sha256 and texts_digest(texts) != which.acts_sha256:
        raise DataError("The acts are not the texts that were annotated; give EUR-Lex-Sum's field reference unchanged.")


def _check_extracts(name: str, path: str, annotations: Mapping[str, Gold], note: Callable[[str], object]) -> None:
    extracts = read_extracts(path)
    if not extracts.keys() & annotations.keys():
        raise DataError(f"'{path}' has no extract of an annotated act; check its CELEX numbers.")
    if others := [celex for celex in extracts if celex not in annotations]:
        note(f"{name}: {len(others)} extracts are of acts that are not annotated, such as {others[0]}, and are ignored")


def _command(data: object, added: Mapping[str, object], gold: object, against: str) -> str:
    """The command that makes the same leaderboard."""
    given = [
        f"{name}={system}" if system != name and isinstance(system, str) else name for name, system in added.items()
    ]
    where = str(data) if isinstance(data, str | os.PathLike) else "DATA"
    return shlex.join(
        [
            *("lexlattice", "leaderboard", where),
            *(["--system", ",".join(given)] if given else []),
            *(["--gold", str(gold)] if str(gold) != SPLIT else []),
            *(["--against", against] if against != OURS else []),
        ]
    )


def _aside(name: str, *, signed: bool = False) -> Column:
    """A column without a best figure."""
    return Column(name, best=None, digits=1 if signed else 0, is_signed=signed)


def _p(value: float) -> str:
    return f"{value:.1e}" if value < 0.001 else f"{value:.3f}"
