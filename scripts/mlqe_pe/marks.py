"""Marks of wrong words on the cards of the shipped word taggers and the cross-encoder, chosen on dev, which neither was trained on.

``python -m scripts.mlqe_pe.marks DATA`` writes them, and prints a table. Its precisions are of marks that were chosen on the other
half of the segments and of the references. The last columns have shares of words that are marked as wrong: in dev, and in people's
translations (NTREX-128). Rows of post-edits have the share of dev's post-edits.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Bools, Float64s, Int8s, Int64s
from app.engine import Engine
from app.engine.segments import Segments
from app.features import View
from app.features.lexical_links import source_links, target_links
from app.predictors.cross_encoder import CARD, CrossEncoder, load_cross_encoder
from app.predictors.cross_encoder.source_words import source_features
from app.predictors.word_tags import WordTags, load_word_tagger, save_word_tagger
from app.predictors.word_tags.marks import NO_REFERENCES, Marks, choose_marks, stored_marks
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.encoder.plan import reference_rows
from scripts.encoder.revisions import ReadWords, dev_words, read_words
from scripts.encoder.rows import Row, joiner_of
from scripts.encoder.shipped import NAME
from scripts.mlqe_pe.everything import language_pairs, split_of
from scripts.mlqe_pe.provenance import TRAINING_TAGGER, write_fields
from scripts.mlqe_pe.words import read_post_edits, read_source_tags, read_tagged_text, word_tagger_name

__all__ = ["record_marks"]

# References of each pair, in the order of their documents.
REFERENCES: Final = 1000
# On cards, beside the data of dev.
NEWS: Final = " and NTREX-128 (CC BY-SA 4.0)"


@dataclass(frozen=True)
class Probabilities:
    """Probabilities of BAD, gold tags (1: BAD) and the segment of each position of one kind, by one tagger."""

    tagger: str
    kind: str
    bad: Float64s
    gold: Int8s
    segments: Int64s
    references: Float64s

    def marks(self) -> Marks:
        """Marks chosen on all positions."""
        return choose_marks(self.gold, self.bad, self.references)

    def held_out(self) -> tuple[dict[str, tuple[float, float]], float]:
        """Precision and recall of both marks, and the share of references marked as wrong, chosen on the other half of each."""
        masks = {name: np.zeros(len(self.bad), bool) for name in ("wrong", "possible")}
        of_references = np.zeros(len(self.references), bool)
        # References are sentences in order, so that halves of their words share at most one sentence.
        second = np.arange(len(self.references)) >= len(self.references) / 2
        for half, reference_half in ((self.segments % 2 == 0, second), (self.segments % 2 == 1, ~second)):
            marks = choose_marks(self.gold[half], self.bad[half], self.references[reference_half])
            masks["wrong"][~half] = marks.wrong_words(self.bad[~half])
            masks["possible"][~half] = marks.possible_words(self.bad[~half])
            of_references[~reference_half] = marks.wrong_words(self.references[~reference_half])
        share = float(of_references.mean()) if len(of_references) else float("nan")
        return {name: _accuracy(mask, self.gold) for name, mask in masks.items()}, share


def _accuracy(mask: Bools, gold: Int8s) -> tuple[float, float]:
    """Precision (NaN without marks) and recall."""
    right = float(gold[mask].sum())
    return right / mask.sum() if mask.any() else float("nan"), right / max(1.0, float(gold.sum()))


@dataclass(frozen=True)
class DevReader:
    """Dev rows of MLQE-PE, read by the shipped taggers and by the cross-encoder."""

    engine: Engine
    models: Path
    network: CrossEncoder
    data: Path
    references: Mapping[str, Sequence[Row]]

    def probabilities(self, folder: Path, pair: LanguagePair) -> Iterator[Probabilities]:
        """Probabilities of all taggers of a pair: `words`, `gaps`, `revised` words and `source_words`."""
        text, gold = read_tagged_text(folder, pair, "dev"), read_source_tags(folder, pair, "dev").astype(np.int8)
        resources = self.engine.pair_resources(pair)
        view, words = View(text.batch, resources), dev_words(text.batch, self.data, pair, resources)
        for glass_box in (False, True):
            name = word_tagger_name(pair, glass_box)
            # References have no MT system, so only the tagger of texts tags them.
            references = {} if glass_box else self.of_references(pair, name)
            tags = load_word_tagger(self.models / name).tag(view)
            word_segments = _segments(tags.word_offsets)
            kinds = {"words": (tags.words, text.words, word_segments), "gaps": (tags.gaps, text.gaps, _segments(tags.gap_offsets))}
            tags = self.revised(name, tags, words)
            if name in self.network.revisions:
                kinds["revised"] = (tags.words, text.words, word_segments)
            if name in self.network.source_revisions:
                bad = self._of_sources(name, view, tags, words)
                kinds["source_words"] = (bad, gold, _segments(view.batch.source.offsets))
            for kind, row in kinds.items():
                yield Probabilities(name, kind, *row, references.get(kind, NO_REFERENCES))

    def of_references(self, pair: LanguagePair, name: str) -> dict[str, Float64s]:
        """Probabilities of BAD of the words, gaps, revised words and source words of people's translations, by kind."""
        rows = self.references[str(pair)][:REFERENCES]
        segments = Segments(pair, [row.source for row in rows], [row.translation for row in rows])
        plain_tags = self.engine.at("fast").word_tags(segments, name).tags
        answer = self.engine.at("accurate").word_tags(segments, name)
        out = {"words": plain_tags.words, "gaps": plain_tags.gaps, "revised": answer.tags.words}
        return out if answer.source is None else out | {"source_words": answer.source.bad}

    def revised(self, name: str, tags: WordTags, words: ReadWords) -> WordTags:
        """Tags of words after the network's correction, if the tagger gains by it."""
        revision = self.network.revisions.get(name)
        return tags if revision is None else revision.revised(tags, words.target, Marks())

    def _of_sources(self, name: str, view: View, tags: WordTags, words: ReadWords) -> Float64s:
        links = source_links(view), target_links(view)
        offsets, target_offsets = (column.offsets.astype(np.int64) for column in (view.batch.source, view.batch.translation))
        features = source_features(offsets, target_offsets, tags.words, links, words.source)
        return self.network.source_revisions[name].probabilities(features)

    def share_of_post_edits(self, folder: Path, pair: LanguagePair, revised_marks: Marks | None, marks: Marks) -> float:
        """Share of the words of dev's post-edits that the tagger of texts marks as wrong."""
        text = read_post_edits(folder, pair, "dev")
        resources, name = self.engine.pair_resources(pair), word_tagger_name(pair, False)
        tags = load_word_tagger(self.models / name).tag(View(text.batch, resources))
        if revised_marks is not None:
            join = joiner_of(pair.target)
            edits = [join(text.batch.cased_translation.tokens(row)) for row in range(len(text.batch))]
            sources = split_of(self.data, pair, "dev").column("source")
            tags = self.revised(name, tags, read_words(text.batch, (sources, edits), resources))
        return float((revised_marks or marks).wrong_words(tags.words).mean())


def _segments(offsets: np.ndarray) -> Int64s:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def record_marks(reader: DevReader, data: Path, pairs: Sequence[LanguagePair]) -> list[str]:
    """Write the marks on all cards, and return the rows of the table."""
    names = f"mlqe-pe/PAIR/dev{NEWS}; dev alone for taggers named -nmt"
    network_marks: dict[str, Any] = {"data": names, "words": {}, "source_words": {}}
    rows: list[str] = []
    for pair in pairs:
        folder, tagger_marks = data / str(pair), dict[str, dict[str, Marks]]()
        for row in reader.probabilities(folder, pair):
            marks = row.marks()
            tagger_marks.setdefault(row.tagger, {})[row.kind] = marks
            if row.kind in ("revised", "source_words"):
                network_marks["words" if row.kind == "revised" else "source_words"][row.tagger] = stored_marks(marks)
            rows.append(_row(row))
        for name, kinds in tagger_marks.items():
            tagger = load_word_tagger(reader.models / name)
            stored = {
                "data": f"mlqe-pe/{pair}/dev.mt.tags.gz" + ("" if tagger.card.id.endswith("-nmt") else NEWS),
                **{kind: stored_marks(kinds[kind]) for kind in ("gaps", "words")},
            }
            save_word_tagger(replace(tagger, card=replace(tagger.card, marks=stored)), reader.models / name)
        texts = tagger_marks[word_tagger_name(pair, False)]
        share = reader.share_of_post_edits(folder, pair, texts.get("revised"), texts["words"])
        rows.append(f"| {word_tagger_name(pair, False)} | post-edits | | | | | | {share:.1%} | |")
    write_fields(reader.models / NAME / CARD, asdict(replace(reader.network.card, marks=network_marks)))
    return rows


def _row(row: Probabilities) -> str:
    """Row of the table: precision and recall of both marks, and the shares of wrong, of marked, and of marked reference words."""
    accuracy_of, of_references = row.held_out()
    cells = [f"{value:.2f}" for accuracy in accuracy_of.values() for value in accuracy]
    share = row.marks().wrong_words(row.bad).mean()
    return f"| {row.tagger} | {row.kind} | {' | '.join(cells)} | {row.gold.mean():.1%} | {share:.1%} | {of_references:.1%} |"


def main() -> None:
    """Read the command line, choose the marks and write them."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.mlqe_pe.marks", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with mlqe-pe and ntrex-128 in it")
    arguments = parser.parse_args()
    data, pairs = language_pairs(arguments.data)
    engine = Engine.open(settings.resources_dir, settings.models_dir, tagging=TRAINING_TAGGER, encoder="auto")
    network = load_cross_encoder(settings.models_dir / NAME)
    reader = DevReader(engine, settings.models_dir, network, data, reference_rows(data.parent))
    print(
        "| Tagger | Kind | Wrong: precision | recall | Possible: precision | recall | Wrong words | Marked | References |\n|"
        + " --- |" * 9
    )
    print("\n".join(record_marks(reader, data, pairs)))


if __name__ == "__main__":
    main()
