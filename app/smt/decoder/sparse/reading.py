"""Sparse features from lines of a configuration, with their word lists and classes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.smt.decoder.moses_ini import FeatureLine, MosesIni
from app.smt.decoder.sparse.boundary_features import BEGIN, BoundaryFeature, classes_of, words_of_list
from app.smt.decoder.sparse.features import SparseFeatures
from app.smt.decoder.sparse.pair_features import (
    InnerBigrams,
    PairFeature,
    PhraseLengths,
    PhrasePairs,
    UnlinkedWords,
    WordTranslations,
)
from app.text.reading.lines import TextFile

__all__ = ["read_sparse_features"]

UNLINKED_SIDES: Final = {"SourceWordDeletionFeature": 0, "TargetWordInsertionFeature": 1}
# Moses' path for all bigrams.
ALL_BIGRAMS: Final = "*"


def read_sparse_features(ini: MosesIni) -> SparseFeatures:
    """Sparse features of a configuration, with weights; InputError names the feature and its mistake."""
    pairs: list[PairFeature] = []
    boundaries: list[BoundaryFeature] = []
    for line in ini.features:
        if line.kind in UNLINKED_SIDES:
            pairs.append(UnlinkedWords(line.name, UNLINKED_SIDES[line.kind], _words(ini, line, "path")))
        elif line.kind == "PhraseLengthFeature":
            pairs.append(PhraseLengths(line.name))
        elif line.kind == "PhrasePairFeature":
            if "path" in line.parameters:
                ini.path(line)
            pairs.append(PhrasePairs(line.name))
        elif line.kind == "WordTranslationFeature":
            sources, targets = (_words(ini, line, name) for name in ("source-path", "target-path"))
            if (sources is None) != (targets is None):
                raise InputError("invalid-request", f"{line.name} has only one of source-path and target-path; give both, or none")
            pairs.append(WordTranslations(line.name, sources, targets))
        elif line.kind == "TargetBigramFeature":
            class_of = _bigram_classes(ini, line)
            pairs.append(InnerBigrams(line.name, class_of))
            boundaries.append(BoundaryFeature(line.name, "", False, class_of))
        elif line.kind == "PhraseBoundaryFeature":
            boundaries += _boundaries(ini, line)
    features = SparseFeatures(tuple(pairs), tuple(boundaries), ini.sparse_weights)
    for name in ini.sparse_weights:
        features.names.number(name)
    return features


def _words(ini: MosesIni, line: FeatureLine, parameter: str) -> frozenset[str] | None:
    """Words of a list, one a line; None without a list."""
    if parameter not in line.parameters:
        return None
    return frozenset(word for text in TextFile.of(ini.path(line, parameter)).lines() if (word := text.strip()))


def _boundaries(ini: MosesIni, line: FeatureLine) -> Iterator[BoundaryFeature]:
    if not any(side in line.parameters for side in ("source", "target")):
        raise InputError("invalid-request", f"{line.name} has neither side; give target=0, source=0 or both")
    for side, prefix in (("target", "tgt"), ("source", "src")):
        factors = line.parameters[side].split(",") if side in line.parameters else []
        _check_classes(line, factors, f"{side}-classes", side)
        for factor in factors:
            class_of = _class_of(ini, line, f"{side}-classes") if factor == "1" else _itself
            yield BoundaryFeature(line.name, f"{prefix}:{factor}:", side == "source", class_of)


def _bigram_classes(ini: MosesIni, line: FeatureLine) -> Callable[[str], str | None]:
    factor = line.parameters.get("factor", "0")
    _check_classes(line, [factor], "classes", "factor")
    class_of: Callable[[str], str | None] = _class_of(ini, line, "classes") if factor == "1" else _itself
    if "path" not in line.parameters:
        raise InputError("invalid-request", f"{line.name} has no word list; give path=FILE, or path=* for all words")
    if line.parameters["path"] == ALL_BIGRAMS:
        return class_of
    word_of_list = words_of_list((_words(ini, line, "path") or frozenset()) | {BEGIN})
    return lambda word: None if (name := class_of(word)) is None else word_of_list(name)


def _check_classes(line: FeatureLine, factors: list[str], classes: str, parameter: str) -> None:
    """Raise InputError for wrong factors: 0 is words, and 1 is classes of a file, since tables have no factors."""
    if set(factors) - {"0", "1"} or len(set(factors)) < len(factors):
        raise InputError("invalid-request", f"{parameter} of {line.name} is 0 (words), 1 (their classes) or 0,1")
    if ("1" in factors) != (classes in line.parameters):
        detail = f"{line.name} takes {classes}=FILE with factor 1, and only then"
        raise InputError("invalid-request", detail)


def _itself(word: str) -> str:
    return word


def _class_of(ini: MosesIni, line: FeatureLine, parameter: str) -> Callable[[str], str | None]:
    path = ini.path(line, parameter)
    return classes_of(_read_classes(path))


def _read_classes(path: Path) -> dict[str, str]:
    classes: dict[str, str] = {}
    for number, line in enumerate(TextFile.of(path).lines(), 1):
        words = line.split()
        if len(words) != 2:
            raise InputError("invalid-table", f"line {number} of {path.name}: expected: a word and its class", (path.name, number))
        if classes.setdefault(words[0], words[1]) != words[1]:
            detail = f"line {number} of {path.name}: {words[0]} has two classes; keep one line of the word"
            raise InputError("invalid-table", detail, (path.name, number))
    return classes
