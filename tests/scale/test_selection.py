"""The best rows of shards, against a stable sort of all rows."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scale import Scorer
from app.scale.files.shards import Shard, shards_of
from app.scale.runs import run
from app.scale.selection import ScoresTask, SelectionTask, selection_of

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
import pyarrow.parquet as pq  # noqa: E402 - after the check

SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1.0, 1.0000000000000002, -3.5, np.inf, -np.inf]),
    st.floats(),
    st.none(),
    st.just(float("nan")),
)


def tables(folder: Path, values: list[float | None]) -> list[Shard]:
    table = pa.table({"id": list(range(len(values))), "score": pa.array(values, pa.float64())})
    pq.write_table(table, folder / "rows.parquet", row_group_size=7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.scale.files.shards.SHARD_ROWS", 7)
        return shards_of([f"{folder}/rows.parquet"])


def chosen(folder: Path, shards: list[Shard], task: ScoresTask, **limits: float) -> list[int]:
    assert not run(task, shards, map).failures
    selection = selection_of(SelectionTask(task, "inf", f"{folder}/best"), shards, **limits)  # type: ignore[arg-type]
    assert not run(selection, shards, map).failures
    return [row for path in sorted((folder / "best").glob("*.parquet")) for row in pq.read_table(path)["id"].to_pylist()]


def expected(values: list[float | None], count: int, least: float, sign: int = 1) -> list[int]:
    scores = [-np.inf if value is None or not np.isfinite(value) else sign * value for value in values]
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    return sorted([row for row in order if scores[row] > -np.inf and scores[row] >= least][:count])


@settings(max_examples=60, deadline=None)
@given(st.lists(SCORES, min_size=1, max_size=40), st.integers(1, 45), st.one_of(st.none(), st.floats(-5, 5)), st.booleans())
def test_the_best_rows_in_their_order(
    tmp_path_factory: pytest.TempPathFactory, values: list[float | None], count: int, least: float | None, lower: bool
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    shards = tables(folder, values)
    task = ScoresTask("score", f"{folder}/scores", lower_is_better=lower)
    limits = {"pairs": count, **({} if least is None else {"minimum": least})}
    found = chosen(folder, shards, task, **limits)
    assert found == expected(values, count, -np.inf if least is None else least, -1 if lower else 1)


@pytest.mark.parametrize("count", [0, 5, 20, 30])
def test_a_number_of_rows(tmp_path: Path, count: int) -> None:
    values: list[float | None] = [float((7 * row) % 20) for row in range(20)]
    found = chosen(tmp_path, tables(tmp_path, values), ScoresTask("score", f"{tmp_path}/scores"), pairs=count)
    assert found == expected(values, count, -np.inf)


def test_rows_with_the_best_predicted_quality(tmp_path: Path) -> None:
    sources = [None if row == 4 else f"Casa numărul {row} este mare." for row in range(30)]
    translations = [f"House {row} is{' is' * (row % 5)} big." for row in range(30)]
    pq.write_table(pa.table({"id": list(range(30)), "src": sources, "mt": translations}), tmp_path / "pairs.parquet")
    scorer = Scorer(model="ro-en-hter-gp-17")
    shards = shards_of([f"{tmp_path}/pairs.parquet"])
    found = chosen(tmp_path, shards, ScoresTask("assay_quality", f"{tmp_path}/scores", scorer, lower_is_better=True), pairs=6)
    scores = scorer(pa.table({"src": sources, "mt": translations}))["assay_quality"].to_pylist()
    assert found == expected(scores, 6, -np.inf, -1) and 4 not in found
