"""Training of the shipped word taggers, on the OK/BAD tags of MLQE-PE."""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int8s, Int64s
from app.features import Feature, Need, PairResources, View, feature_set
from app.features.word_level import GAPS, WORDS, gap_offsets
from app.predictors.word_tags.fitting import TaggedView, fit_random_fields, fitting_features, measured_tags
from app.predictors.word_tags.model import WordTagCard, WordTagger, save_word_tagger
from app.resources.manifest import checksum
from app.text.batch import SegmentBatch, pack_lines
from app.text.languages import LanguagePair
from app.text.side_information import SideInformation
from app.text.side_information.kinds import TOKEN_LOG_PROBS, TOKENS
from app.text.tokenisation import CHARACTER_LANGUAGES, tokeniser_for

__all__ = [
    "TaggedText",
    "build_word_tagger",
    "cross_fit_summaries",
    "read_post_edits",
    "read_source_tags",
    "read_tagged_text",
    "summaries",
    "word_tagger_name",
]

SEED: Final = 12345
GLASS_BOX: Final = frozenset[Need]({TOKENS, TOKEN_LOG_PROBS})


@dataclass(frozen=True)
class TaggedText:
    """Tokenised segments with a tag (1: BAD) of each word (by ``batch.translation.offsets``) and gap (by `gap_offsets`)."""

    batch: SegmentBatch
    words: Int8s
    gaps: Int8s

    def select(self, rows: Int64s) -> "TaggedText":
        """The segments `rows`."""
        offsets, between = self.batch.translation.offsets, gap_offsets(self.batch.translation)
        words = [self.words[offsets[i] : offsets[i + 1]] for i in rows.tolist()]
        gaps = [self.gaps[between[i] : between[i + 1]] for i in rows.tolist()]
        return TaggedText(self.batch.select(rows), np.concatenate(words), np.concatenate(gaps))


def _lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


def read_tagged_text(folder: Path, pair: LanguagePair, split: str) -> TaggedText:
    """Tokenised texts, tags, and the MT system's tokens of ``train`` or ``dev``."""
    sources, targets, tags, tokens, log_probs = (
        _lines(folder / f"{split}.{name}.gz") for name in ("tok.src", "tok.mt", "mt.tags", "nmt.tokens", "nmt.logprobs")
    )
    rows = [_retokenised(target, tag.split(), pair.target) for target, tag in zip(targets, tags, strict=True)]
    target_texts = [" ".join(words) for words, _, _ in rows]
    source_texts = [" ".join(_words(line, pair.source)) for line in sources]
    batch = SegmentBatch(
        pair,
        pack_lines([text.lower() for text in source_texts]),
        pack_lines([text.lower() for text in target_texts]),
        SideInformation(
            tokens=[line.split(" ") for line in tokens],
            token_log_probs=[[float(cell) for cell in line.split()] for line in log_probs],
        ),
        cased_columns=(pack_lines(source_texts), pack_lines(target_texts)),
    )
    words = np.array([tag for _, row, _ in rows for tag in row], np.int8)
    return TaggedText(batch, words, np.array([tag for _, _, row in rows for tag in row], np.int8))


def read_post_edits(folder: Path, pair: LanguagePair, split: str) -> TaggedText:
    """Tokenised sources and post-edits of ``train`` or ``dev``, as translations without a wrong word or gap."""
    texts = (_lines(folder / f"{split}.tok.{name}.gz") for name in ("src", "pe"))
    source_texts, target_texts = (
        [" ".join(_words(line, language)) for line in lines]
        for lines, language in zip(texts, (pair.source, pair.target), strict=True)
    )
    batch = SegmentBatch(
        pair,
        pack_lines([text.lower() for text in source_texts]),
        pack_lines([text.lower() for text in target_texts]),
        cased_columns=(pack_lines(source_texts), pack_lines(target_texts)),
    )
    words = len(batch.translation.ids)
    return TaggedText(batch, np.zeros(words, np.int8), np.zeros(words + len(batch), np.int8))


def read_source_tags(folder: Path, pair: LanguagePair, split: str) -> Bools:
    """Mask of BAD source words, which have no right translation, in ``train`` or ``dev``; by ``batch.source.offsets``."""
    tags = []
    for line, row in zip(_lines(folder / f"{split}.tok.src.gz"), _lines(folder / f"{split}.src.tags.gz"), strict=True):
        for word, tag in zip(line.split(), row.split(), strict=True):
            tags += [tag == "BAD"] * len(_words(word, pair.source))
    return np.array(tags, bool)


def _words(line: str, language: str) -> list[str]:
    """Words of a published line, split into characters for languages with tokens of characters."""
    return tokeniser_for(language).cased(line) if language in CHARACTER_LANGUAGES else line.split()


def _retokenised(line: str, tags: Sequence[str], language: str) -> tuple[list[str], list[int], list[int]]:
    """Words, their tags, and tags of gaps. The parts of a split word keep its tag, and the gaps between them are OK."""
    values = [int(tag == "BAD") for tag in tags]
    words: list[str] = []
    word_tags: list[int] = []
    gaps = [values[0]]
    for k, word in enumerate(line.split()):
        tag, gap_tag = values[2 * k + 1], values[2 * k + 2]
        parts = _words(word, language)
        words += parts
        word_tags += [tag] * len(parts)
        gaps += [0] * (len(parts) - 1) + [gap_tag]
    return words, word_tags, gaps


def _features(group: Sequence[Feature], resources: PairResources, glass_box: bool) -> list[Feature]:
    fitting = fitting_features(group, resources, GLASS_BOX)
    return [feature for feature in fitting if glass_box or not GLASS_BOX.intersection(feature.needs)]


def build_word_tagger(
    folder: Path,
    pair: LanguagePair,
    folds: Mapping[int, PairResources],
    fold: Int64s,
    dev_resources: PairResources,
    models: Path,
    glass_box: bool,
    licence: str,
    created: str,
) -> str:
    """Train on the rows of each fold with the fold's resources, measure on dev with `dev_resources`, and save the tagger."""
    train, dev = read_tagged_text(folder, pair, "train"), read_tagged_text(folder, pair, "dev")
    parts = [(train.select(np.flatnonzero(fold == number)), resources) for number, resources in folds.items()]
    views = [TaggedView(View(part.batch, resources), part.words, part.gaps) for part, resources in parts]
    word_features = _features(list(WORDS), dev_resources, glass_box)
    gap_features = _features(list(GAPS), dev_resources, glass_box)
    words, gaps = fit_random_fields(word_features, gap_features, views, SEED)
    name = word_tagger_name(pair, glass_box)
    card = WordTagCard(
        1,
        name,
        str(pair),
        tuple(feature.id for feature in word_features),
        tuple(feature.id for feature in gap_features),
        {"seed": SEED, "buckets": len(words.weights), "word_threshold": words.threshold, "gap_threshold": gaps.threshold},
        {"name": f"mlqe-pe/{pair}/train.mt.tags.gz", "segments": len(train.batch), "sha256": checksum(folder / "train.mt.tags.gz")},
        {},
        created,
        licence,
    )
    model = WordTagger(card, words, gaps)
    accuracy = measured_tags(
        model, TaggedView(View(dev.batch, dev_resources), dev.words, dev.gaps), f"mlqe-pe/{pair}/dev.mt.tags.gz"
    )
    save_word_tagger(WordTagger(WordTagCard(**{**card.__dict__, "accuracy": accuracy}), words, gaps), models / name)
    return f"models/{name} (MCC of words {accuracy['words']['mcc']:.3f}, of gaps {accuracy['gaps']['mcc']:.3f})"


def word_tagger_name(pair: LanguagePair, glass_box: bool) -> str:
    """Id of the tagger that reads texts, or with `glass_box` also the MT system's tokens."""
    return f"{pair}-words{'-nmt' if glass_box else ''}"


def summaries(tagger: WordTagger, batch: SegmentBatch, resources: PairResources) -> Float64s:
    """Summary features of each segment by a tagger that reads texts; shape (n, 8)."""
    view = View(batch, replace(resources, word_tagger=tagger))
    return np.stack([feature.column(view) for feature in feature_set("words").features], axis=1)


def cross_fit_summaries(
    folder: Path,
    pair: LanguagePair,
    folds: Mapping[int, PairResources],
    fold: Int64s,
    all_resources: PairResources,
    batch: SegmentBatch,
) -> tuple[list[str], Float64s]:
    """Ids of summary features, and their cross-fitted values for every training row; shape (n, 8)."""
    train = read_tagged_text(folder, pair, "train")
    rows = {number: np.flatnonzero(fold == number) for number in folds}
    parts = {number: train.select(rows[number]) for number in folds}
    views = {
        number: TaggedView(View(parts[number].batch, resources), parts[number].words, parts[number].gaps)
        for number, resources in folds.items()
    }
    word_features = _features(list(WORDS), all_resources, glass_box=False)
    gap_features = _features(list(GAPS), all_resources, glass_box=False)
    ids = [feature.id for feature in feature_set("words").features]
    values = np.empty((len(fold), len(ids)))
    for number, resources in folds.items():
        training_views = [views[rival] for rival in folds if rival != number]
        words, gaps = fit_random_fields(word_features, gap_features, training_views, SEED)
        card = WordTagCard(1, "fold", str(pair), (), (), {}, {}, {}, "", "")
        values[rows[number]] = summaries(WordTagger(card, words, gaps), batch.select(rows[number]), resources)
    return ids, values
