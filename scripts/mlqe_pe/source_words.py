"""Tags of source words that are not translated, or wrongly: weighed on dev, which nothing that is weighed has learned from.

``python -m scripts.mlqe_pe.source_words DATA`` does it for the judge that ships, and writes its new checksum on cards.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.arrays import Bools, Float64s, Int64s
from app.engine import Engine
from app.features import View
from app.features.encoded import EncodedSides
from app.features.lexical_links import LexicalLinks, source_links, target_links
from app.predictors.sentences import Judge, load_judge, save_judge
from app.predictors.sentences.network import Reading
from app.predictors.sentences.revision import wrong_words
from app.predictors.sentences.source_words import SourceRevision, WordReading, read_source_words, source_features
from app.predictors.word_tags import load_word_tagger
from app.resources.encoders import ChosenEncoder, EncodedTokens, Encoder
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.mlqe_pe.everything import language_pairs
from scripts.mlqe_pe.provenance import TAGGED_BY, record_resources
from scripts.mlqe_pe.revisions import correlation, threshold_of
from scripts.mlqe_pe.words import TaggedText, read_source_tags, read_tagged_text, word_tagger_name

__all__ = ["SourceMeasured", "fit_source_words", "linked_to_bad", "with_source_words"]

NAME: Final = "sentences-e5-small"


@dataclass(frozen=True)
class SourceMeasured:
    """Of source words: Matthews' correlation and F1 of BAD of links alone; and of the regression, F1 of OK too.

    Links call a word BAD that is linked to a word tagged BAD, or that nothing links, if that is better. The regression is measured
    with weights and a threshold of the other half of the segments; `halves` are both halves' correlations less those of links.
    """

    baseline: float
    baseline_f1_bad: float
    mcc: float
    f1_bad: float
    f1_ok: float
    halves: tuple[float, float]

    @property
    def worth(self) -> bool:
        """Whether tags are better than links in both halves, and no worse at what is BAD."""
        return min(self.halves) > 0 and self.f1_bad > self.baseline_f1_bad


def with_source_words(
    engine: Engine, models: Path, data: Path, pairs: Sequence[LanguagePair], encoder: Encoder, judge: Judge
) -> Judge:
    """The judge with tags of source words beside those of each word tagger where links alone are worse, and what was measured."""
    revisions, measured = fit_source_words(engine, models, data, pairs, encoder, judge)
    card = replace(judge.card, accuracy={**judge.card.accuracy, "source_words": measured})
    return replace(judge, card=card, source_revisions=revisions)


def fit_source_words(
    engine: Engine, models: Path, data: Path, pairs: Sequence[LanguagePair], encoder: Encoder, judge: Judge
) -> tuple[Mapping[str, SourceRevision], Mapping[str, Mapping[str, object]]]:
    """A revision for each word tagger where it is worth it, and what was measured of all of them, by the taggers' names."""
    revisions, measured = {}, {}
    for pair in pairs:
        text = read_tagged_text(data / str(pair), pair, "dev")
        gold = read_source_tags(data / str(pair), pair, "dev")
        view = View(text.batch, engine.pair_resources(pair))
        links = source_links(view), target_links(view)
        wrong, readings = zip(*_read(encoder, judge, pair, text), strict=True)
        offsets, others = text.batch.source.offsets.astype(np.int64), text.batch.translation.offsets.astype(np.int64)
        second = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) % 2 == 1
        for glass_box in (False, True):
            tagger = load_word_tagger(models / word_tagger_name(pair, glass_box))
            tags = tagger.tag(view)
            revision = judge.revisions.get(tagger.card.id)
            tags = tags if revision is None else revision.revised(tags, np.concatenate(wrong))
            features = source_features(offsets, others, tags.words, links, readings)
            by_links = linked_to_bad(offsets, others, links[0], tags.words >= tags.word_threshold, gold)
            found = _measured(features, by_links, gold, second)
            kept = found.worth
            measured[tagger.card.id] = {**asdict(found), "kept": kept}
            if kept:
                revisions[tagger.card.id] = _fitted(features, gold)
    return revisions, measured


def _read(encoder: Encoder, judge: Judge, pair: LanguagePair, text: TaggedText) -> Iterator[tuple[Float64s, WordReading]]:
    """Of each segment the probabilities that words of the translation are wrong, and what is read of source words."""
    columns = text.batch.cased_source, text.batch.cased_translation
    for row in range(len(text.batch)):
        words = [column.tokens(row) for column in columns]
        source, target = (_tokens(encoder, " ".join(side)) for side in words)
        reading: Reading
        (reading,) = judge.readings(pair, EncodedSides(source, target))
        of_source = read_source_words(reading, source.pieces, target.pieces, *words)
        yield wrong_words(target.pieces, reading.target, words[1]), of_source


def _tokens(encoder: Encoder, text: str) -> EncodedTokens:
    tokens = encoder.encode_tokens([text])
    if tokens is None:
        raise ValueError(f"the encoder {encoder.name} has no vectors of tokens")
    return tokens


def linked_to_bad(offsets: Int64s, others: Int64s, links: LexicalLinks, bad: Bools, gold: Bools) -> Bools:
    """Source words that are linked to a BAD word, or to none too: whichever has more in common with the truth."""
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    free = links.place < 0
    linked = ~free & np.concatenate([bad, [False]])[np.where(free, len(bad), others[row] + links.place)]
    return max(linked, linked | free, key=lambda predicted: correlation(predicted, gold))


def _measured(features: Float64s, by_links: Bools, gold: Bools, second: Bools) -> SourceMeasured:
    predicted = np.zeros(len(gold), bool)
    for half in (second, ~second):
        revision = _fitted(features[half], gold[half])
        predicted[~half] = revision.probabilities(features[~half]) >= revision.threshold
    gained = [correlation(predicted[half], gold[half]) - correlation(by_links[half], gold[half]) for half in (~second, second)]
    return SourceMeasured(
        correlation(by_links, gold),
        _f1(by_links, gold),
        correlation(predicted, gold),
        _f1(predicted, gold),
        _f1(~predicted, ~gold),
        (gained[0], gained[1]),
    )


def _fitted(features: Float64s, gold: Bools) -> SourceRevision:
    middle, scale = np.nanmean(features, axis=0), np.nanstd(features, axis=0)
    fitted = LogisticRegression(C=10).fit(np.nan_to_num((features - middle) / scale), gold)
    revision = SourceRevision(float(fitted.intercept_[0]), 0.5, middle, fitted.coef_[0] / scale)
    return replace(revision, threshold=threshold_of(revision.probabilities(features), gold))


def _f1(predicted: Bools, gold: Bools) -> float:
    return float(2 * (predicted & gold).sum() / (predicted.sum() + gold.sum()))


def main() -> None:
    """Read the command line, weigh and write."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.mlqe_pe.source_words", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("--encoder", default="auto", help="as ASSAY_ENCODER")
    asked = parser.parse_args()
    data, pairs = language_pairs(asked.data)
    engine = Engine.open(settings.resources_dir, settings.models_dir, tagging=TAGGED_BY, encoder=asked.encoder)
    encoder = ChosenEncoder(asked.encoder).required()
    judge = with_source_words(engine, settings.models_dir, data, pairs, encoder, load_judge(settings.models_dir / NAME))
    save_judge(judge, settings.models_dir / NAME)
    for name, row in judge.card.accuracy["source_words"].items():
        print(name, row)
    print(f"resources on {record_resources(settings.resources_dir, settings.models_dir, asked.encoder)} cards")


if __name__ == "__main__":
    main()
