"""Taggers of named entities, trained on words with classes in columns (CoNLL, IOB2), and their accuracy."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.building.line_files import read_lines
from app.building.linear_tagging import train_tag_weights
from app.building.treebanks import TaggedSentence, TreebankSentence, as_tokens, as_words
from app.building.writing import check_new, folder_aside
from app.errors import InputError
from app.resources.linear_tagger import LinearModel, save_linear_model
from app.resources.linear_tagger.names import ENTITY_CLASSES, NAMES, NO_ENTITY, NameTagger
from app.resources.manifest import Manifest, checksum, write_manifest
from app.text.batch import pack_tokens
from app.text.reading.lines import decode_text
from app.text.tokenisation import CHARACTER_LANGUAGES, tokeniser_for

__all__ = ["EntitySentence", "build_names", "entity_accuracy", "read_entities", "train_names"]

PERSON, LOCATION, ORGANIZATION, MISC = range(len(ENTITY_CLASSES))
# Classes by their names in published data; further names are MISC.
CLASSES: Final = {
    "PER": PERSON, "PERS": PERSON, "PERSON": PERSON, "LOC": LOCATION, "LOCATION": LOCATION, "GPE": LOCATION, "FAC": LOCATION,
    "FACILITY": LOCATION, "ORG": ORGANIZATION, "ORGANIZATION": ORGANIZATION, "ORGANISATION": ORGANIZATION,
}  # fmt: skip
# Values and other expressions that are no names.
VALUES: Final = frozenset(
    ("DATE", "DATETIME", "TIME", "PERIOD", "MONEY", "PERCENT", "QUANTITY", "NUMERIC", "ORDINAL", "CARDINAL", "TITLE")
)
OUTSIDE: Final = "O"
# Entity: first word, word after the last, class.
Span = tuple[int, int, int]


@dataclass(frozen=True)
class EntitySentence:
    """Words, and the entities among them: first word, word after the last, class."""

    words: tuple[str, ...]
    spans: tuple[Span, ...]

    @property
    def treebank_sentence(self) -> TreebankSentence:
        """The sentence with classes in place of tags and without heads; blanks separate its words."""
        tags = [NO_ENTITY] * len(self.words)
        for first, end, number in self.spans:
            tags[first:end] = [number + 1] * (end - first)
        owners = tuple((k,) for k, word in enumerate(self.words) for _ in word)
        return TreebankSentence(self.words, tuple(tags), (len(self.words),) * len(self.words), " ".join(self.words), owners)


def read_entities(path: Path) -> Iterator[EntitySentence]:
    """Yield sentences of a file with one word a line and an empty line after each. Lines of ``#`` without a tab are comments.

    Columns end at tabs or blanks. The word is the first and its class the last, as in CoNLL 2003. If the first column numbers
    the words, the word is the second and its class the third. Classes are ``O``, ``B-PER``, ``I-PER`` and so on. InputError
    (`invalid-training-data`) names a line without a class.
    """
    rows: list[tuple[str, str]] = []
    with ExitStack() as stack:
        for number, raw in enumerate(read_lines(path, stack), 1):
            line = decode_text(raw, str(path), number)
            cells = line.split("\t") if "\t" in line else line.split()
            cells = ["".join(cell.split()) for cell in cells]
            if not any(cells):
                if rows:
                    yield EntitySentence(tuple(word for word, _ in rows), tuple(_spans([tag for _, tag in rows])))
                    rows = []
            elif not line.startswith("#") or "\t" in line:
                rows.append(_word(cells, len(rows) + 1, f"{path.name}, line {number}"))
    if rows:
        yield EntitySentence(tuple(word for word, _ in rows), tuple(_spans([tag for _, tag in rows])))


def _word(cells: Sequence[str], number: int, place: str) -> tuple[str, str]:
    columns = (1, 2) if len(cells) > 2 and cells[0] == str(number) else (0, len(cells) - 1)
    word, tag = cells[columns[0]], cells[columns[1]]
    if len(cells) < 2 or not word or not (tag == OUTSIDE or (tag[:2] in ("B-", "I-", "E-", "S-") and len(tag) > 2)):
        detail = f"{place}: {tag[:40]!r} is no class; write O, B-PER or I-PER in the last column, after the word"
        raise InputError("invalid-training-data", detail)
    return word, tag


def _spans(tags: Sequence[str]) -> Iterator[Span]:
    """Entities of tags, as seqeval reads them: a new one begins at B and S, and at another class."""
    first, label = 0, OUTSIDE
    for place, tag in enumerate([*tags, OUTSIDE]):
        mark, _, name = tag.partition("-")
        goes_on = mark in ("I", "E") and name == label and (place == 0 or tags[place - 1][:2] not in ("E-", "S-"))
        if goes_on:
            continue
        if label != OUTSIDE and label not in VALUES:
            yield first, place, CLASSES.get(label, MISC)
        first, label = place, name or OUTSIDE


def train_names(language: str, sentences: Sequence[EntitySentence]) -> LinearModel:
    """Train on each sentence with Assay's tokens, and with the words of the data if these differ."""
    tokeniser = tokeniser_for(language)
    column: list[TaggedSentence] = []
    for sentence in sentences:
        words, tokens = (as_words(sentence.treebank_sentence, language), as_tokens(sentence.treebank_sentence, tokeniser))
        column += [words] if tokens is None or tokens == words else [tokens, words]
    return LinearModel(train_tag_weights(column))


def entity_accuracy(tagger: NameTagger, sentences: Sequence[EntitySentence], characters: bool = False) -> dict[str, float | int]:
    """Precision, recall and F1 of entities, as fractions: equal words and class (CoNLL, seqeval), of all and by class."""
    words = [list("".join(sentence.words)) if characters else sentence.words for sentence in sentences]
    entities = tagger.entities(pack_tokens(words))
    columns = (entities.segments, entities.begins, entities.ends, entities.classes)
    predicted: set[tuple[int, ...]] = set(zip(*(column.tolist() for column in columns), strict=True))
    gold: set[tuple[int, ...]] = set()
    for row, sentence in enumerate(sentences):
        starts = np.cumsum([0, *map(len, sentence.words)]).tolist() if characters else range(len(sentence.words) + 1)
        gold |= {(row, starts[first], starts[end], number) for first, end, number in sentence.spans}
    out: dict[str, float | int] = {"test_entities": len(gold), **_scores(predicted, gold, "test")}
    for number, name in enumerate(ENTITY_CLASSES):
        parts = [{entity for entity in entities if entity[3] == number} for entities in (predicted, gold)]
        out[f"test_{name.lower()}_f1"] = _scores(parts[0], parts[1], "x")["x_f1"]
    return out


def _scores(predicted: set[tuple[int, ...]], gold: set[tuple[int, ...]], name: str) -> dict[str, float]:
    right = len(predicted & gold)
    values = right / max(len(predicted), 1), right / max(len(gold), 1), 2 * right / max(len(predicted) + len(gold), 1)
    return {f"{name}_{measure}": round(value, 4) for measure, value in zip(("precision", "recall", "f1"), values, strict=True)}


def build_names(language: str, train: Sequence[Path], test: Path, folder: Path, licence: str, replace: bool = False) -> float:
    """Build ``names.safetensors`` and a manifest; return F1 on `test`, as a fraction. `replace` allows existing files."""
    if not replace:
        check_new(folder, [NAMES])
    sentences = [sentence for path in train for sentence in read_entities(path)]
    if not any(sentence.spans for sentence in sentences):
        raise InputError("invalid-training-data", "the training files have no entities; write classes such as B-PER")
    tests = list(read_entities(test))
    model = train_names(language, sentences)
    with folder_aside(folder, replace) as staging:
        save_linear_model(model, staging / NAMES)
        accuracy = entity_accuracy(NameTagger(model), tests, language in CHARACTER_LANGUAGES)
        manifest = Manifest(
            name=f"{language}/names",
            description="tagger of named entities: persons, locations, organizations and others",
            command=f"assay resources names --language {language}",
            licence=licence,
            inputs={path.name: checksum(path) for path in (*train, test)},
            files={NAMES: checksum(staging / NAMES)},
            statistics={"segments": len(sentences), "tokens": sum(len(sentence.words) for sentence in sentences), **accuracy},
        )
        write_manifest(staging, manifest)
    return accuracy["test_f1"]
