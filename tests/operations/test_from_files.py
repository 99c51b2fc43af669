"""Files of jobs are read as chunks are made, with the same answers as a body read whole."""

import io
from typing import Any

import pytest

from app.engine import Engine
from app.errors import InputError
from app.operations.catalogue import OPERATIONS
from app.operations.operation import Plan, Planning
from app.operations.parts.from_files import plan_files
from app.operations.parts.limits import RequestLimits
from app.settings import Settings

PARAMS = {"source_language": "ro", "target_language": "en"}


def plan(engine: Engine, files: dict[str, bytes], kind: str = "features", **settings: Any) -> tuple[Plan, dict[str, io.BytesIO]]:
    opened = {name: io.BytesIO(raw) for name, raw in files.items()}
    held_to = Settings(**settings)
    planning = Planning(engine, RequestLimits.of_jobs(held_to), held_to.chunk_segments)
    return plan_files(OPERATIONS[kind], planning, PARAMS, opened, {}), opened  # type: ignore[arg-type]


def test_lines_are_read_when_their_chunk_is_made(engine: Engine) -> None:
    raw = b"source\ttranslation\n" + b"casa\thouse\n" * 5000
    planned, files = plan(engine, {"file": raw}, chunk_segments=100)
    chunks = iter(planned.chunks)
    rows, content = next(chunks)
    assert rows == 100
    assert content["sources"] == ["casa"] * 100
    assert files["file"].tell() < len(raw) / 40
    assert sum(size for size, _ in chunks) == 4900


def test_tables_and_lines_give_the_same_rows(engine: Engine) -> None:
    table = "\ufefftranslation\tid\tsource\ttoken_log_probs\r\nb\t1\ta\t-1 -2\r\nd\t2\tc\t-3\r\n".encode()
    lines = {"source": b"a\nc\n", "translation": b"b\nd", "log_probs": b"-1 -2\n-3\n"}
    expected = [(2, {"sources": ["a", "c"], "translations": ["b", "d"], "token_log_probs": [[-1, -2], [-3]]})]
    assert list(plan(engine, {"file": table})[0].chunks) == expected
    assert list(plan(engine, lines)[0].chunks) == expected
    assert list(plan(engine, {"file": b"a\tb\nc\td", "log_probs": b"-1 -2\n-3"})[0].chunks) == expected


def test_unequal_files_are_named_with_both_numbers(engine: Engine) -> None:
    with pytest.raises(InputError, match="translation has 1 line but source has 4"):
        list(plan(engine, {"source": b"a\nb\nc\nd", "translation": b"x\n"})[0].chunks)
    with pytest.raises(InputError, match="log_probs has 1 line but file has 3"):
        list(plan(engine, {"file": b"source\ttranslation\na\tb\nc\td\ne\tf", "log_probs": b"-1"})[0].chunks)


def test_log_probs_choose_the_model_before_a_line_is_read(engine: Engine) -> None:
    planned, _ = plan(engine, {"file": b"a\tb\n", "log_probs": b"-1\n"}, "quality")
    assert planned.params["model"] == "ro-en-hter-blend-105"
    assert plan(engine, {"file": b"a\tb\n"}, "quality")[0].params["model"] == "ro-en-hter-blend-95"


@pytest.mark.parametrize(
    ("files", "code", "where"),
    [
        ({"file": b"a\tb\nc\n"}, "invalid-table", ("file", 2)),
        ({"file": b"a\tb\n\xff\tc\n"}, "invalid-encoding", ("file", 2)),
        ({"file": b"a\tb\n" * 3 + b"x\0\tc\n"}, "invalid-character", ("file", 4)),
        ({"file": b"a\tb\nc\t" + b"x" * 30_000}, "segment-too-long", ("segments", 1, "translation")),
        ({"file": b"x" * 10**6}, "segment-too-long", ("file", 1)),
        ({"source": b"a\nb\n", "translation": b"c\n"}, "unequal-lengths", ("translation",)),
        ({"file": b"a\tb\n", "log_probs": b"-1\n-2\n"}, "unequal-lengths", ("file",)),
        ({"file": b"a\tb\nc\td\n", "log_probs": b"-1\n"}, "unequal-lengths", ("log_probs",)),
        ({"file": b"a\tb\n", "log_probs": b"x\n"}, "invalid-table", ("segments", 0, "token_log_probs")),
        ({"file": b"a\tb\nc\td\n", "log_probs": b"-1\n1\n"}, "log-prob-mismatch", ("segments", 1, "token_log_probs", 0)),
        ({"file": b""}, "empty-input", ("file",)),
        ({"other": b"a"}, "invalid-job", ("other",)),
        ({"file": b"a\tb\n" * 11}, "too-many-segments", ("segments",)),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(
    engine: Engine, files: dict[str, bytes], code: str, where: tuple[str | int, ...]
) -> None:
    with pytest.raises(InputError) as caught:
        list(plan(engine, files, chunk_segments=2, max_job_segments=10)[0].chunks)
    assert (caught.value.code, caught.value.where) == (code, where)


LABELLED = b"source\ttranslation\tlabel\ttask\twho\na\tb\tnone\tNew York\tann\n"


def test_columns_that_segments_do_not_know_are_passed_over(engine: Engine) -> None:
    for kind in ("select", "quality", "words", "features"):
        (chunk,) = plan(engine, {"file": LABELLED}, kind)[0].chunks
        assert (chunk[1]["sources"], chunk[1]["translations"]) == (["a"], ["b"])
    with pytest.raises(InputError, match="number"):
        plan(engine, {"file": LABELLED}, "evaluate")


@pytest.mark.parametrize("kind", ["features", "select"])
def test_a_field_that_is_not_known_is_named(engine: Engine, kind: str) -> None:
    with pytest.raises(InputError, match="there is no such field; files of a form are file, source, translation, ") as caught:
        plan(engine, {"file": b"a\tb\n", "sauce": b"a\n"}, kind)
    assert caught.value.where == ("sauce",)
    with pytest.raises(InputError, match="send either file"):
        plan(engine, {"source": b"a\n"}, kind)


def test_a_score_names_the_field_that_is_missing(engine: Engine) -> None:
    for role, missing in (("system:a", "reference:NAME"), ("reference:a", "system:NAME")):
        with pytest.raises(InputError, match=f"a field {missing} is missing"):
            plan(engine, {role: b"a\n"}, "score")


def test_a_table_of_systems_brings_their_references(engine: Engine) -> None:
    rows = b"casa\thouse\t.5\tone\thome\ncasa\thome\t0\ttwo\thome\n"
    planned, _ = plan(engine, {"file": b"source\ttranslation\tlabel\ttask\treference\n" + rows}, "evaluate")
    (_, chunk), *_ = planned.chunks
    assert (chunk["systems"], chunk["references"]) == (["one", "two"], ["home", "home"])
    # Without systems, a reference says nothing to an evaluation.
    planned, _ = plan(engine, {"file": b"source\ttranslation\tlabel\treference\ncasa\thouse\t.5\thome\n"}, "evaluate")
    (_, chunk), *_ = planned.chunks
    assert "systems" not in chunk and "references" not in chunk
