"""Reports of filters, against a count of pairs one by one."""

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.shell.program import program
from app.smt.corpus.selection.filter_report import FilterReport, markdown_report

NAMES = ["words", "ratio", "copy"]


@given(st.lists(st.tuples(st.lists(st.booleans(), min_size=3, max_size=3), st.integers(0, 5), st.sampled_from("ab")), max_size=40))
def test_counts_are_those_of_pairs_one_by_one(rows: list[tuple[list[bool], int, str]]) -> None:
    report = FilterReport(NAMES)
    for begin in range(0, len(rows), 7):
        part = rows[begin : begin + 7]
        texts = [["w " * size for _, size, _ in part], ["w" for _ in part]]
        report.add(np.array([faults for faults, _, _ in part]).reshape(-1, 3), texts, [corpus for _, _, corpus in part])
    answer = report.as_json({"repeated": 2})
    assert answer["left_out_later"] == {"repeated": 2}
    parts = [
        (answer, rows),
        *((corpus, [row for row in rows if row[2] == corpus["corpus"]]) for corpus in answer.get("corpora", ())),
    ]
    for counts, group in parts:
        assert counts["pairs"] == len(group) and counts["words"] == sum(size + 1 for _, size, _ in group)
        assert counts["passing_pairs"] == sum(not any(faults) for faults, _, _ in group)
        for k, row in enumerate(counts["rules"]):
            assert row["rule"] == NAMES[k] and row["pairs"] == sum(faults[k] for faults, _, _ in group)
            assert row["pairs_alone"] == sum(faults[k] and sum(faults) == 1 for faults, _, _ in group)
            assert row["words_alone"] == sum(size + 1 for faults, size, _ in group if faults[k] and sum(faults) == 1)
    for k, row in enumerate(answer["rules"]):
        found = [rows[example["pair"] - 1][0] for example in row["examples"]]
        assert len(found) == min(3, row["pairs_alone"]) and all(faults[k] and sum(faults) == 1 for faults in found)


def assay(*arguments: str) -> None:
    typer.main.get_command(program).main([*arguments], standalone_mode=False)


def test_the_command_writes_both_forms(tmp_path: Path) -> None:
    sources = ["ein Haus", "a b c", "x " * 100, "gleich", "| <b> *"]
    (tmp_path / "s").write_text("\n".join(sources) + "\n")
    (tmp_path / "t").write_text("\n".join(["a house", "1", "y " * 100, "gleich", "p q r"]) + "\n")
    (tmp_path / "names").write_text("web\nweb\nbooks\nbooks\nweb\n")
    common = ["corpus", "filter", str(tmp_path / "s"), str(tmp_path / "t"), "--no-copies", "--max-ratio", "2"]
    for name in ("report.json", "report.md"):
        assay(*common, "--report", str(tmp_path / name), "--corpora", str(tmp_path / "names"))
    answer = json.loads((tmp_path / "report.json").read_text())
    assert {row["rule"]: row["pairs"] for row in answer["rules"]} == {"words": 1, "ratio": 1, "copy": 1}
    assert [corpus["corpus"] for corpus in answer["corpora"]] == ["books", "web"] and answer["passing_pairs"] == 2
    text = (tmp_path / "report.md").read_text()
    assert (
        "5 pairs, 2 pass (40.0% of pairs" in text and "| with the same text on both sides (--no-copies) | 1 | 20.0% | 1 |" in text
    )
    with pytest.raises(InputError, match="1 names of corpora for 5 pairs"):
        (tmp_path / "names").write_text("web\n")
        assay(*common, "--report", str(tmp_path / "r.md"), "--corpora", str(tmp_path / "names"))


def test_texts_cannot_act_in_markdown() -> None:
    report = FilterReport(["copy"])
    report.add(np.ones((1, 1), bool), [["<script>|`x`|"], ["[a](javascript:b)"]])
    text = markdown_report(report.as_json({}), {})
    assert "<script>" not in text and "\\<script\\>\\|" in text and "[a](" not in text
