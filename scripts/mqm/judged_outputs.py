"""Readers of judged outputs: several systems' translations of each source, with references and people's penalties (MQM).

A folder holds two corpora, both Apache-2.0:

- ``wmt-mqm/mqm_ted_{ende,zhen}.tsv.gz``: TED talks (Freitag et al. 2021; github.com/google/wmt-mqm-human-evaluation),
- ``bio-mqm/PAIR/{train,dev}.jsonl.gz``: abstracts of MEDLINE (Zouhar et al. 2024; github.com/amazon-science/bio-mqm-dataset).

The split is by document: `TALKS_HELD_OUT` and the corpus's own ``dev`` are held out of all training.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError

__all__ = ["PEOPLE", "JudgedOutput", "data_files", "groups_of", "labels_of", "read_judged_outputs"]

TALKS: Final[Mapping[str, str]] = {"en-de": "mqm_ted_ende.tsv.gz", "zh-en": "mqm_ted_zhen.tsv.gz"}
TALKS_HELD_OUT: Final[Mapping[str, frozenset[str]]] = {
    "en-de": frozenset({"talk.3", "talk.5"}),
    "zh-en": frozenset({"talk.5", "talk.7"}),
}
# Names of people's translations among those of systems. The first of a corpus is the reference.
REFERENCES: Final = ("ref", "reference")
PEOPLE: Final = frozenset({*REFERENCES, "refB", "reference_r1"})
# Penalties of errors in talks (Freitag et al. 2021, table 1).
PENALTIES: Final[Mapping[str, float]] = {"Major": 5.0, "Minor": 1.0}
PUNCTUATION: Final = 0.1


@dataclass(frozen=True)
class JudgedOutput:
    """A system's translation of a segment, its reference, and the penalty by an annotator: 0 without errors, else higher."""

    corpus: str
    direction: str
    document: str
    segment: str
    system: str
    annotator: str
    translation: str
    reference: str
    penalty: float

    @property
    def target(self) -> str:
        """Code of the target language."""
        return self.direction.partition("-")[2]


def read_judged_outputs(folder: Path, split: str) -> list[JudgedOutput]:
    """Judged outputs of the split ``train`` or ``dev``; the references themselves, and segments without one, are left out.

    InputError (``empty-input``) if the folder lacks a corpus.
    """
    outputs: list[JudgedOutput] = []
    for direction, name in TALKS.items():
        path = folder / "wmt-mqm" / name
        if not path.is_file():
            raise InputError("empty-input", f"{folder} holds no wmt-mqm/{name}")
        held_out = TALKS_HELD_OUT[direction]
        outputs += _with_references([row for row in _talks(path, direction) if (row.document in held_out) == (split == "dev")])
    paths = sorted((folder / "bio-mqm").glob(f"*/{split}.jsonl.gz"))
    if not paths:
        raise InputError("empty-input", f"{folder} holds no bio-mqm/PAIR/{split}.jsonl.gz")
    for path in paths:
        outputs += _with_references(list(_abstracts(path)))
    return outputs


def data_files(folder: Path, outputs: Sequence[JudgedOutput]) -> list[Path]:
    """Files of the training split that hold the outputs, in the order of their names."""
    directions = {(row.corpus, row.direction) for row in outputs}
    talks = {folder / "wmt-mqm" / TALKS[direction] for corpus, direction in directions if corpus == "talks"}
    return sorted(
        talks | {folder / "bio-mqm" / direction / "train.jsonl.gz" for corpus, direction in directions if corpus == "abstracts"}
    )


def groups_of(outputs: Sequence[JudgedOutput]) -> Int64s:
    """Numbers (n,) of groups: one annotator's judgements of one segment, since annotators differ in their habits."""
    keys = [(row.corpus, row.direction, row.document, row.segment, row.annotator) for row in outputs]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], np.int64)


def labels_of(outputs: Sequence[JudgedOutput]) -> Float64s:
    """Labels (n,), higher is better: -ln(1 + penalty), as z-scores of each annotator of a corpus and direction."""
    labels = -np.log1p([row.penalty for row in outputs])
    annotators = np.array(["\t".join((row.corpus, row.direction, row.annotator)) for row in outputs])
    for annotator in np.unique(annotators):
        rows = annotators == annotator
        labels[rows] = (labels[rows] - labels[rows].mean()) / (labels[rows].std() or 1.0)
    return np.asarray(labels, np.float64)


def _with_references(outputs: Sequence[JudgedOutput]) -> Iterator[JudgedOutput]:
    references: dict[tuple[str, str], str] = {}
    for row in outputs:
        if row.system in REFERENCES:
            references.setdefault((row.document, row.segment), row.translation)
    for row in outputs:
        reference = references.get((row.document, row.segment))
        if row.system not in REFERENCES and reference is not None:
            yield replace(row, reference=reference)


def _talks(path: Path, direction: str) -> list[JudgedOutput]:
    """One row per system, segment and annotator; the file has a row per error, with tags around it."""
    outputs: dict[tuple[str, str, str, str], JudgedOutput] = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        columns = next(lines).rstrip("\n").split("\t")
        for line in lines:
            row = dict(zip(columns, line.rstrip("\n").split("\t"), strict=True))
            key = row["doc"], row["seg_id"], row["system"], row["rater"]
            text = row["target"].replace("<v>", "").replace("</v>", "")
            first = outputs.get(key) or JudgedOutput("talks", direction, *key, text, "", 0.0)
            outputs[key] = replace(first, penalty=first.penalty + _penalty(row["category"], row["severity"]))
    return list(outputs.values())


def _penalty(category: str, severity: str) -> float:
    if category == "Source error":
        return 0.0
    return PUNCTUATION if (category, severity) == ("Fluency/Punctuation", "Minor") else PENALTIES.get(severity, 0.0)


def _abstracts(path: Path) -> Iterator[JudgedOutput]:
    """One row per system, source and annotator; the source is the segment.

    Rows that repeat an earlier source of their system are left out. Their texts are copies, but their numbers and errors are
    those of the segment whose texts the copy replaced.
    """
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = sorted(map(json.loads, lines), key=lambda row: int(row["segment"]))
    numbers: dict[tuple[str, str, str], str] = {}
    for row in rows:
        if numbers.setdefault((row["system"], row["document"], row["source"]), row["segment"]) == row["segment"]:
            yield JudgedOutput(
                "abstracts", path.parent.name, row["document"], row["source"], row["system"], row["annotator"].strip(),
                row["target"], "", float(row["mqm"]),
            )  # fmt: skip
