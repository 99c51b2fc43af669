"""The aligner against enumeration, its file, and the files of links that it writes."""

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest

from app.building.alignment.aligner import Aligner, train_aligner
from app.building.alignment.direction import EMPTY
from app.building.alignment.files import AlignmentFiles, align_files, symmetrise_files
from app.building.alignment.joint import FARTHEST_JUMP
from app.building.alignment.joint_kernels import agree, choose_links, expect_posteriors
from app.building.alignment.sampling_kernels import draw_segments
from app.building.alignment.similarity_kernels import letter_similarities
from app.building.alignment.stems import stem_of
from app.building.alignment.symmetrisation import alignment_error_rate, symmetrise_links
from app.building.alignment.word_pairs import WordPairs
from app.errors import InputError
from app.text.parallel_corpus import ParallelCorpus, WordLinks

SOURCE = ["das haus ist alt", "das buch", "ein buch ist alt", "ein haus", "Anna liest das Buch", "", "ja"] * 3
TARGET = ["the house is old", "the book", "a book is old", "a house", "Anna reads the book", "nothing", ""] * 3


@pytest.fixture(scope="module")
def corpus() -> ParallelCorpus:
    return ParallelCorpus.of_lines([line.lower() for line in SOURCE], [line.lower() for line in TARGET])


def tables(pairs: WordPairs) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    return generator.uniform(0.05, 1, len(pairs)), generator.uniform(0.1, 1, 2 * FARTHEST_JUMP + 1)


def test_posteriors_of_the_hmm_are_sums_over_all_alignments() -> None:
    pairs = WordPairs.of(ParallelCorpus.of_lines(["a b c"], ["x y z"]))
    table, jumps = tables(pairs)
    posterior, counts, likelihood = expect_posteriors(
        pairs.entry, pairs.entry_offsets, pairs.source_offsets, pairs.target_offsets, table, jumps, EMPTY
    )
    weight = table[pairs.entry].reshape(4, 3)
    cells, total = np.zeros((4, 3)), 0.0
    # A state is a source place, or the empty word that remembers one.
    for path in itertools.product(range(3), range(3), range(3)):
        for empty in itertools.product((False, True), repeat=3):
            probability = 1.0
            for j in range(3):
                probability *= weight[0 if empty[j] else path[j] + 1, j] * (EMPTY if empty[j] else 1 - EMPTY)
                if j == 0:
                    probability /= 3
                elif empty[j]:
                    probability *= path[j] == path[j - 1]
                else:
                    line = jumps[FARTHEST_JUMP - path[j - 1] : FARTHEST_JUMP - path[j - 1] + 3]
                    probability *= line[path[j]] / line.sum()
            total += probability
            for j in range(3):
                cells[0 if empty[j] else path[j] + 1, j] += probability
    np.testing.assert_allclose(posterior.reshape(4, 3), cells / total, rtol=1e-5)
    assert likelihood[0] == pytest.approx(np.log(total))
    # Every word after the first that has a link made a jump.
    assert counts.sum() == pytest.approx((cells[1:, 1:] / total).sum(), rel=1e-5)


def test_draws_come_near_the_sum_over_all_alignments() -> None:
    pairs = WordPairs.of(ParallelCorpus.of_lines(["a b"], ["x y z"]))
    table, jumps = tables(pairs)
    totals, fertilities = np.array([1.0, 2.0, 1.5]), np.random.default_rng(5).uniform(0.2, 1, (3, 4))
    links = np.zeros(3, np.int32)
    drawn = draw_segments(
        pairs.entry, pairs.entry_offsets, pairs.source_offsets, pairs.target_offsets, pairs.source, links, table, totals, jumps, fertilities,
        EMPTY, 100, 40_000, np.uint64(88172645463325252),
    )  # fmt: skip
    weight = table[pairs.entry].reshape(3, 3) / totals[[0, 1, 2]][:, None]
    cells, total = np.zeros((3, 3)), 0.0
    for path in itertools.product((-1, 0, 1), repeat=3):
        places = [-1, *(i for i in path if i >= 0), 2]
        probability = np.prod([jumps[b - a + FARTHEST_JUMP] / jumps.sum() for a, b in itertools.pairwise(places)])
        for j, i in enumerate(path):
            probability *= weight[i + 1, j] * (EMPTY if i < 0 else 1 - EMPTY)
        for i in range(2):
            probability *= fertilities[pairs.source[i], path.count(i)]
        total += probability
        for j, i in enumerate(path):
            cells[i + 1, j] += probability
    np.testing.assert_allclose(drawn.reshape(3, 3) / 40_000, cells / total, atol=0.01)


def test_words_are_compared_by_their_letters() -> None:
    words = ["", "maria", "mario", "xy"]
    letters = np.array([ord(c) for word in words for c in word], np.int32)
    offsets = np.cumsum([0, *map(len, words)])
    rows, columns = np.divmod(np.arange(16), 4)
    table = letter_similarities(letters, offsets, letters, offsets, rows, columns).reshape(4, 4)
    assert table[1, 1] == 1
    assert table[1, 2] == table[2, 1] == np.float32(0.8)
    assert table[0].tolist() == [0, 0, 0, 0]
    assert table[3, 1] == 0


def test_what_both_agree_on_is_the_product() -> None:
    corpus = ParallelCorpus.of_lines(["a b"], ["x y"])
    both = WordPairs.of(corpus), WordPairs.of(corpus.reversed)
    forward, reverse = (np.arange(1, 7, dtype=np.float32) * scale for scale in (0.1, 0.01))
    first, second = forward.copy(), reverse.copy()
    agree(first, second, both[0].entry_offsets, both[1].entry_offsets, corpus.source.offsets, corpus.target.offsets)
    np.testing.assert_allclose(first.reshape(3, 2)[1:], forward.reshape(3, 2)[1:] * reverse.reshape(3, 2)[1:].T, rtol=1e-6)
    np.testing.assert_array_equal(first.reshape(3, 2)[1:], second.reshape(3, 2)[1:].T)
    np.testing.assert_array_equal(first[:2], forward[:2])
    places = choose_links(np.array([3, 1, 2, 4, 1, 5], np.float32), both[0].entry_offsets, *(side.offsets for side in (corpus.source, corpus.target)))  # fmt: skip
    assert places.tolist() == [-1, 1]


def test_a_toy_corpus_is_aligned_and_a_name_that_was_never_seen(corpus: ParallelCorpus) -> None:
    aligner = train_aligner(corpus)
    aligned = aligner.align(corpus)
    lines = list(symmetrise_links(aligned.forward, aligned.reverse).lines())
    assert lines[:7] == ["0-0 1-1 2-2 3-3", "0-0 1-1", "0-0 1-1 2-2 3-3", "0-0 1-1", "0-0 1-1 2-2 3-3", "", ""]
    assert lines == lines[:7] * 3
    assert (aligned.scores[[5, 6]] == 0).all() and (aligned.scores[[0, 1, 2, 3, 4]] < 0).all()
    new = aligner.align(ParallelCorpus.of_lines(["das popescu"], ["the very old popescu"]))
    assert "1-3" in next(new.forward.lines()).split() and "1-3" in next(new.reverse.lines()).split()
    with pytest.raises(InputError, match="at least one segment"):
        train_aligner(ParallelCorpus.of_lines(["a", ""], ["", "b"]))


def test_a_segment_is_aligned_alone_as_among_others_and_by_a_saved_aligner(corpus: ParallelCorpus, tmp_path: Path) -> None:
    aligner = train_aligner(corpus, {"pairs": len(corpus)})
    whole = aligner.align(corpus)
    aligner.save(tmp_path / "model")
    opened = Aligner.open(tmp_path / "model")
    assert opened.card["pairs"] == len(corpus)
    for row in (4, 0, 5):
        one = opened.align(corpus.rows(np.array([row])))
        for links, all_links in ((one.forward, whole.forward), (one.reverse, whole.reverse)):
            assert list(links.lines()) == list(all_links.rows(np.array([row])).lines())
        np.testing.assert_array_equal(one.scores[0], whole.scores[row])
    train_aligner(corpus, {"pairs": len(corpus)}).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    (tmp_path / "other").write_bytes(b"no model")
    with pytest.raises(InputError, match="saved aligner"):
        Aligner.open(tmp_path / "other")


def test_files_are_aligned_in_training_as_by_what_was_saved(tmp_path: Path) -> None:
    source, target = tmp_path / "s.gz", tmp_path / "t"
    source.write_bytes(gzip.compress("".join(f"{line}\n" for line in SOURCE).encode()))
    target.write_text("".join(f"{line}\n" for line in TARGET))

    def outputs(name: str) -> AlignmentFiles:
        return AlignmentFiles(*(tmp_path / f"{name}.{part}" for part in ("links.gz", "forward", "reverse", "scores")))

    assert align_files(source, target, outputs("a"), "union", save=tmp_path / "model") == len(SOURCE)
    assert align_files(source, target, outputs("b"), "union", model=tmp_path / "model") == len(SOURCE)
    for part in ("links.gz", "forward", "reverse", "scores"):
        assert (tmp_path / f"a.{part}").read_bytes() == (tmp_path / f"b.{part}").read_bytes()
    assert symmetrise_files(tmp_path / "a.forward", tmp_path / "a.reverse", tmp_path / "again.gz", "union") == len(SOURCE)
    assert gzip.open(tmp_path / "again.gz").read() == gzip.open(tmp_path / "a.links.gz").read()
    assert all(len(line.split("\t")) == 2 for line in (tmp_path / "a.scores").read_text().splitlines())


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (b"a\nb\n", b"a\n", r"s has 2 lines but .*t has 1"),
        (b"a\n" + b"a " * 1001 + b"\n", b"b\nb\n", r"s\.2: 1001 words"),
        (b"a\n\xff\n", b"b\nb\n", "line 2, is not UTF-8"),
        (b"", b"", "at least one segment"),
    ],
)
def test_a_fault_is_told_with_file_and_line_and_nothing_is_written(
    source: bytes, target: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / "s").write_bytes(source)
    (tmp_path / "t").write_bytes(target)
    with pytest.raises(InputError, match=message):
        align_files(tmp_path / "s", tmp_path / "t", AlignmentFiles(tmp_path / "links"), save=tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s", "t"]


def test_faulty_links_are_told_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("0-0\n0-x\n")
    (tmp_path / "r").write_text("0-0\n1-1\n")
    with pytest.raises(InputError, match="links are pairs of words") as error:
        symmetrise_files(tmp_path / "f", tmp_path / "r", tmp_path / "links")
    assert error.value.where == (str(tmp_path / "f"), 2)
    (tmp_path / "f").write_text("0-0\n0-99999\n")
    with pytest.raises(InputError, match="at most 1000 words"):
        symmetrise_files(tmp_path / "f", tmp_path / "r", tmp_path / "links")
    assert not (tmp_path / "links").exists()


def test_links_of_both_directions_become_the_published_ones(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "multi30k-de-en"
    forward, reverse = folder / "train.aligned.forward.gz", folder / "train.aligned.reverse.gz"
    assert symmetrise_files(forward, reverse, tmp_path / "links") == 29_000
    assert (tmp_path / "links").read_bytes() == gzip.open(folder / "train.aligned.gdfa.gz").read()


@pytest.mark.parametrize(("pair", "eflomal"), [("roen", 0.375), ("enfr", 0.368), ("zhen", 0.334)])
def test_real_text_of_a_few_hundred_lines_is_aligned_better_than_by_eflomal(shared: Path, pair: str, eflomal: float) -> None:
    folder = shared / "data" / "gold-alignments"
    with gzip.open(folder / f"{pair}.src-tgt.gz", "rt", encoding="utf-8") as file:
        sides = list(zip(*(line.lower().split("|||") for line in file), strict=True))
    with gzip.open(folder / f"{pair}.gold.gz", "rt", encoding="utf-8") as file:
        sure = ([link.split("-") for link in line.split() if "p" not in link] for line in file)
        gold = WordLinks.of([[(int(i) - 1, int(j) - 1) for i, j in links] for links in sure])
    corpus = ParallelCorpus.of_lines([" ".join(line.split()) for line in sides[0]], [" ".join(line.split()) for line in sides[1]])
    aligned = train_aligner(corpus).align(corpus)
    assert alignment_error_rate(symmetrise_links(aligned.forward, aligned.reverse), gold) < eflomal


@pytest.mark.parametrize(
    ("word", "stem"),
    [("houses", "hous"), ("été", "été"), ("", ""), ("дома", "дома"), ("中国", "中"), ("々", "々"), ("\U00020000人", "\U00020000"),
     ("사람은", "사람"), ("を", "を"), ("カメラ", "カメ"), ("a中国語圏", "a中国語"), ("\n\r\0ab", "\n\r\0a")],
)  # fmt: skip
def test_a_stem_is_an_ideograph_two_syllables_or_four_letters(word: str, stem: str) -> None:
    assert stem_of(word) == stem
