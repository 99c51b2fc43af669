"""Features of domains: Moses' definitions by brute force over the lines that were extracted; what is refused."""

import gzip
from collections import Counter, defaultdict
from math import exp
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
from app.smt.corpus.phrases.scoring.additions.domain_scores import DomainFeature, domain_scores
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables
from app.smt.corpus.weighting.columns import Labels
from app.smt.corpus.weighting.phrase_scores import PhraseScores
from app.smt.corpus.weighting.sentence_weights import PairScores
from tests.smt.corpus.phrases.moses import lines

# The first domain comes back; of 40 sentence pairs.
RUNS = "8 news\n9 web\n20 talks\n40 news\n"


def domain_of(sentence: int) -> str:
    return "news" if sentence <= 8 or sentence > 20 else "web" if sentence == 9 else "talks"


@pytest.fixture
def extracted(tmp_path: Path) -> Path:
    generator = np.random.default_rng(3)
    sizes = generator.integers(1, 5, 40).tolist()
    for name in ("source", "target"):
        words = [[f"{name[0]}{word}" for word in generator.integers(0, 4, size)] for size in sizes]
        (tmp_path / name).write_text("".join(" ".join(line) + "\n" for line in words))
    (tmp_path / "links").write_text("".join(" ".join(f"{k}-{k}" for k in range(size)) + "\n" for size in sizes))
    (tmp_path / "domains").write_text(RUNS)
    texts = (tmp_path / "source", tmp_path / "target", tmp_path / "links")
    extract_phrases(*texts, tmp_path / "plain")
    extract_phrases(*texts, tmp_path / "extracted", numbered=True)
    return tmp_path / "extracted"


def expected(feature: DomainFeature, counts: Counter[str]) -> list[float]:
    if feature == "indicator":
        return [2.718 if counts[name] else 1 for name in ("news", "web", "talks")]
    if feature == "ratio":
        return [exp(counts[name] / counts.total()) for name in ("news", "web", "talks")]
    sets = [{"news"}, {"web"}, {"news", "web"}, {"talks"}, {"news", "talks"}, {"web", "talks"}, {"news", "web", "talks"}]
    return [2.718 if {*counts} == chosen else 1 for chosen in sets]


@pytest.mark.parametrize("feature", ["indicator", "ratio", "subset"])
def test_features_by_brute_force(feature: DomainFeature, extracted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: dict[bytes, Counter[str]] = defaultdict(Counter)
    for line in lines(extracted / "extract.gz"):
        source, target, _, number = line.split(b" ||| ")
        counts[source + b" ||| " + target][domain_of(int(number[1:]))] += 1
    assert {len(by_domain) for by_domain in counts.values()} == {1, 2, 3}
    # Blocks of a few records, so that pairs of phrases begin in one and end in another.
    monkeypatch.setattr(external_sort, "BLOCK", 7)
    options = TableOptions(additions=(domain_scores(Domains.read(tmp_path / "domains"), feature),), compact=True)
    assert build_tables(extracted, tmp_path / "out", options).pairs == len(counts)
    build_tables(tmp_path / "plain", tmp_path / "without")
    table, without = (lines(tmp_path / name / "phrase-table.gz") for name in ("out", "without"))
    for row, plain in zip(table, without, strict=True):
        cells, others = row.split(b" ||| "), plain.split(b" ||| ")
        assert cells[:2] + cells[3:] == others[:2] + others[3:]
        scores = [float(score) for score in cells[2].split()]
        assert scores[:4] == [float(score) for score in others[2].split()]
        assert scores[4:] == pytest.approx(expected(feature, counts[b" ||| ".join(cells[:2])]), rel=1e-5)
    compact = CompactTable.open(tmp_path / "out" / "phrase-table.compact")
    assert compact.scores.shape == (len(counts), 4 + len(expected(feature, Counter(news=1))))


def test_shares_are_of_weights_and_pairs_of_weight_0_are_not_there(extracted: Path, tmp_path: Path) -> None:
    weights = np.array([0.5, 0.0, 2.0])
    labels = Labels(
        ("news", "web", "talks"), np.array([["news", "web", "talks"].index(domain_of(k + 1)) for k in range(40)], np.int32)
    )
    weigher = PhraseScores(PairScores(labels, weights), {})
    options = TableOptions(additions=(domain_scores(Domains.read(tmp_path / "domains"), "ratio"),), weigher=weigher)
    build_tables(extracted, tmp_path / "out", options)
    counts: dict[bytes, Counter[str]] = defaultdict(Counter)
    for line in lines(extracted / "extract.gz"):
        source, target, _, number = line.split(b" ||| ")
        domain = domain_of(int(number[1:]))
        if domain != "web":
            counts[source + b" ||| " + target][domain] += 1 if domain == "news" else 4
    table = lines(tmp_path / "out" / "phrase-table.gz")
    assert {b" ||| ".join(row.split(b" ||| ")[:2]) for row in table} == counts.keys()
    for row in table:
        cells = row.split(b" ||| ")
        scores = [float(score) for score in cells[2].split()]
        assert scores[4:] == pytest.approx(expected("ratio", counts[b" ||| ".join(cells[:2])]), rel=1e-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no domain"),
        ("8 news\n7 web\n", "line 2 of"),
        ("8\n", "line 1 of"),
        ("x news\n", "line 1 of"),
        ("0 news\n", "names no domain"),
        (f"{'9' * 5000} news\n", "line 1 of"),
        ("".join(f"{k} d{k}\n" for k in range(1, 8)), "6 for subsets"),
        ("39 news\n", "domains of 39 sentence pairs, but phrases were extracted from 40"),
        ("41 news\n", "domains of 41 sentence pairs, but phrases were extracted from 40"),
    ],
)
def test_what_is_refused(text: str, message: str, extracted: Path, tmp_path: Path) -> None:
    (tmp_path / "domains").write_text(text)
    with pytest.raises(InputError, match=message):
        build_tables(
            extracted, tmp_path / "out", TableOptions(additions=(domain_scores(Domains.read(tmp_path / "domains"), "subset"),))
        )


def test_phrases_without_numbers_or_domains_are_refused(extracted: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lacks the number"):
        build_tables(
            tmp_path / "plain",
            tmp_path / "out",
            TableOptions(additions=(domain_scores(Domains.read(tmp_path / "domains"), "ratio"),)),
        )
    (tmp_path / "domains").write_text("39 news\n")
    (extracted / "extract.json").unlink()
    with pytest.raises(InputError, match="domains of 39 sentence pairs, but phrases come from pair 40"):
        build_tables(
            extracted, tmp_path / "out", TableOptions(additions=(domain_scores(Domains.read(tmp_path / "domains"), "ratio"),))
        )
    assert gzip.open(extracted / "extract.gz").read().count(b"#40\n")


def test_the_command_takes_domains_of_one_kind(extracted: Path, tmp_path: Path) -> None:
    phrase_table(PhraseTableOptions(extracted=extracted, out=tmp_path / "out", domain_subset=tmp_path / "domains"))
    assert all(len(row.split(b" ||| ")[2].split()) == 11 for row in lines(tmp_path / "out" / "phrase-table.gz"))
    manifest = read_manifest(tmp_path / "out", "phrase-table.json")
    assert manifest.command == "assay smt phrase-table extracted --domain-subset domains"
    assert f"{tmp_path.name}/domains" in manifest.inputs
    with pytest.raises(InputError, match="domains of one kind"):
        phrase_table(
            PhraseTableOptions(
                extracted=extracted, out=tmp_path / "other", domain_ratio=tmp_path / "domains", domain_subset=tmp_path / "domains"
            )
        )


def test_files_of_moses_have_numbers_without_a_sign(extracted: Path, tmp_path: Path) -> None:
    """Moses' extract --IncludeSentenceId writes ``||| 45``; files with our manifest have weights there."""
    bare = tmp_path / "moses"
    bare.mkdir()
    for name in ("lex.e2f", "lex.f2e"):
        (bare / name).write_bytes((extracted / name).read_bytes())
    text = gzip.open(extracted / "extract.gz").read().replace(b"||| #", b"||| ")
    (bare / "extract.gz").write_bytes(gzip.compress(text))
    options = TableOptions(additions=(domain_scores(Domains.read(tmp_path / "domains"), "ratio"),))
    build_tables(extracted, tmp_path / "signed", options)
    build_tables(bare, tmp_path / "bare", options)
    assert lines(tmp_path / "bare" / "phrase-table.gz") == lines(tmp_path / "signed" / "phrase-table.gz")
    (bare / "extract.json").write_bytes((extracted / "extract.json").read_bytes())
    with pytest.raises(InputError, match="lacks the number"):
        build_tables(bare, tmp_path / "again", options)
    (bare / "extract.json").unlink()
    (bare / "extract.gz").write_bytes(gzip.compress(text.replace(b"||| 7\n", b"||| 0.5\n")))
    with pytest.raises(InputError, match="lacks the number"):
        build_tables(bare, tmp_path / "again", options)


@pytest.mark.parametrize("weight", ["", " ||| 0.5"])
def test_pairs_without_links_end(tmp_path: Path, weight: str) -> None:
    (tmp_path / "extract.gz").write_bytes(gzip.compress(f"a ||| x ||| {weight}\na ||| x ||| 0-0{weight}\n".encode()))
    for name in ("lex.e2f", "lex.f2e"):
        (tmp_path / name).write_text("")
    build_tables(tmp_path, tmp_path / "out")
    assert len(lines(tmp_path / "out" / "phrase-table.gz")) == 1
