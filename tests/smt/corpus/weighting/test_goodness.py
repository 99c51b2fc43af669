"""Scores of sentence pairs by their laws, and resampling against drawing pair by pair."""

import gzip
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.resources.language_models import open_language_model
from app.shell.program import program
from app.smt.corpus.weighting import resampling
from app.smt.corpus.weighting.columns import Labels, by_name, read_days, read_labels, read_numbers
from app.smt.corpus.weighting.goodness import (
    SPANS,
    alignment_scores,
    decay,
    inverse_perplexities,
    years_ago,
    years_by_corpus,
    years_by_line,
)
from app.smt.corpus.weighting.resampling import draw_counts, resample_files, share_out
from app.text.batch import pack_lines

LOG_PROBS = st.lists(st.tuples(st.floats(-300, -0.7), st.floats(-300, -0.7)), min_size=1, max_size=20)


@given(LOG_PROBS, st.floats(0.01, 1))
def test_alignment_scores_keep_the_order_of_pairs_and_end_at_one(pairs: list[tuple[float, float]], smoothing: float) -> None:
    values = np.array(pairs)
    mean = np.logaddexp(values[:, 0], values[:, 1])
    best = int(np.argmax(mean))
    for form in ("ratio", "power", "minmax"):
        scores = alignment_scores(values, smoothing, form)  # type: ignore[arg-type]
        assert scores[best] == pytest.approx(1) and scores.max() <= 1 + 1e-12
        assert (scores >= 0).all() if form != "ratio" else (scores > 0).all()
        assert (np.diff(scores[np.argsort(mean, kind="stable")]) >= -1e-9).all()
    # Min-max takes the smoothing out again; that is why it is not what is used unless said so.
    assert alignment_scores(values, smoothing, "minmax") == pytest.approx(alignment_scores(values, 7.0, "minmax"))


def test_alignment_scores_by_hand() -> None:
    values = np.log([[0.4, 0.2], [0.1, 0.05], [0.03, 0.03]])
    x = np.array([0.3, 0.075, 0.03])
    assert alignment_scores(values, 0.1, "ratio") == pytest.approx(np.log(0.03) / np.log(0.1 * x))
    assert alignment_scores(values, 1.0, "power") == pytest.approx(x / 0.3)
    assert alignment_scores(values, 1e-12, "power") == pytest.approx(np.ones(3))
    assert alignment_scores(values, 1.0, "minmax") == pytest.approx((np.log(x) - np.log(0.03)) / np.log(10))
    with pytest.raises(InputError, match=r"at most 3\.333"):
        alignment_scores(values, 4.0, "ratio")
    with pytest.raises(InputError, match="above 0"):
        alignment_scores(values, 0.0, "power")


def test_how_time_is_cut_does_not_change_how_far_it_decays() -> None:
    days = np.array([(date(2011, 1, 1) + timedelta(days=day)).toordinal() for day in range(3653)])
    for span in SPANS:
        years = years_ago(days, span)
        assert years[-1] == 0 and years.max() == pytest.approx(10, abs=1.001)
        times = np.unique(years)
        weights = decay(times, 0.5)
        weights = weights / weights.sum()
        assert weights.sum() == pytest.approx(1) and (np.diff(weights) < 0).all() and times[0] == 0
        assert weights[0] / weights[-1] == pytest.approx(np.exp(0.5 * times[-1]))
    assert decay(np.unique(years_ago(days, "year")), 0.0) == pytest.approx(np.ones(10))
    assert decay(years_by_line(6, 3, 3.0), np.log(2)) == pytest.approx([0.25, 0.25, 0.5, 0.5, 1, 1])


def test_each_corpus_may_decay_at_a_rate_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    labels = Labels(("a", "b"), np.array([0, 1, 0, 1, 1, 0, 0, 1], np.int32))
    assert years_by_corpus(labels, 2, 2.0).tolist() == [1, 1, 1, 1, 0, 0, 0, 0]
    assert years_by_corpus(Labels.single(6), 3, 3.0).tolist() == years_by_line(6, 3, 3.0).tolist()
    for name, lines in (("text", ["w"] * 8), ("corpora", [labels.names[k] for k in labels.ids])):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    command = typer.main.get_command(program)
    call = [
        "corpus",
        "weight",
        "text",
        "--corpora",
        "corpora",
        "--spans",
        "2",
        "--years",
        "2",
        "--power",
        "recency=1",
        "--out",
        "w",
        "--replace",
    ]

    def weights(*rates: str) -> list[float]:
        command.main([*call, *(word for rate in rates for word in ("--decay", rate))], standalone_mode=False)
        return [float(line) for line in (tmp_path / "w").read_text("utf-8").split()]

    half, third = np.log(2), np.log(3)
    assert weights(f"a={half}", f"b={third}") == pytest.approx([1 / 2, 1 / 3, 1 / 2, 1 / 3, 1, 1, 1, 1])
    assert weights(f"{half}", f"b={third}") == weights(f"a={half}", f"b={third}")
    assert weights(f"b={third}") == pytest.approx([1, 1 / 3, 1, 1 / 3, 1, 1, 1, 1])
    # One rate for all: time goes through the whole text.
    assert weights(f"{half}") == pytest.approx([0.5] * 4 + [1.0] * 4)
    assert weights("0") == [1.0] * 8
    for rates in (["-1"], ["1", "2"], ["nan"], ["c=1"], ["a=-1"], ["a=x"]):
        with pytest.raises(InputError, match=r"--decay: "):
            weights(*rates)


def test_inverse_perplexities_are_those_of_the_words_and_the_end(tmp_path: Path) -> None:
    text = pack_lines(["a b c", "b a", "c"])
    write_kenlm_trie(estimate_language_model(text, 2), tmp_path / "lm")
    model = open_language_model(tmp_path / "lm")
    column = pack_lines(["a b", "q", ""])
    words = 10 ** model.score_both(column)[1].log_prob
    expected = [np.prod(words[:3]) ** (1 / 3), np.prod(words[3:5]) ** (1 / 2), words[5]]
    assert inverse_perplexities(model, column) == pytest.approx(expected)


@given(st.integers(0, 10_000), st.lists(st.floats(0.001, 1000), min_size=1, max_size=8))
def test_shares_sum_to_the_size_and_none_is_off_by_one(size: int, weights: list[float]) -> None:
    shares = share_out(size, np.array(weights))
    assert shares.sum() == size
    assert (np.abs(shares - size * np.array(weights) / sum(weights)) < 1).all()


@settings(max_examples=30)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=30), st.integers(0, 100), st.integers(0, 99))
def test_what_is_drawn_has_the_shares_and_leaves_out_what_scores_nothing(ids: list[int], size: int, seed: int) -> None:
    names, numbers = np.unique(ids, return_inverse=True)
    labels = Labels(tuple(map(str, names)), numbers.astype(np.int32))
    scores = np.where(np.arange(len(ids)) % 2, 0.0, 0.5)
    scores[[int(np.flatnonzero(numbers == corpus)[0]) for corpus in range(len(names))]] = 1.0
    shares = np.arange(1.0, len(names) + 1)
    counts = draw_counts(labels, np.random.default_rng(seed), size, shares, scores)
    assert not counts[scores == 0].any()
    assert np.bincount(numbers, counts, len(names)).tolist() == share_out(size, shares).tolist()


def test_drawing_at_once_is_drawing_one_by_one() -> None:
    scores = np.array([1.0, 0.5, 0.25, 0.05])
    generator = np.random.default_rng(3)
    one_by_one = np.zeros(4)
    while one_by_one.sum() < 4000:
        pair = generator.integers(4)
        one_by_one[pair] += scores[pair] > generator.random()
    at_once = draw_counts(Labels.single(4), np.random.default_rng(5), 4000, scores=scores)
    expected = 4000 * scores / scores.sum()
    assert chisquare(one_by_one, expected).pvalue > 0.01
    assert chisquare(at_once, expected).pvalue > 0.01


def test_without_scores_and_weights_nothing_changes_but_by_chance() -> None:
    # Of the law that equal weights change nothing: expected counts are equal, and the deviation is that of chance.
    counts = draw_counts(Labels.single(1000), np.random.default_rng(5), 10_000)
    assert chisquare(counts).pvalue > 0.01


def test_copies_of_a_line_are_not_made_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "COPY_BYTES", 5)
    (tmp_path / "source").write_text("a\nbcd\nlonger\n", "utf-8")
    resample_files(
        [tmp_path / "source"], tmp_path / "out", np.array([6, 2, 3]), Labels.single(3), False, "assay corpus resample"
    )  # fmt: skip
    assert (tmp_path / "out" / "source").read_text("utf-8") == "a\n" * 6 + "bcd\n" * 2 + "longer\n" * 3


def test_files_are_resampled_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("a\nb\nc\n", "utf-8")
    with gzip.open(tmp_path / "target.gz", "wb") as file:
        file.write(b"A\nB\nC")
    files = [tmp_path / "source", tmp_path / "target.gz"]
    labels = Labels(("x", "y"), np.array([0, 1, 1], np.int32))
    made = resample_files(files, tmp_path / "out", np.array([2, 0, 1]), labels, False, "assay corpus resample")
    assert (made.pairs, made.output_pairs, made.draws) == (3, 3, {"x": 2, "y": 1})
    assert (tmp_path / "out" / "source").read_text("utf-8") == "a\na\nc\n"
    assert gzip.decompress((tmp_path / "out" / "target.gz").read_bytes()) == b"A\nA\nC\n"
    # Nothing drawn and all once more is the text itself.
    resample_files(files, tmp_path / "same", np.zeros(3, np.int64), labels, True, "assay corpus resample")
    assert (tmp_path / "same" / "source").read_bytes() == files[0].read_bytes()
    assert gzip.decompress((tmp_path / "same" / "counts.gz").read_bytes()) == b"1\n1\n1\n"
    with pytest.raises(InputError, match="--replace"):
        resample_files(files, tmp_path / "out", np.zeros(3, np.int64), labels, True, "assay corpus resample")
    with pytest.raises(InputError, match="3 lines"):
        resample_files(files, tmp_path / "new", np.zeros(2, np.int64), labels, True, "assay corpus resample")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("text", "read", "told"),
    [
        ("a\n\n", read_labels, "line 2"),
        ("a b\n", read_labels, "line 1"),
        ("0.5\n1.5\n", lambda path: read_numbers(path, 1, 0, 1), "line 2"),
        ("0.5\nnan\n", read_numbers, "line 2"),
        ("0.5 2\n1\n", lambda path: read_numbers(path, 2), "line 2"),
        ("2011-02-28\n2011-02-30\n", read_days, "line 2"),
        ("2011\nsoon\n", read_days, "line 2"),
    ],
)
def test_files_that_are_wrong_are_told_by_line(text: str, read: object, told: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text, "utf-8")
    with pytest.raises(InputError, match=told):
        read(tmp_path / "file")  # type: ignore[operator]


def test_dates_and_names_are_read(tmp_path: Path) -> None:
    (tmp_path / "dates").write_text("2011-07-27\n2011-07\n2011\n", "utf-8")
    assert read_days(tmp_path / "dates").tolist() == [
        date(2011, month, day).toordinal() for month, day in ((7, 27), (7, 1), (1, 1))
    ]
    assert by_name(["a=0.5", "b=2"], ["a", "b"], "--share") == {"a": 0.5, "b": 2.0}
    for words in (["a"], ["a=x"], ["c=1"], ["a=-1"]):
        with pytest.raises(InputError) as refused:
            by_name(words, ["a", "b"], "--share")
        assert refused.value.where == ("--share",)


@pytest.mark.parametrize(
    "options",
    [
        ["--dates", "dates"], ["--span", "month"], ["--spans", "3"], ["--form", "power"], ["--smoothing", "2"], ["--order", "5"],
        ["--decay", "1", "--dates", "dates", "--years", "7"], ["--corpus-weight", "all=1", "--corpus-weight", "all=2"],
    ],
)  # fmt: skip
def test_no_option_is_dropped_without_a_word(options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("a\nb\n", "utf-8")
    (tmp_path / "dates").write_text("2011\n2012\n", "utf-8")
    with pytest.raises(InputError):
        typer.main.get_command(program).main(["corpus", "weight", "text", "--out", "out", *options], standalone_mode=False)
    assert not (tmp_path / "out").exists()
