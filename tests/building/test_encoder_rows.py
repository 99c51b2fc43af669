"""Rows of the cross-encoder's training: the published data read right, nothing held out among them, damages that damage."""

import gzip
import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.predictors.cross_encoder import read_cross_encoder_card
from app.settings import ROOT
from scripts.encoder.damages import DAMAGES, damaged
from scripts.encoder.plan import UnitPlan, damage_donors
from scripts.encoder.rows import (
    QUALITY_PAIRS,
    Row,
    critical_rows,
    joiner_of,
    judged_rows,
    quality_rows,
    shipped_pairs,
    standardised,
)

DONORS = [
    "Yesterday",
    "the",
    "old",
    "King",
    "of",
    "Spain",
    "met",
    "seven",
    "ministers",
    "near",
    "Lisbon",
    "and",
    "promised",
    "them",
    "40",
    "new",
    "ships",
    "before",
    "winter",
    ".",
] * 3
TEXT = "In 1815 the Emperor was not able to return from the large island with his 30 men."
SOURCE = "1815 konnte der Kaiser mit seinen 30 Männern nicht von der großen Insel zurückkehren."


@pytest.fixture(scope="module")
def data(shared: Path) -> Path:
    return shared / "data"


@given(st.text("ab C1.,漢字 ", max_size=60), st.text("xy Z2", max_size=30), st.integers(0, 10_000))
def test_a_damaged_translation_is_another_one(translation: str, source: str, seed: int) -> None:
    text = damaged(translation, source, DONORS, random.Random(seed))
    assert text is None or (text != translation and text)


def test_each_damage_does_what_its_name_says() -> None:
    words, done = TEXT.split(), {}
    for function, _ in DAMAGES:
        for seed in range(20):
            out = function(list(words), SOURCE, DONORS, random.Random(seed))
            if out:
                done[function.__name__] = out
    assert len(done) == len(DAMAGES)
    assert len(done["_drop"]) < len(words) < len(done["_repeat"]) and sorted(done["_shuffle"]) == sorted(done["_swap"]) == sorted(
        words
    )
    assert "not" not in done["_negate"] and len(done["_negate"]) == len(words) - 1
    assert len(done["_opposite"]) == len(done["_number"]) == len(done["_replace"]) == len(words)
    assert [word for word in done["_number"] if not any(map(str.isdigit, word))] == [
        word for word in words if not any(map(str.isdigit, word))
    ]
    assert set(done["_untranslated"]) & set(SOURCE.split()) and set(done["_neighbour"]) <= set(DONORS)
    assert done["_half"] == words[: len(done["_half"])] and " ".join(done["_lower"]).lower() == TEXT.lower()


@pytest.mark.parametrize("pair", QUALITY_PAIRS)
def test_tokens_become_the_published_translations_again(data: Path, pair: str) -> None:
    rows = quality_rows(data, pair, "dev")
    assert len(rows) == 1000 and all(row.tags is not None for row in rows)
    for row in rows:
        assert row.tags is not None and len(row.tags.target_tags) == 2 * len(row.tags.target) + 1
        assert len(row.tags.source_tags) == len(row.tags.source)
    equal = [(row.joined_translation or "").split() == row.translation.split() for row in rows]
    if pair == "en-zh":
        # People write Chinese with and without blanks around signs and numbers.
        equal = [(row.joined_translation or "").replace(" ", "") == row.translation.replace(" ", "") for row in rows]
    assert np.mean(equal) > 0.75


def test_chinese_is_joined_without_blanks() -> None:
    assert (
        joiner_of("zh")(["最后", "的", "剑", "。"]) == "最后的剑。"
        and joiner_of("en")(["Hello", ",", "world", "."]) == "Hello, world."
    )


def test_spans_are_the_published_terms(data: Path) -> None:
    found, terms = 0, 0
    with gzip.open(data / "bio-mqm" / "en-de" / "dev.jsonl.gz", "rt", encoding="utf-8") as file:
        published: dict[tuple[str, str], set[str]] = {}
        for line in map(json.loads, file):
            published.setdefault((line["source"], line["target"]), set()).update(error["term"] for error in line["errors"])
    for row in judged_rows(data, "dev"):
        if row.pair == "en-de" and (row.source, row.translation) in published and row.spans:
            texts = published[row.source, row.translation]
            terms += len(row.spans)
            found += sum(row.translation[span.begin : span.end] in texts for span in row.spans)
    assert terms > 300 and found / terms > 0.9


def test_talks_have_no_tags_of_spans(data: Path) -> None:
    talks = [row for row in judged_rows(data, "dev") if "talks" in row.annotator]
    assert len(talks) > 1000 and not any("v>" in row.source + row.translation for row in talks)
    assert all(0 <= span.begin < span.end <= len(row.translation) for row in talks for span in row.spans or ())


def test_nothing_held_out_is_learned(data: Path) -> None:
    def keys(rows: list[Row]) -> set[tuple[str, str, str]]:
        return {(row.pair, row.source, row.translation) for row in rows}

    readers: list[Callable[[str], list[Row]]] = [
        partial(quality_rows, data, "ro-en"),
        partial(critical_rows, data, "en-cs"),
        partial(judged_rows, data),
    ]
    for read in readers:
        train, dev = keys(read("train")), keys(read("dev"))
        assert train and dev and len(train & dev) <= 0.02 * len(dev)


def test_labels_are_standardised_by_pair_and_annotator(data: Path) -> None:
    rows, moments = standardised(quality_rows(data, "et-en", "dev"))
    for label in ("da", "hter"):
        values = np.array([row.labels[label] for row in rows])
        assert values.mean() == pytest.approx(0, abs=1e-9) and values.std() == pytest.approx(1)
    hter = np.array([row.labels["hter"] for row in quality_rows(data, "et-en", "dev")])
    assert moments["hter"]["et-en"] == pytest.approx((hter.mean(), hter.std()))
    judged, _ = standardised(judged_rows(data, "dev"))
    by_annotator: dict[str, list[float]] = {}
    for row in judged:
        by_annotator.setdefault(row.annotator, []).append(row.labels["mqm"])
    assert all(abs(np.mean(values)) < 1e-9 for values in by_annotator.values() if len(values) >= 50)


def test_units_of_an_epoch_have_the_better_translation_first(data: Path) -> None:
    rows, moments = standardised(quality_rows(data, "ro-en", "dev"))
    rng = random.Random(1)
    plan = UnitPlan(rows, (), (), {"ro-en": rows[:5]}, moments, damage_donors(rows, rng))
    units = plan.units(rng, 1.0, 0.0, 10)
    pairs = [unit for unit in units if len(unit) == 2]
    assert len(units) > 1000 and 150 < len(pairs) < 400 and all(one.source == two.source for one, two in pairs)
    for better, worse in pairs:
        edits = [row.labels["hter"] for row in (better, worse) if "hter" in row.labels]
        assert better.translation != worse.translation and edits == sorted(edits)
    assert len(plan.units(rng, 0.5, 0.0, 0)) == 500
    faults = plan.units(rng, 0.0, 0.0, 0, faults=50)
    translations = {row.translation for row in rows}
    assert len(faults) == 50
    for right, fault in faults:
        assert fault.translation in {right.source, *translations} - {right.translation} and fault.labels["critical"] == 1
        if "hter" in right.labels:
            assert fault.labels["hter"] >= right.labels["hter"] and fault.labels["da"] == -2.5
        assert fault.tags is not None and len(fault.tags.target_tags) == 2 * len(fault.tags.target) + 1


def test_the_second_stage_learns_the_order_of_texts_that_nobody_judged(data: Path) -> None:
    rows, moments = standardised(quality_rows(data, "ro-en", "dev"))
    rng = random.Random(1)
    plan = UnitPlan(rows, (), (), {}, moments, damage_donors(rows, rng))
    units = plan.units(rng, 1.0, 0.0, 0, faults=50, are_labelled=False)
    judged = {row.translation for row in rows} | {row.joined_translation for row in rows}
    labels = [row.labels.keys() for unit in units[:-50] for row in unit if row.translation not in judged]
    assert len(labels) > 200 and not any(labels)
    assert [fault.labels for _, fault in units[-50:]] == [{"critical": 1.0}] * 50


def test_joined_texts_have_the_mean_of_their_labels_by_words(data: Path) -> None:
    rows, moments = standardised(quality_rows(data, "ro-en", "dev"))
    plan = UnitPlan(rows, (), (), {}, moments, {})
    units = plan.units(random.Random(1), 1.0, 0.0, 0, companions=1e-9, compounds=0.1)
    joined = [row for (row,) in units if row.translation not in {part.translation for part in rows}]
    assert len(joined) > 90
    by_source: dict[str, Row] = {row.source: row for row in rows}
    two = 0
    for text in joined:
        parts = [row for source, row in by_source.items() if source in text.source]
        first, second = sorted(parts[:2], key=lambda row: text.source.index(row.source)) if len(parts) == 2 else (None, None)
        if first is None or second is None or text.source != f"{first.source} {second.source}":
            continue
        two += 1
        counts = [len(row.tags.target) for row in (first, second) if row.tags is not None]
        by_hand = sum(row.labels["hter"] * count for row, count in zip((first, second), counts, strict=True)) / sum(counts)
        assert text.labels["hter"] == pytest.approx(by_hand) and text.tags is not None
        assert len(text.tags.target_tags) == 2 * sum(counts) + 1 and text.translation == f"{first.translation} {second.translation}"
    assert two > 10


def test_the_card_numbers_pairs_as_the_training_does(data: Path) -> None:
    assert read_cross_encoder_card(ROOT / "models" / "cross-e5-small").pairs == shipped_pairs(data)


def test_rows_without_labels_stay_unknown() -> None:
    rows, moments = standardised([Row("en-de", "a", "b"), Row("en-de", "c", "d", {"da": 1.0}), Row("en-de", "e", "f", {"da": 3.0})])
    assert [dict(row.labels) for row in rows] == [{}, {"da": -1.0}, {"da": 1.0}] and moments == {"da": {"en-de": (2.0, 1.0)}}
