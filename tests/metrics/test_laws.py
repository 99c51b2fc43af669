"""Laws of trained metrics: a reference is never beaten by itself damaged, whatever a metric was trained on."""

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import TrainedMetric, load_trained_metrics, metric_named, use_metric_files
from app.metrics.learnt.laws import DAMAGES, REPEATING, damaged
from app.metrics.learnt.templates import feature_template
from app.metrics.learnt.training import JudgedTranslations, train_linear_metric
from app.settings import ROOT
from tests.metrics.test_meteor import write_tables

SHIPPED = load_trained_metrics(ROOT / "models" / "metrics")
SEGMENTS = 150
# What the released BEER 2.0 was trained on is English, and it takes any language.
LANGUAGES = {"en", "de", "zh"}
MOVING = {"shuffled", "two words swapped"}
TINY = 1e-9
TAGS = ("NOUN", "VERB", "ADJ", "ADV", "PROPN")


@pytest.fixture(scope="module", autouse=True)
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """METEOR's tables under the name full."""
    folder = tmp_path_factory.mktemp("files")
    write_tables(folder)
    use_metric_files(None, folder)
    yield
    use_metric_files()


def invented(metric: TrainedMetric) -> list[str]:
    """Sentences of the metric's function words, words that nobody has seen, numbers and punctuation; some are one word."""
    rng = random.Random(metric.id)
    function = list(metric.function_words) or ["the", "of", "and"]
    letters = "天地人山水火木金土日月" if metric.language == "zh" else "aeiourstlnm"

    def token() -> tuple[str, str]:
        kind = rng.random()
        if kind < 0.4:
            return rng.choice(function), "ADP"
        if kind < 0.5:
            return rng.choice(",.;:!?"), "PUNCT"
        if kind < 0.55:
            return str(rng.randrange(2000)), "NUM"
        return "".join(rng.choices(letters, k=rng.randint(1, 9))), rng.choice(TAGS)

    rows = [[token() for _ in range(rng.randint(1, 30))] for _ in range(SEGMENTS)]
    if metric.needs_tags:
        return [" ".join(f"{word}|{tag}" for word, tag in row) for row in rows]
    return [("" if metric.language == "zh" else " ").join(word for word, _ in row) for row in rows]


def of_treebank(shared: Path, metric: TrainedMetric) -> list[str]:
    """Sentences of people; they were no reference of any training."""
    language = metric.language if metric.language in LANGUAGES else "en"
    rows: list[list[str]] = [[]]
    with gzip.open(shared / "data" / "ud" / language / "test.conllu.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.split("\t")
            if line == "\n":
                rows.append([])
            elif cells[0].isdigit():
                word = cells[1].replace("|", "/").replace(" ", "")
                rows[-1].append(f"{word}|{cells[3]}" if metric.needs_tags else word)
    between = "" if language == "zh" and not metric.needs_tags else " "
    return [between.join(row) for row in rows if row][:SEGMENTS]


def beaten(metric: TrainedMetric, references: list[str], repeating: bool = True) -> list[tuple[str, str, str]]:
    """References that are worse than themselves damaged, or no better than in another order: damage, reference, damaged.

    Words that stand in another order may hold the same n-grams: then they are no worse.
    """
    options = ("|factored:yes" if metric.needs_tags else "") + ("|tables:full" if metric.needs_tables else "")
    scorer = metric_named(f"trained:{metric.id}{options}", {**SHIPPED, metric.id: metric})
    rng = random.Random(1)
    between = "" if metric.language == "zh" and not metric.needs_tags else " "
    rows = [
        (name, reference, changed)
        for reference in references
        for name, changed in damaged(reference, rng, between).items()
        if repeating or name not in REPEATING
    ]
    prepared = scorer.prepare([[reference for _, reference, _ in rows]])
    own = scorer.segment_scores(prepared.statistics([reference for _, reference, _ in rows]))
    theirs = scorer.segment_scores(prepared.statistics([changed for _, _, changed in rows]))
    assert {name for name, _, _ in rows} == (set(DAMAGES) if repeating else DAMAGES.keys() - REPEATING)
    moved = np.array([name in MOVING for name, _, _ in rows])
    assert (own > theirs)[moved].mean() > 0.9
    return [row for row, better in zip(rows, np.where(moved, own >= theirs - TINY, own > theirs), strict=True) if not better]


@pytest.mark.parametrize("name", SHIPPED)
def test_no_damage_makes_what_ships_prefer_it(name: str) -> None:
    """Of whatever words, and few of them: where nothing is repeated this is so by the signs of the weights."""
    assert beaten(SHIPPED[name], invented(SHIPPED[name]), repeating=False) == []


@pytest.mark.parametrize("name", [name for name, metric in SHIPPED.items() if metric.aligns])
def test_no_pair_of_function_words_is_better_without_one(name: str) -> None:
    """Features of function words rise if content words are deleted, so that their weights may have any sign."""
    metric, rng = SHIPPED[name], random.Random(2)
    between = "" if metric.language == "zh" else " "
    assert beaten(metric, [between.join(rng.sample(metric.function_words, 2)) for _ in range(SEGMENTS)], repeating=False) == []


@pytest.mark.parametrize("name", SHIPPED)
def test_no_damage_to_sentences_of_people_does(name: str, shared: Path) -> None:
    references = of_treebank(shared, SHIPPED[name])
    assert len(references) == SEGMENTS
    assert beaten(SHIPPED[name], references) == []


def judgements(seed: int, sign: float = 1.0) -> JudgedTranslations:
    """Translations that lack words of their references, or have others, and never stand in another order; labels with noise."""
    rng = random.Random(seed)
    words = [f"w{k}" for k in range(40)] + ["the", "of", "and", ",", "."]
    references = [" ".join(rng.choices(words, k=rng.randint(4, 20))) for _ in range(120)]
    translations, labels = [], []
    for reference in references:
        changed = [rng.choice(words) if rng.random() < 0.2 else word for word in reference.split() if rng.random() > 0.15]
        translations.append(" ".join(changed))
        kept = len(set(changed) & set(reference.split())) / len(set(reference.split()))
        labels.append(sign * (kept + rng.gauss(0, 0.3)))
    return JudgedTranslations(translations, references, np.array(labels), np.arange(120) // 6)


def trained(judged: JudgedTranslations, template: str, objective: str) -> TrainedMetric:
    return train_linear_metric(
        "mine", "rose", "en", feature_template(template), judged, objective, {}, metric_named, function_words=("the", "of", "and")
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("template", "objective"),
    [("rose", "regression"), ("rose", "ranking"), ("beer-3.0", "logistic"), ("beer-1.1", "logistic"), ("beer-3.0", "ranking")],
)
def test_whatever_was_judged_references_are_preferred(template: str, objective: str, seed: int) -> None:
    judged = judgements(seed)
    metric = trained(judged, template, objective)
    assert metric.card["laws"]["broken"] == 0 < metric.card["laws"]["references"]
    assert beaten(metric, judged.references[:50]) == []


@pytest.mark.parametrize("objective", ["regression", "ranking", "logistic"])
def test_labels_the_wrong_way_round_are_refused(objective: str) -> None:
    with pytest.raises(InputError, match="give better translations higher labels") as refused:
        trained(judgements(1, -1.0), "rose", objective)
    assert refused.value.code == "invalid-training-data"
