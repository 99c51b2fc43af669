"""Weighted phrase probabilities: equation 4 from its definition, and the laws that lead back to plain tables."""

import gzip
from collections import defaultdict
from collections.abc import Callable
from hashlib import sha256
from math import prod
from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.resources.manifest import read_manifest
from app.smt.corpus import external_sort
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.discounting import Discount
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.tables import PHRASE_TABLE, TableOptions, build_tables
from app.smt.corpus.trees.merging import merge_extractions
from app.smt.corpus.weighting.columns import Labels
from app.smt.corpus.weighting.phrase_scores import PhraseScores
from app.smt.corpus.weighting.resampling import resample_files
from app.smt.corpus.weighting.sentence_weights import PairScores, corpus_mixture, read_table
from app.text.batch import pack_lines

Table = dict[tuple[str, str], list[float]]


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    generator = np.random.default_rng(11)
    words = [[f"{letter}{number}" for number in range(4)] for letter in "st"]
    lines: list[list[str]] = [[], [], []]
    for _ in range(60):
        size = int(generator.integers(1, 5))
        for side, vocabulary in enumerate(words):
            lines[side].append(" ".join(generator.choice(vocabulary, size)))
        lines[2].append(" ".join(f"{place}-{place}" for place in range(size)))
    paths = [tmp_path / name for name in ("source", "target", "links")]
    for path, column in zip(paths, lines, strict=True):
        path.write_text("\n".join(column) + "\n", "utf-8")
    return paths


@pytest.fixture
def table_of(texts: list[Path], tmp_path: Path) -> Callable[..., bytes]:
    def made(weigher: PhraseScores | None = None, weights: Path | None = None, name: str = "phrase-table.gz") -> bytes:
        extract_phrases(
            *texts,
            tmp_path / "extracted",
            models=[OrientationModel.parse("wbe-msd")],
            weights=weights,
            replace=True,
            numbered=weigher is not None,
            # Scores of phrases weight no links of words.
            unweighted_lexical=weights is not None,
        )
        options = TableOptions(reordering=(ReorderingModel.parse("wbe-msd-bidirectional-fe"),), weigher=weigher)
        build_tables(tmp_path / "extracted", tmp_path / "tables", options, replace=True)
        return gzip.decompress((tmp_path / "tables" / name).read_bytes())

    return made


def scores_of(text: bytes) -> Table:
    rows = [line.split(" ||| ") for line in text.decode().splitlines()]
    return {(row[0], row[1]): [float(value) for value in row[2].split()] for row in rows}


def pairs_of(powers: int = 2) -> PairScores:
    generator = np.random.default_rng(7)
    labels = Labels(("in", "out"), (np.arange(60) % 3 > 0).astype(np.int32))
    scores = {name: generator.uniform(0.05, 1, 60) for name in ("recency", "perplexity")[:powers]}
    return PairScores(labels, np.array([0.8, 0.2]), scores)


def test_equation_4_from_its_definition(table_of: Callable[..., bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Blocks of a few records, so that pairs of phrases begin in one and end in another.
    monkeypatch.setattr(external_sort, "BLOCK", 7)
    pairs, powers = pairs_of(), {"recency": 0.5, "perplexity": 2.0}
    ours = scores_of(table_of(PhraseScores(pairs, powers)))
    by_pair: dict[tuple[str, str], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for line in gzip.decompress((tmp_path / "extracted" / "extract.gz").read_bytes()).decode().splitlines():
        source, target, _, number = line.split(" ||| ")
        by_pair[source, target][int(pairs.labels.ids[int(number[1:]) - 1])].append(int(number[1:]) - 1)
    counts = {
        phrases: sum(
            pairs.corpora[corpus]
            * len(rows)
            * prod(pairs.scores[name][[*{*rows}]].mean() ** power for name, power in powers.items())
            for corpus, rows in by_corpus.items()
        )
        for phrases, by_corpus in by_pair.items()
    }
    # Some pairs are in a sentence more often than in another of the same corpus.
    assert any(1 < len({*rows}) < len(rows) for by_corpus in by_pair.values() for rows in by_corpus.values())
    assert ours.keys() == counts.keys()
    for (source, target), count in counts.items():
        of_target = sum(value for (_, other), value in counts.items() if other == target)
        of_source = sum(value for (other, _), value in counts.items() if other == source)
        assert ours[source, target][0] == pytest.approx(count / of_target, rel=1e-4)
        assert ours[source, target][2] == pytest.approx(count / of_source, rel=1e-4)


def test_equal_weights_and_no_scores_are_plain_counts(table_of: Callable[..., bytes]) -> None:
    reordering = "reordering-table.wbe-msd-bidirectional-fe.gz"
    equal = PhraseScores(PairScores(pairs_of().labels, np.ones(2)), {})
    assert table_of(equal) == table_of()
    assert table_of(equal, name=reordering) == table_of(name=reordering)
    # Powers of 0 leave no score, and scores that are all the same cancel out.
    for scores in (PhraseScores(PairScores(equal.pairs.labels, np.ones(2), pairs_of().scores), {"recency": 0, "perplexity": 0}),):
        assert table_of(scores) == table_of()
    same = {"recency": np.full(60, 0.3)}
    ours = scores_of(table_of(PhraseScores(PairScores(equal.pairs.labels, np.full(2, 0.5), same), {})))
    for phrases, values in scores_of(table_of()).items():
        assert ours[phrases] == pytest.approx(values, rel=1e-4)


def test_a_resampled_text_has_the_table_of_its_counts_as_weights(
    table_of: Callable[..., bytes], texts: list[Path], tmp_path: Path
) -> None:
    # Resampling and weighted probabilities are two ways to the same table (Shah et al. 2012); lexical weights are of all text.
    one = Labels.single(60)
    for counts in (np.random.default_rng(3).integers(0, 4, 60), np.full(60, 3)):
        resample_files(texts, tmp_path / "drawn", counts, one, True, "assay corpus resample", replace=True)
        written = counts + 1
        assert len((tmp_path / "drawn" / "source").read_text("utf-8").splitlines()) == written.sum()
        (tmp_path / "weights").write_text("".join(f"{count}\n" for count in written.tolist()), "utf-8")
        weighted = table_of(weights=tmp_path / "weights")
        drawn = [tmp_path / "drawn" / path.name for path in texts]
        extract_phrases(drawn[0], drawn[1], drawn[2], tmp_path / "drawn-extracted", replace=True)
        build_tables(tmp_path / "drawn-extracted", tmp_path / "drawn-tables", lexical=tmp_path / "extracted", replace=True)
        assert scores_of(gzip.decompress((tmp_path / "drawn-tables" / PHRASE_TABLE).read_bytes())) == scores_of(weighted)
    # Each pair as often as the others: the table of the text itself.
    assert scores_of(weighted) == scores_of(table_of())


def test_a_score_is_of_a_sentence_pair_however_often_a_phrase_is_in_it(tmp_path: Path) -> None:
    text = {"source": "a a a\na b\nc b\n", "target": "x x x\nx y\nx y\n", "links": "0-0 1-1 2-2\n0-0 1-1\n0-0 1-1\n"}
    for name, lines in text.items():
        (tmp_path / name).write_text(lines)
    extract_phrases(*(tmp_path / name for name in text), tmp_path / "extracted", longest=1, numbered=True)
    pairs = PairScores(Labels(("all",), np.zeros(3, np.int32)), np.ones(1), {"recency": np.array([0.1, 0.7, 0.5])})
    build_tables(tmp_path / "extracted", tmp_path / "tables", TableOptions(weigher=PhraseScores(pairs, {"recency": 1.0})))
    rows = [
        line.split(" ||| ") for line in gzip.decompress((tmp_path / "tables" / PHRASE_TABLE).read_bytes()).decode().splitlines()
    ]
    # a-x four times, in sentences of 0.1 and 0.7, whose mean is 0.4: 1.6, not the 1.0 of a mean over occurrences.
    assert {(row[0], row[1]): [float(count) for count in row[4].split()] for row in rows} == {
        ("a", "x"): pytest.approx([2.1, 1.6, 1.6]),
        ("b", "y"): pytest.approx([1.2, 1.2, 1.2]),
        ("c", "x"): pytest.approx([2.1, 0.5, 0.5]),
    }


def test_one_score_to_the_power_of_one_is_the_weight_of_its_sentence(
    table_of: Callable[..., bytes], texts: list[Path], tmp_path: Path
) -> None:
    # No word is twice in a sentence, nor is then a phrase.
    generator = np.random.default_rng(5)
    sizes = [int(size) for size in generator.integers(1, 5, 60)]
    for path, letter in zip(texts, "st", strict=False):
        lines = [" ".join(f"{letter}{number}" for number in generator.permutation(4)[:size]) for size in sizes]
        path.write_text("\n".join(lines) + "\n", "utf-8")
    texts[2].write_text("\n".join(" ".join(f"{place}-{place}" for place in range(size)) for size in sizes) + "\n", "utf-8")
    pairs, powers = pairs_of(1), {"recency": 1.0}
    pairs.write_weights(tmp_path / "weights", powers)
    ours, theirs = scores_of(table_of(PhraseScores(pairs, powers))), scores_of(table_of(weights=tmp_path / "weights"))
    assert ours.keys() == theirs.keys()
    for phrases, values in ours.items():
        assert values == pytest.approx(theirs[phrases], rel=1e-3)


def test_what_weighs_nothing_is_not_there(table_of: Callable[..., bytes], texts: list[Path], tmp_path: Path) -> None:
    pairs = PairScores(pairs_of().labels, np.array([1.0, 0.0]))
    pairs.write_weights(tmp_path / "weights", {})
    assert (tmp_path / "weights").read_text("utf-8").splitlines()[:3] == ["1", "0", "0"]
    ours = scores_of(table_of(PhraseScores(pairs, {})))
    assert ours == scores_of(table_of(weights=tmp_path / "weights"))
    for path in texts:
        path.write_text("".join(f"{line}\n" for line in path.read_text("utf-8").splitlines()[::3]), "utf-8")
    plain_scores = scores_of(table_of())
    assert ours.keys() == plain_scores.keys()
    # Lexical weights are those of all text.
    assert all(ours[phrases][::2] == plain_scores[phrases][::2] for phrases in plain_scores)


def test_a_table_of_scores_is_read_as_it_was_written(tmp_path: Path) -> None:
    pairs = pairs_of()
    pairs.write(tmp_path / "scores.tsv")
    again = read_table(tmp_path / "scores.tsv")
    assert again.labels.names == ("in", "out") and (again.labels.ids == pairs.labels.ids).all()
    assert again.corpora.tolist() == [0.8, 0.2] and list(again.scores) == ["recency", "perplexity"]
    assert again.weights({}) == pytest.approx(pairs.weights({}), rel=1e-6)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("x\ty\n", 1),
        ("corpus\tweight\na\t1\na\t2\n", 3),
        ("corpus\tweight\trecency\na\t1\n", 2),
        ("corpus\tweight\trecency\na\t1\t1.5\n", 2),
        ("corpus\tweight\na\t1\nb\t-1\n", 3),
    ],
)
def test_a_table_of_scores_that_is_wrong_is_told_by_line(text: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "scores.tsv").write_text(text, "utf-8")
    with pytest.raises(InputError) as refused:
        read_table(tmp_path / "scores.tsv")
    assert refused.value.where == (str(tmp_path / "scores.tsv"), line)


def test_text_that_is_not_numbered_is_refused(table_of: Callable[..., bytes], tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("0.5\n" * 60, "utf-8")
    table_of(weights=tmp_path / "weights")
    options = TableOptions(weigher=PhraseScores(pairs_of(), {}))
    with pytest.raises(InputError, match=r"line \d+ of .*extract\.gz lacks the number"):
        build_tables(tmp_path / "extracted", tmp_path / "tables", options, replace=True)
    table_of()
    with pytest.raises(InputError, match=r"line \d+ of .*extract\.gz lacks the number"):
        build_tables(tmp_path / "extracted", tmp_path / "tables", options, replace=True)


def test_text_that_has_more_pairs_than_scores_is_refused(table_of: Callable[..., bytes], tmp_path: Path) -> None:
    pairs = pairs_of(0)
    with pytest.raises(InputError, match="scores of 59 sentence pairs, but phrases were extracted from 60"):
        table_of(PhraseScores(PairScores(Labels(pairs.labels.names, pairs.labels.ids[:-1]), pairs.corpora), {}))
    (tmp_path / "extracted" / "extract.json").unlink()
    options = TableOptions(weigher=PhraseScores(PairScores(Labels(pairs.labels.names, pairs.labels.ids[:-1]), pairs.corpora), {}))
    with pytest.raises(InputError, match="scores of 59 sentence pairs, but phrases come from pair 60"):
        build_tables(tmp_path / "extracted", tmp_path / "tables", options, replace=True)


def test_more_scores_than_pairs_are_refused_by_the_manifest(table_of: Callable[..., bytes], tmp_path: Path) -> None:
    pairs = pairs_of(0)
    more = PhraseScores(PairScores(Labels(pairs.labels.names, np.append(pairs.labels.ids, 0).astype(np.int32)), pairs.corpora), {})
    with pytest.raises(InputError, match="scores of 61 sentence pairs, but phrases were extracted from 60"):
        table_of(more)
    # A manifest that is of another file says nothing.
    (tmp_path / "extracted" / "extract.o.gz").unlink()
    path = tmp_path / "extracted" / "extract.gz"
    path.write_bytes(gzip.compress(b"".join(sorted(gzip.decompress(path.read_bytes()).splitlines(keepends=True)))))
    build_tables(tmp_path / "extracted", tmp_path / "tables", TableOptions(weigher=more))


def test_manifests_say_what_was_made_of_what(texts: list[Path], tmp_path: Path) -> None:
    extract_phrases(*texts, tmp_path / "extracted", 3, [OrientationModel.parse("wbe-msd")], numbered=True)
    manifest = read_manifest(tmp_path / "extracted", "extract.json")
    assert manifest.command == "assay smt extract source target links --max-length 3 --orientation wbe-msd --numbered"
    assert manifest.inputs == {f"{tmp_path.name}/{path.name}": sha256(path.read_bytes()).hexdigest() for path in texts}
    there = {path.name: sha256(path.read_bytes()).hexdigest() for path in (tmp_path / "extracted").iterdir()}
    assert there.pop("extract.json") and manifest.files == there
    lines = gzip.decompress((tmp_path / "extracted" / "extract.gz").read_bytes()).count(b"\n")
    assert manifest.statistics == {"sentences": 60, "pairs": lines}
    pairs_of(1).write(tmp_path / "scores.tsv")
    weigher = PhraseScores(read_table(tmp_path / "scores.tsv"), {})
    options = TableOptions(
        "kneser-ney", (ReorderingModel.parse("wbe-msd-backward-f"),), weigher=weigher, scores=tmp_path / "scores.tsv"
    )
    # Into the same folder, where both manifests have room.
    made = build_tables(tmp_path / "extracted", tmp_path / "extracted", options).pairs
    manifest = read_manifest(tmp_path / "extracted", "phrase-table.json")
    assert manifest.command == (
        "assay smt phrase-table extracted --kneser-ney --reordering wbe-msd-backward-f --smoothing 0.5 --pair-scores scores.tsv "
        "--power recency=0.1"
    )
    assert manifest.files.keys() == {"phrase-table.gz", "reordering-table.wbe-msd-backward-f.gz"}
    assert manifest.statistics == {"pairs": made} and len(manifest.inputs) == 5


@pytest.mark.parametrize("discount", ["none", "good-turing", "kneser-ney"])
def test_numbers_without_scores_are_no_weights(discount: Discount, texts: list[Path], tmp_path: Path) -> None:
    model = ReorderingModel.parse("wbe-msd-bidirectional-fe")
    for name, numbered in (("plain", False), ("numbered", True)):
        extract_phrases(*texts, tmp_path / name, models=[OrientationModel.parse("wbe-msd")], numbered=numbered)
        build_tables(tmp_path / name, tmp_path / f"{name}-tables", TableOptions(discount, reordering=(model,)))
    merge_extractions({"p": tmp_path / "plain", "n": tmp_path / "numbered"}, tmp_path / "both")
    merge_extractions({"p": tmp_path / "plain", "q": tmp_path / "plain"}, tmp_path / "twice")
    for name in ("both", "twice"):
        build_tables(tmp_path / name, tmp_path / f"{name}-tables", TableOptions(discount, reordering=(model,)))
    for one, other in (("plain", "numbered"), ("twice", "both")):
        for file in (PHRASE_TABLE, model.file):
            tables = [gzip.decompress((tmp_path / f"{name}-tables" / file).read_bytes()) for name in (one, other)]
            assert tables[0] == tables[1]
    options = TableOptions(weigher=PhraseScores(pairs_of(), {}))
    with pytest.raises(InputError, match="lacks the number"):
        build_tables(tmp_path / "both", tmp_path / "weighted", options)


def test_the_corpus_that_is_like_the_held_out_text_weighs_most() -> None:
    text = pack_lines(["the cat sat", "a cat is here", "rates of interest rose", "interest in rates"] * 5)
    labels = Labels(("news", "cats"), np.array([1, 1, 0, 0] * 5, np.int32))
    mixture = corpus_mixture(text, labels, pack_lines(["the cat is here", "a cat sat"]), 2)
    assert mixture.weights[1] > 0.9 and mixture.perplexity <= mixture.single_perplexities.min() * (1 + 1e-9)
    with pytest.raises(InputError, match="corpus news has no words"):
        corpus_mixture(pack_lines(["", "a b"]), Labels(("news", "cats"), np.array([0, 1], np.int32)), text, 2)
