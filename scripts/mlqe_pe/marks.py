"""Marks of wrong words on the cards of the shipped word taggers and of the judge, chosen on dev, which neither was trained on.

``python -m scripts.mlqe_pe.marks DATA`` writes them, and prints a table. Its precisions are of marks that were chosen on the other
half of the segments. The last column has the share of words that are marked as wrong, in dev and in its post-edits.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Bools, Float64s, Int8s, Int64s
from app.engine import Engine
from app.features import View
from app.features.lexical_links import source_links, target_links
from app.predictors.sentences import Judge, load_judge
from app.predictors.sentences.source_words import read_source_words, source_features
from app.predictors.word_tags import WordTags, load_word_tagger, save_word_tagger
from app.predictors.word_tags.marks import Marks, choose_marks, stored_marks
from app.resources.encoders import ChosenEncoder, Encoder
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.mlqe_pe.everything import language_pairs
from scripts.mlqe_pe.provenance import TRAINING_TAGGER, write_fields
from scripts.mlqe_pe.revisions import ReadSegment, read_segments
from scripts.mlqe_pe.words import read_post_edits, read_source_tags, read_tagged_text, word_tagger_name

__all__ = ["record_marks"]

NAME: Final = "sentences-e5-small"


@dataclass(frozen=True)
class Probabilities:
    """Probabilities of BAD, gold tags (1: BAD) and the segment of each position of one kind, by one tagger."""

    tagger: str
    kind: str
    bad: Float64s
    gold: Int8s
    segments: Int64s

    def marks(self) -> Marks:
        """Marks chosen on all positions."""
        return choose_marks(self.gold, self.bad)

    def held_out(self) -> dict[str, tuple[float, float]]:
        """Precision and recall of both marks on each half of the segments, chosen on the other half."""
        masks = {name: np.zeros(len(self.bad), bool) for name in ("wrong", "possible")}
        for half in (self.segments % 2 == 0, self.segments % 2 == 1):
            marks = choose_marks(self.gold[half], self.bad[half])
            masks["wrong"][~half] = marks.wrong_words(self.bad[~half])
            masks["possible"][~half] = marks.possible_words(self.bad[~half])
        return {name: _accuracy(mask, self.gold) for name, mask in masks.items()}


def _accuracy(mask: Bools, gold: Int8s) -> tuple[float, float]:
    """Precision (NaN without marks) and recall."""
    right = float(gold[mask].sum())
    return right / mask.sum() if mask.any() else float("nan"), right / max(1.0, float(gold.sum()))


@dataclass(frozen=True)
class DevReader:
    """Dev rows of MLQE-PE, read by the shipped taggers and by the judge's network."""

    engine: Engine
    models: Path
    encoder: Encoder
    judge: Judge

    def probabilities(self, folder: Path, pair: LanguagePair) -> Iterator[Probabilities]:
        """Probabilities of all taggers of a pair: `words`, `gaps`, `revised` words and `source_words`."""
        text, gold = read_tagged_text(folder, pair, "dev"), read_source_tags(folder, pair, "dev").astype(np.int8)
        view, readings = (
            View(text.batch, self.engine.pair_resources(pair)),
            list(read_segments(self.encoder, self.judge, pair, text)),
        )
        for glass_box in (False, True):
            name = word_tagger_name(pair, glass_box)
            tags = load_word_tagger(self.models / name).tag(view)
            yield Probabilities(name, "words", tags.words, text.words, _segments(tags.word_offsets))
            yield Probabilities(name, "gaps", tags.gaps, text.gaps, _segments(tags.gap_offsets))
            tags = self.revised(name, tags, readings)
            if name in self.judge.revisions:
                yield Probabilities(name, "revised", tags.words, text.words, _segments(tags.word_offsets))
            if name in self.judge.source_revisions:
                bad = self._of_sources(name, view, tags, readings)
                yield Probabilities(name, "source_words", bad, gold, _segments(view.batch.source.offsets))

    def revised(self, name: str, tags: WordTags, readings: Sequence[ReadSegment]) -> WordTags:
        """Tags of words after the network's correction, if the tagger gains by it."""
        revision = self.judge.revisions.get(name)
        wrong = np.concatenate([reading.wrong for reading in readings])
        return tags if revision is None else revision.revised(tags, wrong, Marks())

    def _of_sources(self, name: str, view: View, tags: WordTags, readings: Sequence[ReadSegment]) -> Float64s:
        words = [read_source_words(row.reading, row.source.pieces, row.target.pieces, *row.words) for row in readings]
        links = source_links(view), target_links(view)
        offsets, target_offsets = (column.offsets.astype(np.int64) for column in (view.batch.source, view.batch.translation))
        return self.judge.source_revisions[name].probabilities(source_features(offsets, target_offsets, tags.words, links, words))

    def share_of_post_edits(self, folder: Path, pair: LanguagePair, revised_marks: Marks | None, marks: Marks) -> float:
        """Share of the words of dev's post-edits that the tagger of texts marks as wrong."""
        text = read_post_edits(folder, pair, "dev")
        tags = load_word_tagger(self.models / word_tagger_name(pair, False)).tag(View(text.batch, self.engine.pair_resources(pair)))
        if revised_marks is not None:
            tags = self.revised(word_tagger_name(pair, False), tags, list(read_segments(self.encoder, self.judge, pair, text)))
        return float((revised_marks or marks).wrong_words(tags.words).mean())


def _segments(offsets: np.ndarray) -> Int64s:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def record_marks(reader: DevReader, data: Path, pairs: Sequence[LanguagePair]) -> list[str]:
    """Write the marks on all cards, and return the rows of the table."""
    judge_marks: dict[str, Any] = {"data": "mlqe-pe/PAIR/dev", "words": {}, "source_words": {}}
    rows: list[str] = []
    for pair in pairs:
        folder, tagger_marks = data / str(pair), dict[str, dict[str, Marks]]()
        for row in reader.probabilities(folder, pair):
            marks = row.marks()
            tagger_marks.setdefault(row.tagger, {})[row.kind] = marks
            if row.kind in ("revised", "source_words"):
                judge_marks["words" if row.kind == "revised" else "source_words"][row.tagger] = stored_marks(marks)
            rows.append(_row(row))
        for name, kinds in tagger_marks.items():
            tagger = load_word_tagger(reader.models / name)
            stored = {"data": f"mlqe-pe/{pair}/dev.mt.tags.gz", **{kind: stored_marks(kinds[kind]) for kind in ("words", "gaps")}}
            save_word_tagger(replace(tagger, card=replace(tagger.card, marks=stored)), reader.models / name)
        texts = tagger_marks[word_tagger_name(pair, False)]
        share = reader.share_of_post_edits(folder, pair, texts.get("revised"), texts["words"])
        rows.append(f"| {word_tagger_name(pair, False)} | post-edits | | | | | | {share:.1%} |")
    write_fields(reader.models / NAME / "sentence-judge.json", asdict(replace(reader.judge.card, marks=judge_marks)))
    return rows


def _row(row: Probabilities) -> str:
    """Row of the table: precision and recall of both marks, and the shares of wrong and of marked words."""
    cells = [f"{value:.2f}" for accuracy in row.held_out().values() for value in accuracy]
    share = row.marks().wrong_words(row.bad).mean()
    return f"| {row.tagger} | {row.kind} | {' | '.join(cells)} | {row.gold.mean():.1%} | {share:.1%} |"


def main() -> None:
    """Read the command line, choose the marks and write them."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.mlqe_pe.marks", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("--encoder", default="auto", help="encoder, as in ASSAY_ENCODER (default auto)")
    arguments = parser.parse_args()
    data, pairs = language_pairs(arguments.data)
    engine = Engine.open(settings.resources_dir, settings.models_dir, tagging=TRAINING_TAGGER, encoder=arguments.encoder)
    judge = load_judge(settings.models_dir / NAME)
    reader = DevReader(engine, settings.models_dir, ChosenEncoder(arguments.encoder).required(), judge)
    print("| Tagger | Kind | Wrong: precision | recall | Possible: precision | recall | Wrong words | Marked |\n|" + " --- |" * 8)
    print("\n".join(record_marks(reader, data, pairs)))


if __name__ == "__main__":
    main()
