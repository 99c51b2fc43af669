"""A recipe as a job of a server: names of files and values that would lead elsewhere, and what steps are told to run."""

import gzip
import json
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.operations.job_files import Stored
from app.operations.operation import Plan, Planning
from app.operations.parts.limits import RecipeLimits, RequestLimits
from app.smt.recipes.command_lines import is_file_name
from app.smt.recipes.planning import plan_form, plan_recipe
from app.smt.recipes.request import RecipeRequest

FILTER = {"corpus filter": {"source": "a", "target": "b", "out-source": "c", "out-target": "d"}}
TEXTS: dict[str, Any] = {"a": "x\ny\n", "b": "v\nw\n"}
JOB = "0" * 32


class Jobs:
    """Files of other jobs, by name: bytes and the command that made them."""

    most_bytes = None

    def __init__(self, **files: tuple[bytes, str | None]) -> None:
        self.files = files

    def names(self, job: str, name: str) -> list[str]:
        return [name] if name in self.files else [file for file in self.files if file.startswith(f"{name}/")] or [name]

    def open(self, job: str, name: str) -> Stored:
        raw, command = self.files[name]
        return Stored(BytesIO(raw), command)


def planning(stored: Jobs | None = None, trusted: bool = False, **limits: Any) -> Planning:
    engine: Any = None
    recipe = RecipeLimits(**{"bytes": 1000, "seconds": 10.0, "memory": 10**9, **limits})
    return Planning(engine, RequestLimits(10, 10, 10, 10, recipe), 500, None, stored, trusted)


def planned(steps: Any, files: Any = TEXTS, here: Planning | None = None, **request: Any) -> Plan:
    return plan_recipe(here or planning(), RecipeRequest.model_validate({"recipe": {"steps": steps}, "files": files, **request}))


def refusal(steps: Any, files: Any = TEXTS, here: Planning | None = None) -> InputError:
    with pytest.raises(InputError) as refused:
        planned(steps, files, here)
    return refused.value


def chunks(plan: Plan) -> list[Any]:
    return [chunk for _, chunk in plan.chunks]


def test_steps_are_command_lines_over_names() -> None:
    recipe = """
folder: elsewhere
constants: {t: text, out: tables/all}
steps:
  - resources align: {source: "${t}/a.de", target: "${t}/a.en", links: links.gz}
  - smt extract: {source: "${t}/a.de", target: "${t}/a.en", links: links.gz, out: phrases}
  - smt phrase-table: {extracted: phrases, out: "${out}", good-turing: true, reordering: [wbe-msd-bidirectional-fe]}
  - name: mixed
    resources mix-lm: {models: [lm.1, lm.2], weights: "0.5,0.5", out: lm}
    print: mixture.json
"""
    names = ["text/a.de", "text/a.en", "lm.1", "lm.2"]
    files = {"recipe": BytesIO(recipe.encode()), **{f"input:{name}": BytesIO(name.encode()) for name in names}}
    plan = plan_form(planning(), {}, files)
    assert plan.kind == "recipe" and [rows for rows, _ in plan.chunks] == [1, 1, 1, 1]
    assert [chunk["arguments"] for chunk in chunks(plan)] == [
        ["resources", "align", "--links=links.gz", "--", "text/a.de", "text/a.en"],
        ["smt", "extract", "--out=phrases", "--", "text/a.de", "text/a.en", "links.gz"],
        ["smt", "phrase-table", "--out=tables/all", "--good-turing", "--reordering=wbe-msd-bidirectional-fe", "--", "phrases"],
        ["resources", "mix-lm", "--weights=0.5,0.5", "--out=lm", "--", "lm.1", "lm.2"],
    ]
    assert [chunk["characters"] for chunk in chunks(plan)] == [18, 18, 0, 8]
    assert [(chunk["reads"], chunk["writes"], chunk["prints"]) for chunk in chunks(plan)][2:] == [
        (["phrases"], ["tables/all"], None),
        (["lm.1", "lm.2"], ["lm"], "mixture.json"),
    ]
    assert {name: entry["bytes"] for name, entry in plan.params["inputs"].items()} == {name: len(name) for name in names}
    assert plan.files.keys() == {"given-0", "given-1", "given-2", "given-3"}
    json.dumps([plan.params, chunks(plan)])


@pytest.mark.parametrize(
    "name",
    ["../x", "/etc/passwd", "x/../../y", "x/..", "..", ".", "", "a\0b", "a\nb", ".hidden", "x/.hidden", "-rf", "a//b", "a/", "~/x",
     "a\\b", "C:x", "a b", "a/b/c/d/e", "x" * 101, "ä", "a=x"],
)  # fmt: skip
def test_hostile_names_are_no_files(name: str) -> None:
    assert refusal([FILTER], {**TEXTS, name: "x"}).code == "invalid-job"
    # Nor can a step read or write one, also below a folder that a step before has made.
    for steps in (
        [{"corpus filter": {**FILTER["corpus filter"], "source": name}}],
        [{"corpus filter": {**FILTER["corpus filter"], "out-source": name}}],
        [{**FILTER, "needs": name}],
        [{**FILTER, "print": name}],
        [{"corpus filter": {**FILTER["corpus filter"], "links": f"NAME={name}"}}],
        [{"corpus filter": {**FILTER["corpus filter"], "links": f"{name}:2"}}],
        [FILTER, {"corpus filter": {"source": "a", "target": f"c/../{name}", "out-source": "e"}}],
    ):
        refused = refusal(steps)
        assert refused.code in ("invalid-request", "invalid-job"), steps


@given(st.text())
@settings(max_examples=50, deadline=None)
def test_a_name_never_leads_out(name: str) -> None:
    if is_file_name(name):
        parts = name.split("/")
        assert all(part and part[0] not in ".-" and "\\" not in part and "\0" not in part for part in parts)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ({"features": {"files": "a"}, "print": "c"}, "no step is features"),
        ({"smt decode": {"config": "a"}, "print": "c"}, "smt decode needs text"),
        ({"smt decode": {"config": "a", "text": "-"}, "print": "c"}, "no step before writes -"),
        ({"score": {"first": "a"}, "print": "c"}, "score needs input"),
        ({"score": {"first": "a", "input": "b", "baseline": "/etc/passwd"}, "print": "c"}, "score has no baseline"),
        ({"nbest tune": {"n-best": "a", "server": "http://elsewhere", "out": "c"}}, "nbest tune has no server"),
        ({"corpus run": {"recipe": "a"}}, "no step is corpus run"),
        ({"resources import-lm": {"model": "a", "counts": "b", "language": "ro"}}, "resources import-lm needs out"),
        ({"resources lm": {"texts": "a", "language": "ro"}}, "resources lm needs out"),
        ({"resources align": {"source": "a", "target": "b", "pair": "ro-en", "out": "c"}}, "resources align has no"),
        ({"corpus select": {"source": "a", "target": "b", "method": "length", "out-source": "c", "function-words": "en"}}, "corpus select has no"),
        ({"corpus filter": {**FILTER["corpus filter"], "replace": "true"}}, "corpus filter has no replace"),
        ({"corpus filter": {**FILTER["corpus filter"], "out-source": "a"}}, "a is a file that was given"),
        ({"corpus filter": {**FILTER["corpus filter"], "out-source": "d"}}, "d is written"),
        ({"corpus filter": {**FILTER["corpus filter"], "out-source": "manifests/x"}}, "is not a file of the recipe's folder"),
    ],
)  # fmt: skip
def test_what_no_step_may_do(step: Any, told: str) -> None:
    if told == "d is written":
        step, told = [step, FILTER], "is written by filter already"
    assert told in str(refusal(step if isinstance(step, list) else [step]))


def test_files_overlap_nowhere_and_have_bounds() -> None:
    assert "two files" in str(refusal([FILTER], {**TEXTS, "a/x": ""}))
    assert "at most 5 bytes" in str(refusal([FILTER], here=planning(bytes=5)))
    assert "at most 100 steps" in str(refusal([FILTER] * 101))
    with pytest.raises(InputError, match="twice"):
        plan_form(planning(), {"recipe": ""}, {"recipe": BytesIO(b"steps: []")})
    with pytest.raises(InputError, match="no such field"):
        plan_form(planning(), {}, {"file": BytesIO(b"")})
    with pytest.raises(InputError, match="UTF-8"):
        plan_form(planning(), {}, {"recipe": BytesIO(b"steps: \xff")})


def test_packed_files_count_by_their_unpacked_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    step = {"corpus filter": {"source": "few", "target": "many", "links": "damaged", "out-source": "c"}}

    def planned_with(many: int, limit: int) -> Plan:
        raw = {"few": gzip.compress(b"x\n" * 100), "many": gzip.compress(b"x\n" * many), "damaged": b"\x1f\x8bx"}
        files = {f"input:{name}": BytesIO(content) for name, content in raw.items()}
        return plan_form(planning(bytes=limit), {"recipe": {"steps": [step]}}, files)

    plan = planned_with(1_000_000, 10**7)
    lines = {name: entry["lines"] for name, entry in plan.params["inputs"].items()}
    assert lines == {"few": 100, "many": 1_000_000, "damaged": None}
    assert [chunk["characters"] for chunk in chunks(plan)] == [2_000_000 + 200 + 3]
    with pytest.raises(InputError, match="many: files of a recipe have at most 1000000 bytes in all, unpacked"):
        planned_with(1_000_000, 10**6)
    monkeypatch.setattr("app.smt.recipes.planning.SMALL_UNPACKED", 1000)
    with pytest.raises(InputError, match="many: this gzip file unpacks to more than 100 times its size"):
        planned_with(1_000_000, 10**7)


def test_packed_files_of_a_form_stay_as_they_are() -> None:
    # As forms are read: a file that could be written, too.
    text = gzip.compress(b"x\ny\n")
    uploads = {"recipe": BytesIO(json.dumps({"steps": [FILTER]}).encode())}
    with SpooledTemporaryFile(max_size=1 << 20) as one, SpooledTemporaryFile(max_size=1) as other:
        for file, name in ((one, "a"), (other, "b")):
            file.write(text)
            uploads[f"input:{name}"] = file  # type: ignore[assignment]
        plan = plan_form(planning(), {}, uploads)
        assert [entry["lines"] for entry in plan.params["inputs"].values()] == [2, 2]
        for file in (one, other):
            file.seek(0)
            assert file.read() == text


def test_constants_do_not_grow_without_end() -> None:
    grown = {"c0": "x" * 10, **{f"c{k}": f"${{c{k - 1}}}" * 10 for k in range(1, 12)}}
    request = RecipeRequest.model_validate({"recipe": {"constants": grown, "steps": [FILTER]}, "files": TEXTS})
    with pytest.raises(InputError, match="more than 10000 characters"):
        plan_recipe(planning(), request)


def test_columns_of_tables_are_read() -> None:
    step = {"corpus filter": {"source": "t.tsv:de", "target": "t.tsv:en", "out-table": "kept.tsv.gz"}}
    (chunk,) = chunks(planned([step], {"t.tsv": "de\ten\nx\ty\n"}))
    assert chunk["arguments"] == ["corpus", "filter", "--out-table=kept.tsv.gz", "--", "t.tsv:de", "t.tsv:en"]
    assert (chunk["reads"], chunk["writes"]) == (["t.tsv"], ["kept.tsv.gz"])
    files = {"t.tsv": {"job": JOB, "file": "p"}}
    assert refusal([step], files, planning(Jobs(p=(b"PAR1", None)))).code == "forbidden"
    planned([step], files, planning(Jobs(p=(b"PAR1", "corpus filter"))))
    planned([step], files, planning(Jobs(p=(b"PAR1", None)), trusted=True))


def test_numbers_are_taken_of_steps_alone() -> None:
    """Bytes that are mapped into memory come from a step that made them, in this job or another, or from an administrator."""
    binary = b"mmap lm http://kheafield.com/code format version 5\n\0" + bytes(40)
    weigh = {"corpus weight": {"text": "a", "lm": "m", "out": "c"}}
    use = {"resources align": {"source": "a", "target": "b", "model": "m", "links": "c"}}
    stored = {**TEXTS, "m": {"job": JOB, "file": "m"}}
    for step, maker, fine in ((weigh, None, False), (weigh, "resources import-lm", True), (weigh, "corpus filter", False), (use, "resources align", True),
                              (use, "resources lm", False), (use, None, False)):  # fmt: skip
        here = planning(Jobs(m=(binary, maker)))
        if fine:
            planned([step], stored, here)
        else:
            assert refusal([step], stored, here).code == "forbidden"
        planned([step], stored, planning(Jobs(m=(binary, maker)), trusted=True))
    planned([weigh], {**TEXTS, "m": "\\data\\\n"})
    # What a step has written of a caller's lines is no aligner.
    forged = [{"corpus filter": {"source": "a", "target": "b", "out-source": "m"}}, use]
    assert refusal(forged).code == "forbidden"
    planned([{"resources align": {"source": "a", "target": "b", "save": "m"}}, use])
