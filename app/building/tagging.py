"""Taggers and parsers (UDPipe 1 and linear ones) trained on treebanks in CoNLL-U, with a language model of tags."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from ufal import udpipe

from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.building.linear_tagging import linear_accuracy, train_linear_tagger
from app.building.writing import check_new, folder_aside
from app.errors import InputError
from app.resources.linear_tagger import LINEAR_TAGGER, save_linear_model
from app.resources.manifest import Manifest, checksum, read_manifest, write_manifest
from app.text.batch import pack_tokens
from app.text.tokenisation import CHARACTER_LANGUAGES

__all__ = ["MOST_WORDS_SHIPPED", "add_linear_tagger", "build_tagger"]

# UPOS only: one model, no lemmas, no features.
TAGGER: Final = (
    "models=1;templates_1=tagger;guesser_suffix_rules_1=8;use_lemma_1=0;provide_lemma_1=0;"
    "use_xpostag_1=0;provide_xpostag_1=0;use_feats_1=0;provide_feats_1=0;iterations_1="
)
# A projective parser of forms and tags; a small network, since taggers ship for many languages.
PARSER: Final = (
    "iterations=10;embedding_upostag=20;embedding_feats=0;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;"
    "embedding_deprel=20;learning_rate=0.01;learning_rate_final=0.001;l2=0.5;hidden_layer=100;batch_size=10;"
    "transition_system=projective;transition_oracle=dynamic;structured_interval=0;use_gold_tags=1"
)
# Training takes minutes for each 100,000 words.
MOST_WORDS_SHIPPED: Final = 100_000
TAG_ORDER: Final = 3
DESCRIPTION: Final = "parts of speech and dependencies (UDPipe 1, and our own) and a language model of parts of speech"
TAGGER_FILES: Final = ("tagger.udpipe", LINEAR_TAGGER, "tags.binary")


def _read(treebank: Path, limit: int | None = None) -> Iterator[Any]:
    """Sentences of a gzipped CoNLL-U file, up to the one that reaches `limit` words."""
    with gzip.open(treebank, "rt", encoding="utf-8") as text:
        reader = udpipe.InputFormat.newConlluInputFormat()
        try:
            reader.setText(text.read())
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise InputError("invalid-training-data", f"{treebank.name} is a damaged gzip file") from None
    error = udpipe.ProcessingError()
    words = 0
    while limit is None or words < limit:
        sentence = udpipe.Sentence()
        if not reader.nextSentence(sentence, error):
            break
        words += len(sentence.words) - 1
        yield sentence
    if error.occurred():
        raise InputError("invalid-training-data", f"{treebank.name}: {error.message}")


def _in_characters(sentence: Any) -> Any:
    """Copy of a sentence with characters as words; they have the tag of their word, and its last character as head."""
    words = list(sentence.words)[1:]
    ends = [0, *np.cumsum([len(word.form) for word in words]).tolist()]
    out = udpipe.Sentence()
    for number, word in enumerate(words, 1):
        for place, character in enumerate(word.form, 1):
            character_word = out.addWord(character)
            character_word.upostag = word.upostag
            last = place == len(word.form)
            character_word.head = (ends[word.head] if word.head else 0) if last else ends[number]
            character_word.deprel = word.deprel if last else "compound"
    return out


def _train(treebank: Path, limit: int, iterations: int, parser: str, path: Path, characters: bool = False) -> list[Any]:
    """Train a model and write it to `path`; return its training sentences."""
    error = udpipe.ProcessingError()
    sentences = udpipe.Sentences()
    training_sentences = [_in_characters(sentence) if characters else sentence for sentence in _read(treebank, limit)]
    for sentence in training_sentences:
        sentences.append(sentence)
    options = f"{TAGGER}{iterations}"
    model = udpipe.Trainer.train("morphodita_parsito", sentences, udpipe.Sentences(), "none", options, parser, error)
    if error.occurred() or not model:
        raise InputError("invalid-training-data", f"{treebank.name}: {error.message}")
    path.write_bytes(model)
    return training_sentences


def build_tagger(language: str, treebank: Path, folder: Path, limit: int = MOST_WORDS_SHIPPED, replace: bool = False) -> None:
    """Build both taggers, ``tags.binary`` and a manifest with accuracies from ``train.conllu.gz`` and ``test.conllu.gz``.

    UDPipe learns from the first `limit` words, which takes minutes, the linear tagger from all. Taggers have characters as words
    in languages with character tokens. `replace` allows existing files.
    """
    if not replace:
        check_new(folder, TAGGER_FILES)
    characters = language in CHARACTER_LANGUAGES
    train, test = treebank / "train.conllu.gz", treebank / "test.conllu.gz"
    with folder_aside(folder, replace) as staging:
        read = _train(train, limit, 10, PARSER, staging / "tagger.udpipe", characters)
        tags = [[word.upostag for word in list(sentence.words)[1:]] for sentence in read]
        write_kenlm_trie(estimate_language_model(pack_tokens(tags), TAG_ORDER), staging / "tags.binary")
        linear = _write_linear_tagger(language, treebank, staging)
        accuracy = linear | _accuracy(udpipe.Model.load(str(staging / "tagger.udpipe")), test, characters)
        write_manifest(
            staging,
            Manifest(
                name=f"{language}/tagger",
                description=DESCRIPTION,
                command=f"assay resources tagger --language {language}",
                licence="CC-BY-SA-4.0, Universal Dependencies treebanks, https://universaldependencies.org",
                inputs={f"{language}/{path.name}": checksum(path) for path in (train, test)},
                files={name: checksum(staging / name) for name in TAGGER_FILES},
                statistics={"segments": len(tags), "tokens": sum(map(len, tags)), **accuracy},
                stands_for={LINEAR_TAGGER: checksum(staging / "tagger.udpipe")},
            ),
        )


def add_linear_tagger(language: str, treebank: Path, folder: Path) -> None:
    """Build the linear tagger again beside the UDPipe model in a folder of `build_tagger`; other files stay."""
    manifest = read_manifest(folder)
    with folder_aside(folder, replace=True) as staging:
        statistics: dict[str, Any] = dict(_write_linear_tagger(language, treebank, staging))
        files = {**manifest.files, LINEAR_TAGGER: checksum(staging / LINEAR_TAGGER)}
        statistics = {**manifest.statistics, **statistics}
        stands_for = {LINEAR_TAGGER: files["tagger.udpipe"]}
        new_manifest = replace_fields(manifest, description=DESCRIPTION, files=files, statistics=statistics, stands_for=stands_for)
        write_manifest(staging, new_manifest)


def _write_linear_tagger(language: str, treebank: Path, folder: Path) -> dict[str, float | int]:
    """Build and save the linear tagger; return its accuracy as statistics of a manifest."""
    model = train_linear_tagger(language, treebank / "train.conllu.gz")
    save_linear_model(model, folder / LINEAR_TAGGER)
    accuracy = linear_accuracy(model, language, treebank / "test.conllu.gz")
    return {f"linear_{name}": value for name, value in accuracy.items()}


def _accuracy(model: Any, test: Path, characters: bool) -> dict[str, float | int]:
    """Accuracy on gold tokens, as fractions: parts of speech, heads, and heads with relations."""
    words = upos = uas = las = 0
    for read in _read(test):
        gold = _in_characters(read) if characters else read
        expected = [(word.upostag, word.head, word.deprel) for word in list(gold.words)[1:]]
        sentence = udpipe.Sentence()
        for word in list(gold.words)[1:]:
            sentence.addWord(word.form)
        model.tag(sentence, model.DEFAULT)
        model.parse(sentence, model.DEFAULT)
        predictions = [(word.upostag, word.head, word.deprel) for word in list(sentence.words)[1:]]
        words += len(expected)
        upos += sum(a[0] == b[0] for a, b in zip(expected, predictions, strict=True))
        uas += sum(a[1] == b[1] for a, b in zip(expected, predictions, strict=True))
        las += sum(a[1:] == b[1:] for a, b in zip(expected, predictions, strict=True))
    return {
        "test_tokens": words,
        "test_upos": round(upos / words, 4),
        "test_unlabelled_attachment": round(uas / words, 4),
        "test_labelled_attachment": round(las / words, 4),
    }
