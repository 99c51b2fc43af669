"""Translation options of a word lattice: the phrases that translate the words of its paths."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.smt.decoder.decoder import Decoder, SearchResult
from app.smt.decoder.moses_ini import MosesIni
from app.smt.decoder.options import UNKNOWN_SCORE, PathParts, TranslationOptions, sorted_options
from app.smt.decoder.system import System
from app.smt.decoder.word_lattices.reading import WordLattice
from app.text.hashing import hash_tokens
from app.text.ragged import ragged_rows

__all__ = ["input_scores", "lattice_options", "translate_lattice"]

# Paths of a lattice within the longest phrase.
PATH_LIMIT: Final = 200_000
# Translations of these paths, of about 500 bytes each; those of a long sentence are a hundredth of it.
OPTION_LIMIT: Final = 500_000


@dataclass(frozen=True)
class _Path:
    start: int
    end: int
    words: tuple[str, ...]
    scores: tuple[float, ...]
    arcs: int


def input_scores(ini: MosesIni) -> int:
    """Number of probabilities of each arc, as InputFeature has it; 0 without this feature."""
    return sum(feature.number("num-input-features", 1) for feature in ini.features if feature.kind == "InputFeature")


def translate_lattice(decoder: Decoder, lattice: WordLattice, alternatives: bool = False) -> SearchResult:
    """Search for translations of the paths of a lattice; spans of phrases are nodes, and jumps are shortest paths, as in Moses.

    InputError for a lattice with too many paths.
    """
    if not lattice.length:
        return SearchResult((), None, [], None)
    options, words, paths = lattice_options(decoder.system, lattice)
    return decoder.translate_paths(lattice.length, options, words, paths, alternatives)


def lattice_options(system: System, lattice: WordLattice) -> tuple[TranslationOptions, list[list[str]], PathParts]:
    """Options of a lattice, their target words and their paths.

    Arcs without words add no word to a phrase, and translate into nothing by themselves.

    A table has no phrase of the words of a longer path than its longest phrase. InputError (`segment-too-long`) for a lattice with
    more than `PATH_LIMIT` paths of this length, or `OPTION_LIMIT` translations of them.
    """
    paths = list(_paths(lattice, min(system.rows.longest, system.ini.limits.phrase_length)))
    inputs = _inputs(system, paths)
    hashes = hash_tokens([" ".join(path.words) for path in paths])
    places = np.searchsorted(system.sources, hashes)
    has_words = np.array([bool(path.words) for path in paths])
    matches = np.flatnonzero((places < len(system.sources)) & has_words)
    matches = matches[system.sources[places[matches]] == hashes[matches]]
    option_count = int(np.diff(system.begins)[places[matches]].sum())
    if option_count > OPTION_LIMIT:
        detail = f"the paths of the lattice have {option_count:,} translations; at most {OPTION_LIMIT:,} are searched, so prune it"
        raise InputError("segment-too-long", detail)
    rows, ends = ragged_rows(system.begins, places[matches])
    paths_in_table = set(matches.tolist())
    rest = [number for number, path in enumerate(paths) if path.arcs == 1 and number not in paths_in_table]
    owners = np.concatenate([matches.repeat(np.diff(ends)), np.array(rest, np.int64)])
    texts = [[] if system.ini.drop_unknown else list(paths[number].words) for number in rest]
    word_places, word_offsets = ragged_rows(system.rows.offsets, rows)
    numbers = np.concatenate([system.numbers[word_places], system.models.number([word for text in texts for word in text])])
    widths = np.concatenate([np.diff(word_offsets), np.array([len(text) for text in texts], np.int64)])
    count = len(rest)
    options = TranslationOptions(
        np.array([path.start for path in paths], np.int64)[owners],
        np.array([path.end for path in paths], np.int64)[owners],
        np.concatenate([rows, np.full(count, -1)]),
        np.concatenate([[0], np.cumsum(widths)]),
        numbers.astype(np.int32),
        np.concatenate([system.static[rows], [_static(system, paths[k], text) for k, text in zip(rest, texts, strict=True)]])
        + inputs[owners] @ _weights(system),
        np.concatenate([system.backward[rows], np.zeros((count, 2, 4))]),
        np.concatenate([system.forward[rows], np.zeros((count, 2, 4))]),
        np.concatenate([system.classes[rows], np.zeros(count, np.int64)]),
        np.zeros(1, np.int64),
        np.zeros((1, 1)),
        lattice.distances,
    )
    options, order = sorted_options(system, options, lattice.length)
    owners = owners[order]
    vocabulary, table = system.vocabulary.words, system.rows
    rest_texts = dict(zip(rest, texts, strict=True))
    words = [
        rest_texts[owner] if row < 0 else [vocabulary[word] for word in table.words[table.offsets[row] : table.offsets[row + 1]]]
        for owner, row in zip(owners.tolist(), options.rows.tolist(), strict=True)
    ]
    sources = [paths[k].words for k in owners.tolist()]
    return options, words, PathParts(sources, inputs[owners], lattice.distances)


def _paths(lattice: WordLattice, longest: int) -> Iterator[_Path]:
    """Yield distinct paths of one arc, and of more arcs with up to `longest` words that begin with a word."""
    count = 0
    for arcs in lattice.arcs:
        stack = [_Path(arc.start, arc.end, (arc.word,) if arc.word else (), arc.scores, 1) for arc in arcs]
        visited_paths: set[_Path] = set()
        while stack:
            path = stack.pop()
            # Equal arcs make equal paths, which take time too.
            count += 1
            if count + len(stack) > PATH_LIMIT:
                detail = f"the lattice has more than {PATH_LIMIT:,} paths of up to {longest} words; prune it"
                raise InputError("segment-too-long", detail)
            if path in visited_paths:
                continue
            visited_paths.add(path)
            yield path
            if not path.words or path.end == lattice.length:
                continue
            # Only arcs without words continue a path of the longest length, which most paths have.
            for arc in lattice.arcs[path.end] if len(path.words) < longest else lattice.wordless[path.end]:
                words = (*path.words, arc.word) if arc.word else path.words
                scores = tuple(first + second for first, second in zip(path.scores, arc.scores, strict=True))
                stack.append(_Path(path.start, arc.end, words, scores, path.arcs + 1))


def _inputs(system: System, paths: list[_Path]) -> Float64s:
    """Values of InputFeature for each path: sums of the arcs' scores, and minus the number of words if the feature counts them."""
    width = len(_weights(system))
    rows = [(*path.scores, -float(len(path.words)))[:width] for path in paths]
    return np.array(rows, np.float64).reshape(len(paths), width)


def _weights(system: System) -> Float64s:
    begin = system.begin_of("InputFeature")
    if begin is None:
        return np.zeros(0)
    count = next(len(feature.weights) for feature in system.features if feature.kind == "InputFeature")
    return np.asarray(system.weights[begin : begin + count])


def _static(system: System, path: _Path, text: list[str]) -> float:
    """Score of an unknown word, or of an arc without a word."""
    score = system.weight("PhrasePenalty") - len(text) * system.weight("WordPenalty")
    if not path.words:
        return score
    links = [(0, 0)] if text else []
    sparse = system.sparse_weights.of_names(system.sparse.names_of_pair(path.words, text, links))
    return score + UNKNOWN_SCORE * system.weight("UnknownWordPenalty") + sparse
