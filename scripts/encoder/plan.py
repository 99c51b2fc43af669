"""Units of an epoch: labelled rows, and pairs of a better and a worse translation of one source."""

import gzip
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from scripts.encoder.damages import damaged
from scripts.encoder.rows import Row, WordTags

__all__ = ["Texts", "UnitPlan", "damage_donors", "reference_rows"]

Texts = tuple[Row, ...]
# Shares of quality rows that come with a damaged translation, as a post-edit before its translation, and as a damaged post-edit.
DAMAGE_SHARE, EDIT_SHARE, DAMAGED_EDIT_SHARE = 0.13, 0.13, 0.03
# Share of mqm_rows rows that come with a damaged translation.
MQM_DAMAGE_SHARE: Final = 0.12
# Post-edits of translations with less HTER may not be better.
LEAST_EDITS: Final = 0.1
WORDS_OF_DONORS: Final = 20_000
# Texts that translate nothing: share from the quality rows, share of copies of the source, and distance of DA from the mean.
QUALITY_FAULTS, COPIES, WORST = 0.4, 0.3, 2.5
LANGUAGES: Final[Mapping[str, str]] = {
    "de": "deu", "zh": "zho-CN", "ru": "rus", "ro": "ron", "et": "est", "ne": "nep", "si": "sin", "es": "spa", "fr": "fra",
    "it": "ita", "pt": "por", "ja": "jpn", "cs": "ces", "pl": "pol", "uk": "ukr", "tr": "tur", "hi": "hin", "ar": "arb",
    "ko": "kor", "nl": "nld", "fi": "fin", "hu": "hun", "vi": "vie", "id": "ind",
}  # fmt: skip


def reference_rows(folder: Path) -> dict[str, list[Row]]:
    """People's translations of news from and into English, by pair, without labels (NTREX-128, CC BY-SA 4.0)."""
    base = folder / "ntrex-128"
    with gzip.open(base / "newstest2019-src.eng.txt.gz", "rt", encoding="utf-8") as file:
        english = file.read().splitlines()
    out: dict[str, list[Row]] = {}
    for code, name in LANGUAGES.items():
        for path in base.glob(f"newstest2019-ref.{name}.txt.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                lines = file.read().splitlines()
            out[f"en-{code}"] = [Row(f"en-{code}", source, text) for source, text in zip(english, lines, strict=True)]
            out[f"{code}-en"] = [Row(f"{code}-en", text, source) for source, text in zip(english, lines, strict=True)]
    return out


def damage_donors(rows: Sequence[Row], rng: random.Random) -> dict[str, list[str]]:
    """Words of translations by target language, for damages that need other texts."""
    texts: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        texts[row.pair.partition("-")[2]].append(row.translation)
    out = {}
    for language, lines in texts.items():
        rng.shuffle(lines)
        words = [word for line in lines[:WORDS_OF_DONORS] for word in (line.split() if " " in line else list(line))]
        out[language] = words[:WORDS_OF_DONORS]
    return out


class UnitPlan:
    """Draws the units of epochs. `moments` are means and deviations of labels by label and pair."""

    def __init__(
        self,
        quality: Sequence[Row],
        mqm_rows: Sequence[Row],
        critical: Sequence[Row],
        references: Mapping[str, Sequence[Row]],
        moments: Mapping[str, Mapping[str, tuple[float, float]]],
        donors: Mapping[str, Sequence[str]],
    ) -> None:
        self.quality, self.mqm_rows, self.critical, self.references = quality, mqm_rows, critical, references
        self.moments, self.donors = moments, donors

    def units(
        self,
        rng: random.Random,
        quality: float,
        share: float,
        reference_count: int,
        companions: float = 1.0,
        faults: int = 0,
        are_labelled: bool = True,
        compounds: float = 0.0,
    ) -> list[Texts]:
        """Shares of the quality rows and of the others, and `reference_count` pairs of a reference and its damage.

        `companions` multiplies the shares of quality rows that come with a better or worse translation. `faults` is the number of
        translations beside a text that translates nothing; `are_labelled` gives these texts the worst labels of DA and HTER.
        `compounds` is the number of texts of several quality rows, as a share of these.
        """
        rows = rng.sample(self.quality, int(quality * len(self.quality)))
        out = [self._quality_unit(row, rng, companions) for row in rows]
        out += [(self._joined(rng.choice(self.quality), rng),) for _ in range(int(compounds * len(rows)))]
        for row in rng.sample(self.mqm_rows, int(share * len(self.mqm_rows))):
            worse = self._damage(row, rng) if rng.random() < MQM_DAMAGE_SHARE else None
            out.append((row, worse) if worse else (row,))
        out += [(row,) for row in rng.sample(self.critical, int(share / 2 * len(self.critical)))]
        pairs = sorted(self.references)
        for _ in range(reference_count if pairs else 0):
            row = rng.choice(self.references[rng.choice(pairs)])
            worse = self._damage(row, rng)
            if worse:
                out.append((row, worse))
        return out + [self._fault_unit(rng, are_labelled) for _ in range(faults)]

    def _joined(self, first: Row, rng: random.Random) -> Row:
        """The texts of two to four rows of a pair, with the means of their labels by words, so that length alone says nothing."""
        parts = [first, *rng.choices(self._rows_of[first.pair], k=rng.randint(1, 3))]
        tags = [row.tags for row in parts if row.tags is not None]
        words = [max(1, len(part.target)) for part in tags]
        labels = {
            name: sum(row.labels[name] * count for row, count in zip(parts, words, strict=True)) / sum(words)
            for name in first.labels
        }
        blank = "" if first.pair.endswith("-zh") else " "
        joined_tags = WordTags(
            [word for part in tags for word in part.source],
            [word for part in tags for word in part.target],
            [tag for part in tags for tag in part.source_tags],
            [*(tag for part in tags for tag in part.target_tags[:-1]), tags[-1].target_tags[-1]],
        )
        texts = " ".join(row.source for row in parts), blank.join(row.translation for row in parts)
        return Row(first.pair, *texts, labels, tags=joined_tags)

    @cached_property
    def _rows_of(self) -> Mapping[str, Sequence[Row]]:
        out = defaultdict[str, list[Row]](list)
        for row in self.quality:
            out[row.pair].append(row)
        return out

    def _fault_unit(self, rng: random.Random, is_labelled: bool) -> Texts:
        """A translation, and the source itself or the translation of another source, with the worst labels if `is_labelled`."""
        rows = (
            self.quality
            if not self.references or rng.random() < QUALITY_FAULTS
            else self.references[rng.choice([*self.references])]
        )
        row, rival = rng.choice(rows), rng.choice(rows)
        text = (
            row.source
            if rng.random() < COPIES or rival.source == row.source or rival.translation == row.translation
            else rival.translation
        )
        mean, deviation = self.moments["hter"].get(row.pair, (0.0, 1.0 / WORST))
        labels = {"critical": 1.0} | ({"da": -WORST, "hter": (1.0 - mean) / deviation} if is_labelled else {})
        words, foreign = (side.split() if " " in side else list(side) for side in (text, row.source))
        tags = WordTags(foreign, words, [1] * len(foreign), [0, *[1, 0] * len(words)])
        right = row if row.labels else replace(row, labels={"critical": 0.0})
        return (right, Row(row.pair, row.source, text, labels, tags=tags))

    def _damage(self, row: Row, rng: random.Random, donors_share: int = 400) -> Row | None:
        words = self.donors.get(row.pair.partition("-")[2], ())
        begin = rng.randrange(max(1, len(words) - donors_share))
        text = damaged(row.translation, row.source, words[begin : begin + donors_share], rng)
        return Row(row.pair, row.source, text) if text else None

    def _edited(self, row: Row) -> Row:
        """The post-edit as a translation without wrong words. Labels of a perfect one would move those of judged rows."""
        return Row(row.pair, row.source, row.post_edit or "", tags=self._right(row))

    @staticmethod
    def _right(row: Row) -> WordTags | None:
        if row.tags is None or not row.post_edit:
            return None
        words = row.post_edit.split() if " " in row.post_edit else list(row.post_edit)
        return WordTags((), words, (), [0] * (2 * len(words) + 1))

    def _quality_unit(self, row: Row, rng: random.Random, companions: float) -> Texts:
        draw = rng.random() / companions
        mean, deviation = self.moments["hter"][row.pair]
        if draw < DAMAGE_SHARE:
            worse = self._damage(row, rng)
            return (row, worse) if worse else (row,)
        if draw < DAMAGE_SHARE + EDIT_SHARE and row.joined_translation and row.labels["hter"] * deviation + mean >= LEAST_EDITS:
            return (self._edited(row), replace(row, translation=row.joined_translation))
        if DAMAGE_SHARE + EDIT_SHARE <= draw < DAMAGE_SHARE + EDIT_SHARE + DAMAGED_EDIT_SHARE and row.post_edit:
            edit = self._edited(row)
            worse = self._damage(edit, rng)
            if worse:
                return (edit, worse)
        return (row,)
