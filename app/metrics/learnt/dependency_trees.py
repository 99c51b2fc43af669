"""Dependency trees of segments, by the UDPipe model of a language (BEER Treepel)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from ufal import udpipe

from app.arrays import Int64s
from app.errors import InputError
from app.metrics.files import metric_files
from app.resources.manifest import checksum
from app.resources.tagger import UDPIPE
from app.running.deadline import check_deadline

__all__ = ["NO_HEAD", "RELATIONS", "DependencyParser", "parser_of"]

# Universal relations; subtypes such as nmod:poss count as their relation.
RELATIONS: Final = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop", "csubj", "dep",
    "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "mark", "nmod", "nsubj", "nummod",
    "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root", "vocative", "xcomp",
)  # fmt: skip
NUMBERS: Final = {relation: number for number, relation in enumerate(RELATIONS)}
OTHER_RELATION: Final = NUMBERS["dep"]
NO_HEAD: Final = -1
# UDPipe's parser has a stack per sentence; longer segments are parsed in parts.
LONGEST: Final = 500


@dataclass(frozen=True)
class DependencyParser:
    """A UDPipe model with a parser; `checksum` is the SHA-256 of its file."""

    model: Any
    checksum: str

    def parse(self, segments: Sequence[Sequence[str]]) -> tuple[Int64s, Int64s]:
        """Index of each word's head in its segment, -1 for a root, and number of its relation; (words,) each."""
        heads: list[int] = []
        relations: list[int] = []
        trees: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for segment in segments:
            words = tuple(segment)
            if words not in trees:
                check_deadline()
                trees[words] = [
                    (head + begin if head != NO_HEAD else head, relation)
                    for begin in range(0, len(words), LONGEST)
                    for head, relation in self._tree(words[begin : begin + LONGEST])
                ]
            heads += [head for head, _ in trees[words]]
            relations += [relation for _, relation in trees[words]]
        return np.array(heads, np.int64), np.array(relations, np.int64)

    def _tree(self, words: Sequence[str]) -> list[tuple[int, int]]:
        sentence = udpipe.Sentence()
        for word in words:
            sentence.addWord(word)
        self.model.tag(sentence, self.model.DEFAULT)
        self.model.parse(sentence, self.model.DEFAULT)
        rows = list(sentence.words)[1:]
        return [
            (row.head - 1 if row.head > 0 else NO_HEAD, NUMBERS.get(row.deprel.partition(":")[0], OTHER_RELATION)) for row in rows
        ]


def parser_of(language: str) -> DependencyParser:
    """The parser of a language; InputError (``missing-resource``) lists the languages with a parser."""
    paths = _parser_files()
    if language not in paths:
        detail = f"dependency trees of {language} need its UDPipe model ({language}/tagger/{UDPIPE} among the resources)"
        raise InputError("missing-resource", f"{detail}; models are there for {', '.join(sorted(paths)) or 'no language'}")
    stat = paths[language].stat()
    return _load(paths[language], stat.st_size, stat.st_mtime_ns)


def _parser_files() -> dict[str, Path]:
    """Files of UDPipe models by language; the first folder of resources wins."""
    paths: dict[str, Path] = {}
    for folder in metric_files().resources:
        for path in sorted([*folder.glob(f"*/tagger/{UDPIPE}"), *folder.glob(f"*/{UDPIPE}")]):
            paths.setdefault(path.relative_to(folder).parts[0], path)
    return paths


@lru_cache(maxsize=8)
def _load(path: Path, size: int, time: int) -> DependencyParser:
    model = udpipe.Model.load(str(path))
    trial = udpipe.Sentence()
    trial.addWord("a")
    if model is None or not model.tag(trial, model.DEFAULT) or not model.parse(trial, model.DEFAULT):
        raise InputError("missing-resource", f"{path.parent.parent.name}/{path.name} is no UDPipe model with tagger and parser")
    return DependencyParser(model, checksum(path))
