"""Merged extractions: the worked example, counts that add up, what is shared by the definition, whose pairs were used."""

import gzip
import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables
from app.smt.corpus.trees import provenance
from app.smt.corpus.trees.merging import merge_extractions, subsets_of
from app.smt.corpus.trees.provenance import compare_extractions, used_pairs

# (source, target): how often, by method.
WORKED = {
    "s": {("la maison", "the house"): 4, ("la maison", "house"): 1, ("bleue", "blue"): 3},
    "c": {("la maison", "the house"): 2, ("bleue", "blue"): 1},
    "p": {("la maison", "the house"): 1, ("la maison", "home"): 1},
}
LINKS = {"the house": "0-0 1-1", "house": "0-0 1-0", "blue": "0-0", "home": "1-0"}


def write(folder: Path, pairs: dict[tuple[str, str], int]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{source} ||| {target} ||| {LINKS.get(target, '0-0')}\n" for (source, target), count in pairs.items() for _ in range(count)
    ]
    (folder / "extract.gz").write_bytes(gzip.compress("".join(lines).encode()))
    (folder / "lex.e2f").write_text("la the 1\n")
    (folder / "lex.f2e").write_text("the la .6\nhouse maison .7\nhouse la .1\n")
    return folder


def table(extracted: Path, out: Path) -> dict[tuple[str, str], list[float]]:
    build_tables(extracted, out, TableOptions())
    rows = [line.split(" ||| ") for line in gzip.decompress((out / "phrase-table.gz").read_bytes()).decode().splitlines()]
    return {(row[0], row[1]): [float(number) for number in row[2].split()] for row in rows}


def test_the_worked_example(tmp_path: Path) -> None:
    folders = {name: write(tmp_path / name, pairs) for name, pairs in WORKED.items()}
    (merged,) = merge_extractions(folders, tmp_path / "all")
    scores = table(merged, tmp_path / "table")
    assert {pair: row[2] for pair, row in scores.items()} == pytest.approx(
        {("la maison", "the house"): 7 / 9, ("la maison", "house"): 1 / 9, ("la maison", "home"): 1 / 9, ("bleue", "blue"): 1}, rel=1e-5
    )  # fmt: skip
    assert all(row[0] == 1 for row in scores.values())
    # p(the|la) p(house|maison); "house" is linked to both.
    assert scores["la maison", "the house"][3] == pytest.approx(0.42) and scores["la maison", "house"][3] == pytest.approx(0.4)
    alone = table(folders["s"], tmp_path / "alone")
    assert (alone["la maison", "the house"][2], alone["la maison", "house"][2]) == pytest.approx((0.8, 0.2))
    compared = compare_extractions(folders)
    assert compared.occurrences == {0: 8, 1: 3, 2: 2} and [compared.size(k) for k in range(3)] == [3, 2, 2]
    rows = {(row["pairs of"], row["beside"]): (row["common"], row["unique"], row["extended"]) for row in compared.overlaps()}
    assert rows == {("s", "c"): (2, 1, 1), ("c", "s"): (2, 0, 0), ("s", "p"): (1, 2, 1), ("p", "s"): (1, 1, 1), ("c", "p"): (1, 1, 0), ("p", "c"): (1, 1, 1)}  # fmt: skip
    regions = {row["in"]: row["distinct"] for row in compared.regions()}
    assert regions == {"s": 1, "c": 0, "p": 1, "s+c": 1, "s+p": 0, "c+p": 0, "s+c+p": 1}


def test_every_subset_is_written_and_adds_up(tmp_path: Path) -> None:
    folders = {name: write(tmp_path / name, pairs) for name, pairs in WORKED.items()}
    made = merge_extractions(folders, tmp_path / "out", subsets=True)
    assert [path.name for path in made] == ["s", "c", "p", "s+c", "s+p", "c+p", "s+c+p"] and len(
        subsets_of(dict.fromkeys("abcd", tmp_path))
    ) == 15
    for path in made:
        counts = sum((Counter(WORKED[name]) for name in path.name.split("+")), Counter[tuple[str, str]]())
        lines = gzip.decompress((path / "extract.gz").read_bytes()).decode().splitlines()
        assert Counter(tuple(line.split(" ||| ")[:2]) for line in lines) == counts
        assert (path / "lex.e2f").is_file() and not (path / "extract.inv.gz").exists()
    with pytest.raises(InputError, match="--replace"):
        merge_extractions(folders, tmp_path / "out", subsets=True)


PAIRS = st.dictionaries(
    st.tuples(st.sampled_from(["a", "a b", "b", "a b c"]), st.sampled_from(["x", "x y", "y"])), st.integers(1, 3)
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PAIRS, min_size=1, max_size=4), st.data())
def test_what_is_shared_is_so_by_the_definition(
    tmp_path: Path, extractions: list[dict[tuple[str, str], int]], data: st.DataObject
) -> None:
    folders = {f"m{number}": write(tmp_path / str(number), pairs) for number, pairs in enumerate(extractions)}
    used = data.draw(
        st.dictionaries(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["x", "z"])), st.integers(1, 3), max_size=3)
    )
    compared = compare_extractions(folders, {f"{source} ||| {target}".encode(): count for (source, target), count in used.items()})
    union = {pair for pairs in extractions for pair in pairs}
    having = {pair: sum(1 << number for number, pairs in enumerate(extractions) if pair in pairs) for pair in union}
    assert compared.distinct == Counter(having.values()) and compared.distinct.total() == len(union)
    rows = {(row["pairs of"], row["beside"]): row for row in compared.overlaps()}
    for one, other in permutations(range(len(extractions)), 2):
        row = rows[f"m{one}", f"m{other}"]
        sources = {source for source, _ in extractions[other]}
        unique = [pair for pair in extractions[one] if pair not in extractions[other]]
        assert row["common"] == len(extractions[one].keys() & extractions[other].keys()) and row["unique"] == len(unique)
        assert row["extended"] == sum(source in sources for source, _ in unique)
    expected = Counter[int]()
    for pair, count in used.items():
        expected[having.get(pair, 0)] += count
    assert +compared.uses == expected


def test_pairs_of_a_trace(tmp_path: Path) -> None:
    phrases = [{"source": [0, 2], "target": ["the", "house"], "table": "T", "scores": []}, {"source": [2, 3], "target": ["x"]}]
    (tmp_path / "trace").write_text(json.dumps({"segment": 1, "score": -1, "phrases": phrases}) + "\n")
    (tmp_path / "text").write_text("bleue\nla maison bleue\n")
    used = used_pairs(tmp_path / "trace", tmp_path / "text")
    assert used == {b"la maison ||| the house": 1, b"bleue ||| x": 1}
    folders = {name: write(tmp_path / name, pairs) for name, pairs in WORKED.items()}
    assert compare_extractions(folders, used).regions()[-2:] == [
        {"in": "s+c+p", "distinct": 1, "used": 1}, {"in": "none", "distinct": 0, "used": 1},
    ]  # fmt: skip
    for fault in ("x\n", '{"segment": 7, "phrases": []}\n', '{"segment": 0, "phrases": [{"source": [0, 2], "target": []}]}\n'):
        (tmp_path / "trace").write_text(fault)
        with pytest.raises(InputError, match=r"line 1 of .*trace"):
            used_pairs(tmp_path / "trace", tmp_path / "text")


def test_what_is_refused(tmp_path: Path) -> None:
    folders = {name: write(tmp_path / name, pairs) for name, pairs in WORKED.items()}
    (folders["c"] / "extract.o.gz").write_bytes(gzip.compress(b"bleue ||| blue ||| mono mono\n"))
    with pytest.raises(InputError, match="orientations"):
        merge_extractions(folders, tmp_path / "out")
    with pytest.raises(InputError, match="holds neither"):
        merge_extractions({"s": tmp_path}, tmp_path / "out")
    (folders["p"] / "extract.gz").write_bytes(gzip.compress(b"a ||| b ||| 0-0\na\n"))
    with pytest.raises(InputError, match=r"line 2 of .* is no pair"):
        compare_extractions(folders)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("block", [1, 2, 3])
def test_no_pair_is_lost_between_parts(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "BLOCK", block)
    folders = {name: write(tmp_path / name, pairs) for name, pairs in WORKED.items()}
    compared = compare_extractions(folders)
    assert [compared.occurrences[number] for number in range(len(folders))] == [sum(pairs.values()) for pairs in WORKED.values()]
