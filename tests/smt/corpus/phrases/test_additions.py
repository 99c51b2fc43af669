"""What is added to the four scores: a table worked out by hand, laws, halves that are put together as Moses does, refusals."""

import gzip
from math import prod
from pathlib import Path

import numpy as np
import pytest

from app.errors import InputError
from app.resources.manifest import read_manifest
from app.smt.commands.corpus.phrase_tables import phrase_table
from app.smt.commands.options.corpus.phrase_tables import PhraseTableOptions
from app.smt.corpus import external_sort
from app.smt.corpus.phrases.compact import CompactTable
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.scoring.additions.domain_scores import DomainFeature, domain_scores, sparse_domain_scores
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.phrases.scoring.additions.function_words import FunctionWords
from app.smt.corpus.phrases.scoring.additions.scores import (
    Addition,
    count_bins,
    low_count,
    parse_bins,
    phrase_count,
    singleton,
    sparse_count_bins,
    unaligned_function_words,
    unaligned_penalty,
)
from app.smt.corpus.phrases.scoring.discounting import Discount
from app.smt.corpus.phrases.scoring.phrase_lines import Thresholds
from app.smt.corpus.phrases.scoring.tables import TableCounts, TableOptions, build_tables
from tests.smt.corpus.phrases.moses import LINKS, SOURCE, TABLES, TARGET, lines, needs_moses

# Sentence pairs 1 and 2 are news, 3 and 4 web.
BY_HAND = (
    "a ||| x ||| 0-0 ||| #1\na ||| x ||| 0-0 ||| #2\na ||| x ||| 0-0 ||| #3\nb ||| w ||| 0-0 ||| #1\nb ||| x ||| 0-0 ||| #3\n"
    "b c ||| x ||| 0-0 ||| #4\nd ||| z y ||| 0-0 ||| #4\n"
)
ALL = (
    "--unaligned-penalty --unaligned-function-words of-source of-target --singleton --domain-indicator domains "
    "--sparse-domain-ratio domains --phrase-count --low-count --count-bins 1,2"
)


@pytest.fixture
def by_hand(tmp_path: Path) -> Path:
    folder = tmp_path / "by-hand"
    folder.mkdir()
    (folder / "extract.gz").write_bytes(gzip.compress(BY_HAND.encode()))
    (folder / "lex.e2f").write_text("a x 0.5\nb x 0.25\nb w 0.25\nc NULL 0.5\nd z 0.5\n")
    (folder / "lex.f2e").write_text("x a 0.75\nx b 0.5\nw b 0.25\nz d 1\ny NULL 0.125\n")
    (tmp_path / "domains").write_text("2 news\n4 web\n")
    (tmp_path / "of-source").write_text("c\nalso\n")
    (tmp_path / "of-target").write_text("y and what follows\n\n")
    return folder


def by_command(by_hand: Path, tmp_path: Path) -> None:
    phrase_table(
        PhraseTableOptions(
            extracted=by_hand,
            out=tmp_path / "out",
            domain_indicator=tmp_path / "domains",
            sparse_domain_ratio=tmp_path / "domains",
            unaligned=True,
            unaligned_function=(tmp_path / "of-source", tmp_path / "of-target"),
            singleton=True,
            phrases=True,
            low=True,
            bins="1,2",
            halves=True,
        )
    )


def test_a_table_by_hand(by_hand: Path, tmp_path: Path) -> None:
    by_command(by_hand, tmp_path)
    # p(s|t) lex(s|t), the source's words without links, all and function words; p(t|s) lex(t|s) and the target's; the source once,
    # news, web; the penalty, exp(-1/c), counts of 1, of 2, of more.
    assert lines(tmp_path / "out" / "phrase-table.gz") == [
        b"a ||| x ||| 0.6 0.5 1 1 1 0.75 1 1 1 2.718 2.718 2.718 0.716531 1 1 2.718 ||| 0-0 ||| 5 3 3"
        b" ||| domr_news 0.666667 domr_web 0.333333 |||",
        b"b c ||| x ||| 0.2 0.125 2.718 2.718 1 0.5 1 1 2.718 1 2.718 2.718 0.367879 2.718 1 1 ||| 0-0 ||| 5 1 1 ||| domr_web 1 |||",
        b"b ||| w ||| 1 0.25 1 1 0.5 0.25 1 1 1 2.718 1 2.718 0.367879 2.718 1 1 ||| 0-0 ||| 1 2 1 ||| domr_news 1 |||",
        b"b ||| x ||| 0.2 0.25 1 1 0.5 0.5 1 1 1 1 2.718 2.718 0.367879 2.718 1 1 ||| 0-0 ||| 5 2 1 ||| domr_web 1 |||",
        b"d ||| z y ||| 1 0.5 1 1 1 0.125 2.718 2.718 2.718 1 2.718 2.718 0.367879 2.718 1 1 ||| 0-0 ||| 1 1 1 ||| domr_web 1 |||",
    ]
    manifest = read_manifest(tmp_path / "out", "phrase-table.json")
    assert manifest.command == f"assay smt phrase-table by-hand {ALL} --halves" and manifest.statistics == {"pairs": 5}
    assert {f"{tmp_path.name}/{name}" for name in ("domains", "of-source", "of-target")} < manifest.inputs.keys()
    assert lines(tmp_path / "out" / "phrase-table.half.f2e.gz")[:2] == [
        b"a ||| x ||| 0-0  ||| 0.75 1 1 1 2.718 2.718 domr_news 0.666667 domr_web 0.333333 ||| 3 3 |||",
        b"b c ||| x ||| 0-0  ||| 0.5 1 1 2.718 1 2.718 domr_web 1 ||| 1 1 |||",
    ]
    assert lines(tmp_path / "out" / "phrase-table.half.e2f.gz")[:2] == [
        b"a ||| x |||  ||| 0.5 1 1 ||| 5 3 |||",
        b"b c ||| x |||  ||| 0.125 2.718 2.718 ||| 5 1 |||",
    ]
    assert not list((tmp_path / "out").glob("*.coc"))


def table(folder: Path, out: Path, **options: object) -> list[list[str]]:
    """The cells of a table's lines."""
    build_tables(folder, out, TableOptions(**options), replace=True)  # type: ignore[arg-type]
    return [cells_of(row) for row in lines(out / "phrase-table.gz")]


def cells_of(line: bytes) -> list[str]:
    *cells, last = line.decode().removesuffix("|||").split(" ||| ")
    return [*cells, last.strip()]


@pytest.mark.parametrize(
    ("feature", "column"),
    [
        ("indicator", ["dom_news 1 dom_web 1", "dom_web 1", "dom_news 1", "dom_web 1", "dom_web 1"]),
        ("subset", ["doms_news_web 1", "doms_web 1", "doms_news 1", "doms_web 1", "doms_web 1"]),
    ],
)
def test_names_of_sparse_domains(feature: DomainFeature, column: list[str], by_hand: Path, tmp_path: Path) -> None:
    domains = Domains.read(tmp_path / "domains")
    rows = table(by_hand, tmp_path / "out", additions=(sparse_domain_scores(domains, feature),))
    assert [row[5] for row in rows] == column


def test_names_are_sorted_but_those_of_a_set(by_hand: Path, tmp_path: Path) -> None:
    (tmp_path / "domains").write_text("2 z\n3 a\n4 m\n")
    domains = Domains.read(tmp_path / "domains")
    for feature, first in (("indicator", "dom_a 1 dom_z 1"), ("subset", "doms_z_a 1")):
        assert table(by_hand, tmp_path / "out", additions=(sparse_domain_scores(domains, feature),))[0][5] == first  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bins", "names"),
    [
        ("1,2", ["cb_max", "cb_1", "cb_1", "cb_1", "cb_1"]),
        ("2,3", ["cb_3", "cb_1_2", "cb_1_2", "cb_1_2", "cb_1_2"]),
        ("1,5", ["cb_2_5", "cb_1", "cb_1", "cb_1", "cb_1"]),
    ],
)
def test_names_of_bins(bins: str, names: list[str], by_hand: Path, tmp_path: Path) -> None:
    rows = table(by_hand, tmp_path / "out", additions=(sparse_count_bins(parse_bins(bins, "--sparse-count-bins")),))
    assert [row[5] for row in rows] == [f"{name} 1" for name in names]
    domains = sparse_domain_scores(Domains.read(tmp_path / "domains"), "indicator")
    rows = table(by_hand, tmp_path / "out", additions=(domains, sparse_count_bins((2, 3))))
    assert rows[0][5] == "dom_news 1 dom_web 1 cb_3 1"


def test_thresholds(by_hand: Path, tmp_path: Path) -> None:
    whole = table(by_hand, tmp_path / "out")
    left = table(by_hand, tmp_path / "out", thresholds=Thresholds.parse(0.0, "0:0.2,2:0.75"))
    # What has the least that is asked stays, with its scores.
    assert [row[0] for row in left] == ["a", "b c", "d"] and all(row in whole for row in left)
    assert table(by_hand, tmp_path / "out", thresholds=Thresholds.parse(0.0, "0:0.21")) == [whole[k] for k in (0, 2, 4)]
    assert table(by_hand, tmp_path / "out", thresholds=Thresholds.parse(3, None), halves=True) == whole[:1]
    assert len(lines(tmp_path / "out" / "phrase-table.half.f2e.gz")) == 1
    assert build_tables(by_hand, tmp_path / "other", TableOptions(thresholds=Thresholds(1), compact=True)) == TableCounts(5, 4)
    assert len(CompactTable.open(tmp_path / "other" / "phrase-table.compact")) == 5


def test_only_what_is_direct(by_hand: Path, tmp_path: Path) -> None:
    whole = table(by_hand, tmp_path / "out", additions=(unaligned_penalty(), phrase_count()))
    direct = table(by_hand, tmp_path / "out", additions=(unaligned_penalty(), phrase_count()), only_direct=True)
    assert [row[2].split() for row in direct] == [row[2].split()[3:] for row in whole]


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("random")
    generator = np.random.default_rng(8)
    sizes = generator.integers(1, 6, 60).tolist()
    for name in ("source", "target"):
        words = [[f"{name[0]}{word}" for word in generator.integers(0, 4, size)] for size in sizes]
        (folder / name).write_text("".join(" ".join(line) + "\n" for line in words))
    links = [{(int(left), int(right)) for left, right in generator.integers(0, size, (size, 2))} for size in sizes]
    (folder / "links").write_text("".join(" ".join(f"{s}-{t}" for s, t in sorted(line)) + "\n" for line in links))
    (folder / "domains").write_text("20 news\n21 web\n40 talks\n60 news\n")
    (folder / "of-source").write_text("s0\ns3\n")
    (folder / "of-target").write_text("t1\n")
    texts = (folder / "source", folder / "target", folder / "links")
    extract_phrases(*texts, folder / "extracted", numbered=True)
    return folder / "extracted"


def everything(folder: Path) -> tuple[Addition, ...]:
    domains = Domains.read(folder / "domains")
    return (
        unaligned_penalty(),
        unaligned_function_words(FunctionWords.read(folder / "of-source", folder / "of-target")),
        singleton(),
        domain_scores(domains, "subset"),
        sparse_domain_scores(domains, "ratio"),
        phrase_count(),
        low_count(),
        count_bins((1, 3, 4)),
        sparse_count_bins((2,)),
    )


def test_laws(extracted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external_sort, "BLOCK", 7)
    domains = Domains.read(extracted.parent / "domains")
    plain = table(extracted, tmp_path / "out")
    rows = table(extracted, tmp_path / "out", additions=everything(extracted.parent))
    ratios = table(
        extracted, tmp_path / "out", additions=(domain_scores(domains, "ratio"), sparse_domain_scores(domains, "indicator"))
    )
    sets = table(
        extracted, tmp_path / "out", additions=(domain_scores(domains, "indicator"), sparse_domain_scores(domains, "subset"))
    )
    assert len(plain) == len(rows) > 100
    for row, four, ratio, chosen in zip(rows, plain, ratios, sets, strict=True):
        scores = [float(score) for score in row[2].split()]
        # The four stand where they stood, and the other cells too.
        assert row[2].split()[0:2] + row[2].split()[4:6] == four[2].split() and row[:2] + row[3:5] == four[:2] + four[3:5]
        assert four[5] == ""
        # Shares are a whole; dense shares are their exponents.
        named = dict(zip(row[5].split()[::2], map(float, row[5].split()[1::2]), strict=True))
        shares = [named.get(f"domr_{name}", 0.0) for name in domains.names]
        assert sum(shares) == pytest.approx(1, abs=1e-5)
        assert [float(score) for score in ratio[2].split()[4:]] == pytest.approx(np.exp(shares), rel=1e-5)
        # A set has the bits of the indicators; the sparse set, their names.
        bits = [score == "2.718" for score in chosen[2].split()[4:]]
        assert scores[9:16].index(2.718) + 1 == sum(bit << place for place, bit in enumerate(bits)) and sum(scores[9:16]) < 9
        there = [name for name, bit in zip(domains.names, bits, strict=True) if bit]
        assert chosen[5] == f"doms_{'_'.join(there)} 1"
        assert ratio[5] == " ".join(f"dom_{name} 1" for name in sorted(there)) and named.keys() - {"cb_1_2", "cb_max"} == {
            f"domr_{name}" for name in there
        }
        # One bin is on, and counts say which.
        count = int(row[4].split()[2])
        assert scores[-4:] == [2.718 if on else 1 for on in (count == 1, count in (2, 3), count == 4, count > 4)]
        assert ("cb_max" in named) == (count > 2) and scores[-5] == pytest.approx(np.exp(-1 / count), rel=1e-5)
        assert (scores[8] > 1) == (sum(int(other[4].split()[2]) for other in rows if other[0] == row[0]) == 1)


def test_words_without_links_are_those_of_the_links_that_stand_there(tmp_path: Path) -> None:
    folder = tmp_path / "extracted"
    folder.mkdir()
    # Twice each: of links of the target's words the later is 1-0, of the source's, 0-0.
    records = ["0-0", "0-0", "1-0", "1-0"]
    (folder / "extract.gz").write_bytes(gzip.compress("".join(f"a b ||| x ||| {links}\n" for links in records).encode()))
    for name in ("lex.e2f", "lex.f2e"):
        (folder / name).write_text("")
    (tmp_path / "of-source").write_text("a\n")
    (tmp_path / "of-target").write_text("y\n")
    words = FunctionWords.read(tmp_path / "of-source", tmp_path / "of-target")
    rows = table(folder, tmp_path / "out", additions=(unaligned_penalty(), unaligned_function_words(words)))
    linked_first, linked_second = ([set(), {0}], [{0}, set()])
    of_source = max([{0}, set()], [set(), {0}], key=lambda sets: [sorted(each) for each in sets])
    assert of_source == linked_second != linked_first
    # By those the source's b has no link, which is no function word; the table's links are the other ones.
    assert rows[0][2].split()[2:4] == ["2.718", "1"] and rows[0][3] == "1-0"


def consolidated(half: bytes, other: bytes, pairs: int | None, counts: list[int]) -> tuple[list[str], list[float]]:
    """What Moses' consolidate makes of a line of each half, cells and scores: no discount, or Kneser and Ney's of so many pairs."""
    direct, inverse = cells_of(half), cells_of(other)
    (total, joint, *of_source), (of_target, again, *of_other) = (
        [float(n) for n in cells[4].split()] for cells in (direct, inverse)
    )
    assert joint == again and direct[:2] == inverse[:2]
    backward = forward = joint
    if pairs:
        once, twice, thrice, often = counts[:4]
        ratio = once / (once + 2 * twice)
        taken = (1 - 2 * ratio * twice / once, 2 - 3 * ratio * thrice / twice, 3 - 4 * ratio * often / thrice)
        place = min(int(joint), 3) - 1
        discount = max(0.01, min((0.9, 1.9, 2.9)[place], taken[place]))
        forward = joint - discount + discount * of_source[0] * of_other[0] / pairs
        backward = joint - discount + discount * of_other[0] * of_source[0] / pairs
    scores = direct[3].split()
    dense = next((place for place, score in enumerate(scores) if score[0] == "d"), len(scores))
    made = [backward / of_target, *inverse[3].split(), forward / total, *scores[:dense]]
    cells = [*direct[:2], direct[2].strip(), f"{of_target:g} {total:g} {joint:g}", " ".join(scores[dense:])]
    return cells, [float(score) for score in made]


@pytest.mark.parametrize("discount", ["none", "kneser-ney"])
def test_halves_make_the_table(discount: Discount, extracted: Path, tmp_path: Path) -> None:
    additions = everything(extracted.parent)[:5]
    rows = table(extracted, tmp_path / "out", discount=discount, additions=additions, halves=True)
    halves = [lines(tmp_path / "out" / f"phrase-table.half.{name}.gz") for name in ("f2e", "e2f")]
    counts = [tmp_path / "out" / f"phrase-table.half.{name}.gz.coc" for name in ("f2e", "e2f")]
    pairs, of_counts = None, []
    if discount == "kneser-ney":
        pairs, *of_counts = map(int, counts[0].read_text().split())
        assert counts[0].read_text() == counts[1].read_text() and pairs == len(halves[0]) and len(of_counts) == 10
    for row, direct, inverse in zip(rows, *halves, strict=True):
        cells, scores = consolidated(direct, inverse, pairs, of_counts)
        assert [float(score) for score in row[2].split()] == pytest.approx(scores, rel=1e-5)
        assert row[:2] + row[3:] == cells
    assert halves[1] == sorted(halves[1]) and halves[0] == sorted(halves[0])


@needs_moses
def test_halves_of_moses_own_table(tmp_path: Path) -> None:
    extract_phrases(SOURCE, TARGET, LINKS, tmp_path / "extracted")
    build_tables(tmp_path / "extracted", tmp_path / "out", TableOptions("good-turing", halves=True))
    halves = [lines(tmp_path / "out" / f"phrase-table.half.{name}.gz") for name in ("f2e", "e2f")]
    theirs = lines(TABLES / "phrase-table.gz")
    assert len(halves[0]) == len(halves[1]) == len(theirs)
    for direct, inverse, row in zip(*halves, theirs, strict=True):
        cells, left, right = (line.split(b" ||| ") for line in (row, direct, inverse))
        scores, counts = cells[2].split(), cells[4].split()
        assert cells[:2] == left[:2] == right[:2] and cells[3] == left[2].strip() and not right[2].strip()
        assert scores[1::2] == [right[3], left[3]]
        assert left[4] == b" ".join(counts[1:]) + b" |||" and right[4] == b" ".join(counts[::2]) + b" |||"
    counts_of_counts = (tmp_path / "out" / "phrase-table.half.f2e.gz.coc").read_text().split()
    assert counts_of_counts == ["95287", "89779", "2894", "956", "430", "270", "147", "137", "90", "65", "50"]
    assert not (tmp_path / "out" / "phrase-table.half.e2f.gz.coc").exists()


def test_manifests_have_all_digits_of_thresholds() -> None:
    thresholds = Thresholds.parse(0.1234567, "2:0.123456789,0:1e-7")
    assert thresholds.words == ["--min-count", "0.1234567", "--min-score", "0:0.0000001,2:0.123456789"]
    assert Thresholds.parse(float(thresholds.words[1]), thresholds.words[3]) == thresholds


def test_what_is_refused(by_hand: Path, tmp_path: Path) -> None:
    domains = tmp_path / "domains"
    with pytest.raises(InputError, match="sparse scores of domains of one kind"):
        phrase_table(
            PhraseTableOptions(extracted=by_hand, out=tmp_path / "out", sparse_domain_ratio=domains, sparse_domain_subset=domains)
        )
    with pytest.raises(InputError, match="as scores or as sparse scores"):
        phrase_table(PhraseTableOptions(extracted=by_hand, out=tmp_path / "out", bins="1", sparse_bins="1"))
    with pytest.raises(InputError, match="cannot hold sparse scores, as of --sparse-count-bins"):
        phrase_table(PhraseTableOptions(extracted=by_hand, out=tmp_path / "out", sparse_bins="1", compact=True))
    (tmp_path / "others").write_text("4 all\n")
    with pytest.raises(InputError, match=r"scores of domains need one file, not .*domains and .*others"):
        phrase_table(
            PhraseTableOptions(
                extracted=by_hand, out=tmp_path / "out", domain_ratio=domains, sparse_domain_ratio=tmp_path / "others"
            )
        )
    with pytest.raises(InputError, match=r"--min-count 9 --min-score 2:0\.5 leaves no phrase pair"):
        phrase_table(PhraseTableOptions(extracted=by_hand, out=tmp_path / "out", min_count=9.0, min_score="2:0.5"))
    (tmp_path / "others").write_text("4 a|||b\n")
    with pytest.raises(InputError, match=r"line 1 of .*others names a domain with \|\|\|"):
        phrase_table(PhraseTableOptions(extracted=by_hand, out=tmp_path / "out", sparse_domain_ratio=tmp_path / "others"))
    (tmp_path / "others").write_text(" \n")
    with pytest.raises(InputError, match="names no function word"):
        phrase_table(
            PhraseTableOptions(
                extracted=by_hand, out=tmp_path / "out", unaligned_function=(tmp_path / "others", tmp_path / "others")
            )
        )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["", "1,", "0,1", "2,2", "3,1", "1.5", "-1", "a"])
def test_bins_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="ascending integers"):
        parse_bins(text, "--count-bins")


@pytest.mark.parametrize("text", ["", "0.1", "1:0.1", "0:0.1,0:0.2", "0:x", "2:0", "2:1.5", "2:nan", "0:0.1;2:0.1"])
def test_thresholds_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match=r"thresholds are 0:P for p\(s\|t\)"):
        Thresholds.parse(0.0, text)


def test_many_domains_are_sparse_alone(by_hand: Path, tmp_path: Path) -> None:
    (tmp_path / "domains").write_text("".join(f"{k} d{k}\n" for k in range(1, 101)))
    domains = Domains.read(tmp_path / "domains")
    with pytest.raises(InputError, match="too many domains"):
        domain_scores(domains, "ratio")
    rows = table(by_hand, tmp_path / "out", additions=(sparse_domain_scores(domains, "subset"),))
    assert rows[0][5] == "doms_d1_d2_d3 1"


def test_many_words_without_links_stay_within_32_bits(tmp_path: Path) -> None:
    folder = tmp_path / "extracted"
    folder.mkdir()
    source = " ".join(["a"] * 200)
    (folder / "extract.gz").write_bytes(gzip.compress(f"{source} ||| x ||| 0-0\n".encode()))
    for name in ("lex.e2f", "lex.f2e"):
        (folder / name).write_text("")
    (row,) = table(folder, tmp_path / "out", additions=(unaligned_penalty(),))
    assert float(row[2].split()[2]) == pytest.approx(prod([2.718] * 88), rel=1e-5)


def test_no_more_is_taken_from_a_weight_than_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "extracted"
    folder.mkdir()
    weights = {"a ||| x": 0.25, "a ||| y": 1.5, "b ||| y": 2.25}
    (folder / "extract.gz").write_bytes(gzip.compress("".join(f"{k} ||| 0-0 ||| {v}\n" for k, v in weights.items()).encode()))
    for name in ("lex.e2f", "lex.f2e"):
        (folder / name).write_text("")
    rows = table(folder, tmp_path / "out", discount="kneser-ney")
    # One pair counts as one, one as two, one as three: 1/3 is taken below 2, but all but 0.01 of 0.25, and 1 from 2 on.
    for row, joint, taken in zip(rows, (0.25, 1.5, 2.25), (0.24, 1 / 3, 1.0), strict=True):
        given, partners = (1.75, 2) if row[0] == "a" else (2.25, 1)
        others = 2 if row[1] == "y" else 1
        assert float(row[2].split()[2]) == pytest.approx((joint - taken + taken * partners * others / 3) / given, rel=1e-5)
