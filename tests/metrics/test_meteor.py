"""METEOR of 2005 against its formula on the thesis' sentences, METEOR 1.5 against the published program, and what holds for all text."""

import gzip
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import Metric, metric_named, use_metric_files
from app.metrics.meteor.count_kernels import PIECES
from tests.metrics.test_simpbleu import CANDIDATES, R1, R2

PUBLISHED = json.loads((Path(__file__).parent / "meteor_1.5.json").read_text("utf-8"))


def segment_score(name: str, hypothesis: str, *references: str) -> float:
    metric = metric_named(name)
    return float(metric.segment_scores(metric.prepare([[r] for r in references]).statistics([hypothesis]))[0])


def matches_and_pieces(name: str, hypothesis: str, reference: str) -> tuple[int, int]:
    """Half the matched words of both sides, and pieces."""
    row = metric_named(name).prepare([[reference]]).statistics([hypothesis])[0]
    return int(row[4:PIECES].sum()) // 2, int(row[PIECES])


def write_tables(folder: Path) -> None:
    """The tables of the published values, in METEOR's formats."""
    tables = PUBLISHED["tables"]
    texts = {
        "function.words": "".join(f"{word}\n" for word in tables["function.words"]),
        "synonym.synsets": "".join(f"{word}\n{' '.join(map(str, sets))}\n" for word, sets in tables["synonym.synsets"].items()),
        "synonym.exceptions": "".join(f"{base}\n{' '.join(forms)}\n" for base, forms in tables["synonym.exceptions"].items()),
        "paraphrase.gz": "".join(f"0.5\n{phrase}\n{paraphrase}\n" for phrase, paraphrase in tables["paraphrase.gz"]),
        "stem.gz": "".join(f"{word} 1 {stem}\n" for word, stem in tables["stem.gz"].items()),
    }
    kinds = {
        "full": ("function.words", "synonym.synsets", "synonym.exceptions", "paraphrase.gz"),
        "paraphrases": ("function.words", "paraphrase.gz"),
        "stems": ("function.words", "stem.gz"),
    }
    for name, files in kinds.items():
        (folder / "meteor" / name).mkdir(parents=True)
        for file in files:
            content = texts[file].encode()
            (folder / "meteor" / name / file).write_bytes(gzip.compress(content, mtime=0) if file.endswith(".gz") else content)
    (folder / "meteor" / "stems" / "function.words").write_text("fy\nmn\n", "utf-8")


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Path]:
    """A folder of files of metrics with the tables full, paraphrases and stems."""
    write_tables(tmp_path)
    use_metric_files(None, tmp_path)
    yield tmp_path / "meteor"
    use_metric_files()


@pytest.mark.parametrize(
    ("candidate", "printed", "cubed"), [("C1", 0.297619, 0.350529), ("C3", 0.178571, 0.178571), ("C4", 0.944444, 0.999314)]
)
def test_the_sentences_of_the_thesis(candidate: str, printed: float, cubed: float) -> None:
    """Digest 4.5: one and three pieces of three matches."""
    assert segment_score("meteor|tok:none|beta:1", CANDIDATES[candidate], R1) == pytest.approx(100 * printed, abs=1e-4)
    assert segment_score("meteor|tok:none", CANDIDATES[candidate], R1) == pytest.approx(100 * cubed, abs=1e-4)


def test_the_formula_of_the_thesis_on_reordering() -> None:
    """Digest 4.15: P .8, R .6, α .85, γ .5, β 3, 3 pieces of 6 matches; F .623377, penalty .0625."""
    row = np.zeros((1, 21))
    row[0, [0, 1, 4, 5, PIECES]] = 7.5, 10, 6, 6, 3
    metric = metric_named("meteor|alpha:0.85|gamma:0.5|beta:3")
    assert float(metric.score(row)[0]) == pytest.approx(58.4416, abs=1e-4)


def test_function_and_content_words_of_each_stage_are_weighted() -> None:
    """Equations 2.42 to 2.46 of the thesis on reordering, by hand."""
    row = np.zeros((1, 21))
    # Five and six words, two and three of them function words; exact 1 content and 1 function word, stems 2 content words.
    row[0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, PIECES]] = 5, 6, 2, 3, 1, 1, 1, 1, 2, 2, 2
    precision = (0.75 * (1 + 0.6 * 2) + 0.25 * 1) / (0.75 * 3 + 0.25 * 2)
    recall = (0.75 * (1 + 0.6 * 2) + 0.25 * 1) / (0.75 * 3 + 0.25 * 3)
    expected = precision * recall / (0.85 * precision + 0.15 * recall) * (1 - 0.6 * (2 / 4) ** 0.2)
    assert float(metric_named("meteor:1.5|lang:en").score(row)[0]) == pytest.approx(100 * expected, abs=1e-9)


@pytest.mark.parametrize("name", PUBLISHED["scores"])
def test_the_published_program(name: str, tables: Path) -> None:
    """METEOR 1.5's scores of segments and corpora, by language and by parameters of one's own."""
    pairs = PUBLISHED["arabic" if "stem:table" in name else "pairs"]
    metric = metric_named(name)
    statistics = metric.prepare([[reference for _, reference in pairs]]).statistics([hypothesis for hypothesis, _ in pairs])
    expected = PUBLISHED["scores"][name]
    np.testing.assert_allclose(metric.segment_scores(statistics), 100 * np.array(expected["segments"]), rtol=0, atol=1e-7)
    assert float(metric.score(statistics.sum(0, keepdims=True))[0]) == pytest.approx(100 * expected["corpus"], abs=1e-9)
    assert metric.plausible_rows(statistics, 1).all()
    assert metric_named(f"{name.partition('|')[0]}|{metric.options()}") == metric


def test_the_statistics_of_the_published_program(tables: Path) -> None:
    pairs = PUBLISHED["pairs"]
    metric = metric_named("meteor:1.5|tok:none|lang:en|tables:full")
    statistics = metric.prepare([[reference for _, reference in pairs]]).statistics([hypothesis for hypothesis, _ in pairs])
    expected = np.array(PUBLISHED["statistics"], float)
    perfect = (expected[:, 4:PIECES].sum(1) == expected[:, :2].sum(1)) & (expected[:, PIECES] == 1)
    # The program leaves out pieces of perfect matches when it adds segments up.
    expected[perfect, PIECES] = 0
    assert perfect.any()
    np.testing.assert_array_equal(statistics, expected)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "exact", "stems"),
    [
        (
            "and the average user facebook create 90 pieces content every month .",
            "and the average facebook user is creating 90 pieces of content each month .",
            0.6463768115942029,
            0.7324230446760093,
        ),
        ("it 's just so short video of what we 're doing .", "it 's just a quick video of what we do .", 0.7017173423423423, 0.7957957957957958),
        ("( laughter ) want to guess who open doors ?", "( laughter ) you want to guess who opened the door ?", 0.6600900423728814, 0.8360169491525423),
    ],
)  # fmt: skip
def test_2005_by_nltk(hypothesis: str, reference: str, exact: float, stems: float) -> None:
    """NLTK 3.10's meteor_score without WordNet. No word occurs twice, so that there is one alignment."""
    assert segment_score("meteor|tok:none", hypothesis, reference) == pytest.approx(100 * exact, abs=1e-9)
    assert segment_score("meteor|tok:none|stem:en", hypothesis, reference) == pytest.approx(100 * stems, abs=1e-9)


def test_2005_finds_long_runs_of_frequent_words() -> None:
    """A sentence whose beam search gives 10 pieces; the longest runs, and NLTK's search, give fewer."""
    hypothesis = (
        "but what if these robots knew interact based on unique traits a specific person based on hundreds of thousands of "
        "pieces of content that that person produced my life ?"
    )
    reference = (
        "but what if those robots were able to interact based on the unique characteristics of a specific person based on the "
        "hundreds of thousands of pieces of content that person produces in their lifetime ?"
    )
    assert matches_and_pieces("meteor:1.5|tok:none", hypothesis, reference) == (23, 10)
    assert segment_score("meteor|tok:none", hypothesis, reference) >= 65.26396537081175 - 1e-9


def test_stems_match_after_words() -> None:
    assert segment_score("meteor|tok:none", "rains", "rain") == 0
    assert segment_score("meteor|tok:none|stem:en", "rains", "rain") == 50
    # Both matched, in two pieces where the order changed.
    assert matches_and_pieces("meteor|tok:none|stem:en", "fall rains", "rain falls") == (2, 2)


def test_the_stages_of_2005_take_turns(tables: Path) -> None:
    """Equal words take precedence over a longer run with synonyms; equal alternatives are chosen for few pieces."""
    assert matches_and_pieces("meteor|tok:none|tables:full", "big home", "large home big dwelling") == (2, 2)
    assert matches_and_pieces("meteor|tok:none", "x the y the z", "the y the q x") == (4, 2)


def test_the_kindest_reference_counts() -> None:
    both = segment_score("meteor|tok:none", CANDIDATES["C6"], R1, R2)
    assert both == segment_score("meteor|tok:none", CANDIDATES["C6"], R2) == pytest.approx(100 * (1 - 0.5 / 8**3))


def test_pieces_do_not_run_over_the_ends_of_segments() -> None:
    metric = metric_named("meteor|tok:none")
    statistics = metric.prepare([["a b", "c d", "", "e"]]).statistics(["a b", "c d", "", "e"])
    assert statistics[:, [4, 5, PIECES]].tolist() == [[2, 2, 1], [2, 2, 1], [0, 0, 0], [1, 1, 1]]


def fewest_pieces(hypothesis: list[str], reference: list[str]) -> int:
    """Fewest pieces of all alignments with the most matches, by trying them all."""
    best = (0, 0)
    places = [[None, *(j for j, word in enumerate(reference) if word == own)] for own in hypothesis]
    for links in itertools.product(*places):
        linked = [j for j in links if j is not None]
        if len(set(linked)) == len(linked):
            pieces = sum(j is not None and (i == 0 or links[i - 1] is None or links[i - 1] != j - 1) for i, j in enumerate(links))
            best = min(best, (-len(linked), pieces))
    return best[1]


words = st.lists(st.sampled_from("abcd"), max_size=6)


@given(words, words)
def test_matches_are_those_of_bags_and_pieces_are_fewest(hypothesis: list[str], reference: list[str]) -> None:
    for name in ("meteor|tok:none", "meteor:1.5|tok:none"):
        metric = metric_named(name)
        row = metric.prepare([[" ".join(reference)]]).statistics([" ".join(hypothesis)])[0]
        bag = sum(min(hypothesis.count(word), reference.count(word)) for word in set(hypothesis))
        assert row[4] == row[5] == bag
        is_perfect = hypothesis == reference and name != "meteor|tok:none"
        assert row[PIECES] == (0 if is_perfect else fewest_pieces(hypothesis, reference))
        assert 0 <= float(metric.score(row[None])[0]) <= 100
        assert metric.plausible_rows(row[None], 1).all()


def test_equal_texts_are_perfect_in_1_5_alone() -> None:
    assert segment_score("meteor:1.5", "a b c", "a b c") == pytest.approx(100)
    assert segment_score("meteor", "a b c", "a b c") == pytest.approx(100 * (1 - 0.5 / 27))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("meteor|lang:en", "lang chooses parameters of METEOR 1.5"),
        ("meteor:1.4", "METEOR has the variants 2005, 1.5"),
        ("meteor:1.5|lang:nl", "option lang of meteor accepts: universal, en"),
        ("meteor|power:1", "power is no option of meteor"),
        ("meteor|weights:1_1_1", "option weights of meteor accepts"),
        ("meteor|weights:1_1_1_2", "option weights of meteor accepts"),
        ("meteor|weights:1_1_1_nan", "option weights of meteor accepts"),
        ("meteor|gamma:2", "option gamma of meteor accepts"),
        (
            "meteor|tables:gone",
            "option tables of meteor accepts: no, or the name of tables in the folder meteor of ASSAY_METRIC_FILES",
        ),
        ("meteor|tables:..", "option tables"),
        ("meteor|tables:../meteor/full", "option tables"),
        ("meteor|tables:/etc", "option tables"),
        ("meteor|tables:full|sha:00000000", "sha of meteor is"),
    ],
)
def test_other_values_are_refused_by_name(name: str, message: str, tables: Path) -> None:
    with pytest.raises(InputError, match=message):
        metric_named(name)


def prepared(name: str) -> object:
    metric: Metric = metric_named(name)
    return metric.prepare([["a"]])


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("function.words", b"\xff\n", "byte 1 of function.words, in line 1, is not UTF-8"),
        ("synonym.synsets", b"house\n1 2\nhome\n", "line 3 of synonym.synsets is not the first of two lines"),
        ("synonym.synsets", b"house\none\n", "'one' in synonym.synsets is no list of numbers"),
        ("synonym.exceptions", b"man\n", "line 1 of synonym.exceptions is not the first of two lines"),
        ("stem.gz", b"houses house\n", "line 1 of stem.gz is not a word, a count and a stem"),
        ("paraphrase.gz", b"0.5\na\nb\n", "paraphrase.gz is no gzip file"),
        ("paraphrase.gz", gzip.compress(b"0.5\na\nb\n", mtime=0)[:-4], "paraphrase.gz is no gzip file or is damaged"),
        ("paraphrase.gz", gzip.compress(b"0.5\na\nb\n0.5\na\n", mtime=0), "paraphrase.gz ends within an entry, at line 4"),
        ("paraphrase.gz", gzip.compress(b"0.5\na\n\n", mtime=0), "line 3 of paraphrase.gz is not a phrase of 1 to 16 words"),
        ("paraphrase.gz", gzip.compress(b"a b\na\nb\n", mtime=0), "line 1 of paraphrase.gz is not a probability"),
        ("paraphrase.gz", gzip.compress(b"0.5\n" + 17 * b"a " + b"\nb\n", mtime=0), "line 2 of paraphrase.gz is not a phrase"),
        ("paraphrase.gz", gzip.compress(b"0.5\na\nb\n0.5\n\xc3\nb\n", mtime=0), "in line 5, is not UTF-8"),
    ],
)
def test_a_bad_table_is_refused_by_its_line(file: str, content: bytes, message: str, tables: Path) -> None:
    (tables / "full" / file).write_bytes(content)
    with pytest.raises(InputError, match=message):
        prepared("meteor:1.5|lang:en|tables:full")


def test_a_missing_table_is_refused(tables: Path) -> None:
    with pytest.raises(InputError, match=r"stem:table needs the table stem\.gz, and tables:full have none"):
        prepared("meteor:1.5|stem:table|tables:full")
    (tables / "empty").mkdir()
    with pytest.raises(InputError, match="METEOR's tables empty have none of the files function"):
        prepared("meteor:1.5|tables:empty")


def test_a_changed_table_is_read_again(tables: Path) -> None:
    before = metric_named("meteor|tok:none|tables:full")
    assert segment_score("meteor|tok:none|tables:full", "big", "large") == 50
    signature = before.options()
    (tables / "full" / "synonym.synsets").write_text("big\n1\nlarge\n2\n", "utf-8")
    assert segment_score("meteor|tok:none|tables:full", "big", "large") == 0
    assert metric_named("meteor|tok:none|tables:full").options() != signature


def test_a_table_of_many_blocks(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.metrics.meteor import paraphrases

    path = tables / "paraphrases" / "paraphrase.gz"
    whole = paraphrases.read_paraphrases(path)
    for size in (1, 7, 16):
        monkeypatch.setattr(paraphrases, "BLOCK", size)
        parts = paraphrases.read_paraphrases(path)
        for name in ("phrases", "paraphrases", "widths", "longest"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    monkeypatch.setattr(paraphrases, "MOST_BYTES", 20)
    with pytest.raises(InputError, match="has more than 20 bytes"):
        paraphrases.read_paraphrases(path)
