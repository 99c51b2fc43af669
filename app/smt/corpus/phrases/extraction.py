"""Phrases out of word-aligned text, written as Moses' extract writes them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s, UInt8s
from app.building.gzip_files import written_gzip
from app.building.writing import folder_aside
from app.errors import InputError
from app.smt.corpus.phrases.aligned_chunks import AlignedChunk, read_aligned
from app.smt.corpus.phrases.extraction_kernels import extract_chunk
from app.smt.corpus.phrases.lexical import LexicalCounts
from app.smt.corpus.phrases.manifests import EXTRACT_MANIFEST, SENTENCES, listed_files, write_folder_manifest
from app.smt.corpus.phrases.orientation import UNITS, OrientationModel
from app.smt.corpus.phrases.text_kernels import write_links, write_pairs
from app.text.ragged import offsets_of

__all__ = [
    "COMPRESSION",
    "EXTRACT",
    "EXTRACT_INVERSE",
    "EXTRACT_ORIENTATION",
    "LONGEST_PHRASE",
    "Extraction",
    "extract_phrases",
    "write_extraction",
]

EXTRACT: Final = "extract.gz"
EXTRACT_INVERSE: Final = "extract.inv.gz"
EXTRACT_ORIENTATION: Final = "extract.o.gz"
LONGEST_PHRASE: Final = 7
# Scoring reads the files once. A higher level takes several times longer than all other work.
COMPRESSION: Final = 1


@dataclass(frozen=True)
class Extraction:
    """Counts of an extraction: sentence pairs read, and phrase pairs written."""

    sentences: int
    pairs: int

    def write_manifest(self, folder: Path, description: str, command: Sequence[str], inputs: Iterable[Path]) -> None:
        """Write the manifest of a folder of extracted phrases."""
        statistics = {SENTENCES: self.sentences, "pairs": self.pairs}
        write_folder_manifest(folder, EXTRACT_MANIFEST, description, command, inputs, statistics)


def extract_phrases(
    source: Path,
    target: Path,
    links: Path,
    folder: Path,
    longest: int = LONGEST_PHRASE,
    models: Sequence[OrientationModel] = (),
    weights: Path | None = None,
    replace: bool = False,
    numbered: bool = False,
    unweighted_lexical: bool = False,
) -> Extraction:
    """Write extracted phrase pairs and lexical tables into a folder, in the formats of Moses.

    - `extract.gz`: lines ``source ||| target ||| links`` in the order of the text. Weighted sentences add ``||| weight``; a weight
      of 0 drops the sentence. With `numbered` the last column is the number of the sentence pair from 1 (``#45``), for
      `PhraseScores`.
    - `extract.inv.gz`: the same lines with source and target exchanged.
    - `extract.o.gz`, with `models`: orientations ``previous next`` in place of links. Models of phrases make three columns, one for
      each unit, divided by ``|``. Weights follow.
    - `lex.e2f` and `lex.f2e`: lexical tables. A link counts by the weight of its sentence, as in Moses. With `unweighted_lexical`
      it counts 1, also in sentences of weight 0 (Shah, Barrault and Schwenk 2012).
    - `extract.json`: the manifest.

    Memory grows with distinct pairs of linked words, not with the text. Errors are those of `read_aligned`; they leave no files.
    """
    if unweighted_lexical and weights is None:
        raise InputError(
            "invalid-request", "lexical tables are unweighted without weights; omit the option", ("--unweighted-lexical",)
        )
    if numbered and weights is not None:
        raise InputError("invalid-request", "numbers of sentence pairs and weights share one column; omit one", ("--numbered",))

    def pieces() -> Iterator[tuple[AlignedChunk, Int32s]]:
        sentence_count = 0
        for chunk in read_aligned(source, target, links, weights):
            places = (chunk.source.offsets, chunk.target.offsets, chunk.links_source, chunk.links_target, chunk.link_offsets)
            rows = extract_chunk(*places, longest)
            if numbered:
                numbers = range(sentence_count + 1, sentence_count + 1 + len(chunk))
                chunk = replace_fields(chunk, weights=tuple(b"#%d" % number for number in numbers))
            elif chunk.weights:
                rows = rows[np.array([float(weight) > 0 for weight in chunk.weights])[rows[:, 0]]]
            sentence_count += len(chunk)
            yield chunk, rows

    # A stale file of orientations must not stand beside new phrases.
    stale_files = listed_files(folder, EXTRACT_MANIFEST) if replace else []
    with folder_aside(folder, replace, stale_files) as temporary:
        extraction = write_extraction(pieces(), temporary, models, longest, not unweighted_lexical)
        texts = [source, target, links]
        command = ["assay", "smt", "extract", *(path.name for path in texts), "--max-length", str(longest)]
        command += [word for model in models for word in ("--orientation", model.name)]
        command += [] if weights is None else ["--weights", weights.name]
        command += ["--numbered"] if numbered else []
        command += ["--unweighted-lexical"] if unweighted_lexical else []
        inputs = texts if weights is None else [*texts, weights]
        extraction.write_manifest(temporary, "pairs of phrases that agree with links of words", command, inputs)
        return extraction


def write_extraction(
    pieces: Iterable[tuple[AlignedChunk, Int32s]],
    folder: Path,
    models: Sequence[OrientationModel] = (),
    longest: int = LONGEST_PHRASE,
    weighted_lexical: bool = True,
) -> Extraction:
    """Write phrase pairs of chunks: rows of `extract_chunk`, or any rows with at least one link each.

    The files are those of `extract_phrases`, without links that cross the edges of a phrase pair. `longest` limits the phrases of
    orientation models.
    """
    by_unit = _by_unit(models)
    lexical = LexicalCounts()
    sentences = pairs = 0
    with ExitStack() as stack:
        names = [EXTRACT, EXTRACT_INVERSE, *([EXTRACT_ORIENTATION] if models else [])]
        files = [stack.enter_context(written_gzip(folder / name, COMPRESSION)) for name in names]
        for chunk, rows in pieces:
            for file, inverse in zip(files[:2], (False, True), strict=True):
                endings, offsets = _links(chunk, rows, inverse)
                file.write(_lines(chunk, rows, inverse, endings, offsets, np.arange(len(rows))))
            if models:
                file = files[2]
                endings, offsets, ending_of = _orientations(chunk, rows, by_unit, longest)
                file.write(_lines(chunk, rows, False, endings, offsets, ending_of))
            lexical.add(chunk, _sentence_weights(chunk) if weighted_lexical else None)
            sentences += len(chunk)
            pairs += len(rows)
        stack.close()
        lexical.write(folder)
    return Extraction(sentences, pairs)


def _sentence_weights(chunk: AlignedChunk) -> Float64s | None:
    """Weights of the sentences (n,); None for sentences without weights, or with numbers in their place."""
    if not chunk.weights or chunk.weights[0].startswith(b"#"):
        return None
    return np.array([float(weight) for weight in chunk.weights])


def _by_unit(models: Sequence[OrientationModel]) -> dict[str, OrientationModel]:
    by_unit = {model.unit: model for model in models}
    if len(by_unit) < len(models):
        detail = f"a file of orientations has room for one model of each unit: {', '.join(UNITS)}"
        raise InputError("invalid-request", detail, ("--orientation",))
    return by_unit


def _lines(chunk: AlignedChunk, rows: Int32s, inverse: bool, endings: UInt8s, offsets: Int64s, ending_of: Int64s) -> memoryview:
    sides = [part for words in (chunk.source, chunk.target) for part in (words.text, words.begins, words.ends, words.offsets)]
    return memoryview(write_pairs(rows, *sides, inverse, endings, offsets, ending_of))


def _links(chunk: AlignedChunk, rows: Int32s, inverse: bool) -> tuple[UInt8s, Int64s]:
    ends = [b" ||| " + weight + b"\n" for weight in chunk.weights] or [b"\n"] * len(chunk)
    texts, offsets = _packed(ends)
    links = (chunk.links_source, chunk.links_target, chunk.link_offsets)
    lines: tuple[UInt8s, Int64s] = write_links(rows, chunk.target.offsets, *links, inverse, texts, offsets)
    return lines


def _orientations(
    chunk: AlignedChunk, rows: Int32s, by_unit: dict[str, OrientationModel], longest: int
) -> tuple[UInt8s, Int64s, Int64s]:
    """Distinct endings of orientation lines, their offsets, and the index of each row's ending."""
    ending_of = np.zeros(len(rows), np.int64)
    columns = []
    for unit in UNITS:
        model = by_unit.get(unit)
        if model is None:
            columns.append([""])
            continue
        columns.append(model.texts())
        numbers = model.numbers(chunk, rows, longest).astype(np.int64)
        # A mixed-radix number: one digit for each unit, the pair of orientations.
        ending_of = ending_of * len(columns[-1]) + 5 * numbers[:, 0] + numbers[:, 1]
    weights, weight_of = _weights(chunk)
    codes, ending_of = np.unique(ending_of * len(weights) + weight_of[rows[:, 0]], return_inverse=True)
    word_only = set(by_unit) == {"wbe"}
    combinations = [texts[0] if word_only else " | ".join(texts) for texts in product(*columns)]
    ends = [(combinations[number // len(weights)], weights[number % len(weights)]) for number in codes.tolist()]
    texts, offsets = _packed([text.encode() + weight + b"\n" for text, weight in ends])
    return texts, offsets, ending_of


def _weights(chunk: AlignedChunk) -> tuple[list[bytes], Int64s]:
    """Distinct weights as texts after orientations, and the index of each sentence's weight. Numbers of pairs are not weights."""
    if not chunk.weights or chunk.weights[0].startswith(b"#"):
        return [b""], np.zeros(len(chunk), np.int64)
    numbers: dict[bytes, int] = {}
    places = np.array([numbers.setdefault(weight, len(numbers)) for weight in chunk.weights], np.int64)
    return [b" ||| " + weight for weight in numbers], places


def _packed(texts: Sequence[bytes]) -> tuple[UInt8s, Int64s]:
    return np.frombuffer(b"".join(texts), np.uint8), offsets_of([len(text) for text in texts])
