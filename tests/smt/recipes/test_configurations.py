"""What a `moses.ini` of a stranger's may name in a server's step: files of the job, of forms that anybody's may have."""

from io import BytesIO
from typing import Any

import pytest

from app.errors import InputError
from app.operations.operation import Plan
from app.smt.decoder.tuning import tuned_system
from app.smt.recipes.configurations import named_files, place_of, writer_of_numbers
from app.smt.recipes.planning import plan_form
from app.smt.recipes.steps import SPARSE_WEIGHTS
from tests.smt.recipes.test_planning import JOB, Jobs, chunks, planned, planning, refusal

TABLE = b"x ||| v ||| 1\n"
BINARY = b"mmap lm http://kheafield.com/code format version 5\n\0" + bytes(40)
COMPACT = b"ASSAYPT1" + (40).to_bytes(8, "little")
ARPA = b"\\data\\\nngram 1=1\n"
DECODE = {"smt decode": {"config": "system.ini", "text": "a"}, "print": "c"}


def ini(table: str = "t", lm: str | None = None, more: str = "") -> str:
    features = f"PhraseDictionaryMemory name=T num-features=1 path={table}\n" + (
        f"KENLM name=L path={lm}\n" if lm is not None else ""
    )
    weights = "T= 1\n" + ("L= 1\n" if lm is not None else "")
    return f"[feature]\n{features}{more}\n[weight]\n{weights}"


def plan(config: str, steps: Any = DECODE, trusted: bool = False, **files: bytes) -> Plan:
    uploads = {
        f"input:{name}": BytesIO(raw) for name, raw in {"a": b"x\n", "b": b"v\n", "system.ini": config.encode(), **files}.items()
    }
    steps = steps if isinstance(steps, list) else [steps]
    return plan_form(planning(trusted=trusted, bytes=10**6), {"recipe": {"steps": steps}}, uploads)


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../../assay.sqlite3", "t/../../x", "..", "/proc/self/environ", "~/x", ".hidden", "file:///etc/passwd", "t\\..\\x",
     "http://localhost/x", "a/b/c/d/e", "$HOME", "", "x" * 300, "\u202e"],
)  # fmt: skip
def test_a_configuration_names_files_of_the_job_alone(path: str) -> None:
    lists = [f"TargetWordInsertionFeature name=i path={path}\n", f"WordTranslationFeature name=w simple=1 target-path={path}\n"]
    for config in (ini(path), ini("t", path), *(ini(more=line) for line in lists), f"{ini()}[weight-file]\n{path or '/'}\n"):
        with pytest.raises(InputError) as refused:
            plan(config, t=TABLE)
        assert refused.value.code in ("invalid-job", "invalid-request")
        with pytest.raises(InputError):
            named_files(config.encode(), "work/system.ini")


@pytest.mark.parametrize(
    "step",
    [
        DECODE,
        {"nbest tune": {"n-best": "a", "reference": "b", "decoder": "system.ini", "out": "c"}},
        {"smt samplerank": {"source": "a", "reference": "b", "config": "system.ini", "out": "c"}},
        {
            "smt search-weights": {
                "extracted": "e",
                "pair-scores": "p",
                "config": "system.ini",
                "source": "a",
                "reference": "b",
                "out": "c",
            }
        },
    ],
)
def test_every_step_that_reads_one_is_looked_at(step: Any) -> None:
    files = {"t": TABLE, "e": b"", "p": b""}
    (chunk,) = chunks(plan(ini(), step, **files))
    assert chunk["configurations"] == ["system.ini"]
    for config, told in (
        (ini("/etc/passwd"), "no name of a file"),
        (ini("other"), "not given"),
        ("[feature]\nX\n", "not supported"),
    ):
        with pytest.raises(InputError, match=told):
            plan(config, step, **files)


def test_sparse_weights_and_word_lists_are_files_of_the_job_too() -> None:
    config = f"{ini(more='PhraseBoundaryFeature name=b target=1 target-classes=k')}[weight-file]\nw\n"
    (chunk,) = chunks(plan(config, t=TABLE, k=b"a X\n", w=b"b_x 1\n"))
    assert chunk["characters"] == sum(map(len, [b"x\n", TABLE, b"a X\n", b"b_x 1\n", config.encode()]))
    assert SPARSE_WEIGHTS == tuned_system.SPARSE_WEIGHTS
    for files in ({"k": b"a X\n"}, {"w": b"b_x 1\n"}, {"k": COMPACT, "w": b"b_x 1\n"}):
        with pytest.raises(InputError):
            plan(config, t=TABLE, **files)


def test_what_it_names_counts_as_read() -> None:
    (chunk,) = chunks(plan(ini(lm="m.arpa"), t=TABLE, **{"m.arpa": ARPA}))
    assert chunk["characters"] == sum(map(len, [b"x\n", TABLE, ARPA, ini(lm="m.arpa").encode()]))
    # Beside the configuration, as a system's own folder has it, and packed.
    assert (
        place_of(named_files(ini("tables/t").encode(), "sys/moses.ini")[0], "sys/moses.ini", ["sys/tables/t.gz", "t"])
        == "sys/tables/t.gz"
    )


def test_numbers_come_of_steps_alone() -> None:
    for files, config in (({"t": COMPACT}, ini()), ({"t": TABLE, "m": BINARY}, ini(lm="m"))):
        with pytest.raises(InputError) as refused:
            plan(config, **files)
        assert refused.value.code == "forbidden"
        plan(config, trusted=True, **files)
    plan(ini(lm="m"), t=b"\x1f\x8b\0\0", m=b"\x1f\x8b\0\0")
    for command, name, fine in (
        ("smt train", "system/model/lm.binary", True),
        ("smt train", "system/text/source.txt", False),
        ("resources lm", "lm/lm.binary", True),
        ("corpus filter", "lm.binary", False),
        (None, "lm.binary", False),
    ):
        files = {"a": "x\n", "t": TABLE.decode(), "system.ini": ini(lm="m"), "m": {"job": JOB, "file": name}}
        here = planning(Jobs(**{name: (BINARY, command)}), bytes=10**6)
        if fine:
            planned([DECODE], files, here)
        else:
            assert refusal([DECODE], files, here).code == "forbidden"
    assert writer_of_numbers("smt phrase-table", "tables/lex.e2f") is None
    assert writer_of_numbers("smt phrase-table", "tables/phrase-table.compact") == "smt phrase-table"


def test_a_system_is_copied_as_a_folder_of_another_job() -> None:
    stored = {
        "system/moses.ini": (ini("tables/t", "model/lm.binary").encode(), "smt train"),
        "system/tables/t.gz": (b"\x1f\x8b", "smt train"),
        "system/model/lm.binary": (BINARY, "smt train"),
        "system2/x": (b"", None),
    }
    step = {"smt translate": {"system": "mine", "text": "a"}, "print": "c"}
    files = {"a": "x\n", "mine": {"job": JOB, "file": "system"}}
    made = planned([step], files, planning(Jobs(**stored), bytes=10**6))
    assert set(made.params["inputs"]) == {"a", "mine/moses.ini", "mine/tables/t.gz", "mine/model/lm.binary"}
    (chunk,) = chunks(made)
    assert chunk["configurations"] == ["mine/moses.ini"] and chunk["characters"] == sum(
        row["bytes"] for row in made.params["inputs"].values()
    )
    # Somebody's own system, whose configuration leads elsewhere.
    stored["system/moses.ini"] = (ini("../../x").encode(), None)
    assert "no name of a file" in str(refusal([step], files, planning(Jobs(**stored), bytes=10**6)))


def test_a_configuration_is_small_and_no_archive() -> None:
    for raw in (b"\x1f\x8b" + bytes(100), b"#" * 70_000, b"\xff\xfe", b"[feature]\n\0"):
        with pytest.raises(InputError):
            named_files(raw, "system.ini")
