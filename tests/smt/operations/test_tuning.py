"""The job `tune`: what it answers, against scores of others; held-out lists; what it refuses; killed, it ends with the same bytes."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu

from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Planning
from app.operations.parts.limits import RequestLimits
from app.running.journal import FileJournal
from app.smt.operations.tune import CURVE, TuneRequest, operation
from app.smt.operations.tune.work import work_of_tuning
from app.smt.tuning.methods import METHODS
from app.smt.tuning.weights_file import read_weights
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts

LIMITS = RequestLimits(100_000, 100_000, 64, 1000)
WORDS = [
    "the",
    "a",
    "house",
    "is",
    "was",
    "big",
    "large",
    "old",
    "in",
    "of",
    "and",
    "it",
    "he",
    "she",
    "goes",
    "went",
    "home",
    "small",
    "red",
    "green",
]


def lists_of(rng: np.random.Generator, segments: int, hypotheses: int) -> tuple[list[list[dict[str, Any]]], list[str]]:
    """Lists whose feature `good` counts words of the reference, with noise; `bad` is noise, `same` is constant."""
    lists, references = [], []
    for _ in range(segments):
        reference = rng.choice(WORDS, 12)
        row = []
        for _ in range(hypotheses):
            wrong = rng.random(12) < rng.uniform(0.0, 0.8)
            text = np.where(wrong, rng.choice(WORDS, 12), reference)
            good = [float((text == reference).sum() + rng.normal(0, 1)), float(rng.normal())]
            row.append(
                {
                    "text": " ".join(text),
                    "score": float(-len(row)),
                    "features": {"good": good, "bad": [rng.normal() * 5], "same": [2.0]},
                }
            )
        lists.append(row)
        references.append(" ".join(reference))
    return lists, references


LISTS, REFERENCES = lists_of(np.random.default_rng(3), 30, 8)
HELD_LISTS, HELD_REFERENCES = lists_of(np.random.default_rng(4), 20, 8)
FIELDS = {"n_best": LISTS, "references": {"A": REFERENCES}, "method": "mert|restarts:2|directions:2", "metric": "bleu|tok:none"}


@dataclass
class Context:
    """What the steps of a job use, in this process."""

    engine: Engine
    params: dict[str, Any]
    journal: Any
    public: dict[str, Any] = field(default_factory=dict)
    reports: list[tuple[str, float]] = field(default_factory=list)
    job: str = ""
    artifacts: Any = None

    def report(self, task: str, share: float) -> None:
        self.reports.append((task, share))
        self.journal.report(task, share)

    def recall(self, compute: Callable[[], Any]) -> Any:
        return self.journal.recall(compute)

    def learns_from(self, model: str, feedback: Any) -> None:
        raise AssertionError("weights learn from no judgements")

    def publish(self, name: str, value: Any) -> None:
        self.public[name] = json.loads(json.dumps(value, allow_nan=False))

    def published(self, name: str) -> Any:
        return self.public.get(name)


def run(
    engine: Engine, fields: dict[str, Any], path: Path, progress: Callable[[str, float], None] = lambda what, share: None
) -> Any:
    """The answer as it is stored, and the context that it was made in; `path` is the journal."""
    request = TuneRequest.model_validate(fields)
    operation.check(request, LIMITS)
    assert operation.steps is not None
    plan = operation.steps.split(Planning(engine, LIMITS, 7), request)
    context = Context(engine, json.loads(json.dumps(plan.params)), FileJournal(path, progress))
    try:
        outputs = [operation.steps.work(context, json.loads(json.dumps(chunk))) for _, chunk in plan.chunks]
        return json.loads(json.dumps(operation.steps.finish(context, outputs), allow_nan=False)), context
    finally:
        context.journal.close()


@pytest.fixture(scope="module")
def answer(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Any:
    fields = {**FIELDS, "runs": 2, "seed": 5, "held_out_n_best": HELD_LISTS, "held_out_references": {"A": HELD_REFERENCES}}
    return run(engine, fields, tmp_path_factory.mktemp("tuning") / "journal")


def bleu(texts: list[str], references: list[str]) -> float:
    return float(sacrebleu.corpus_bleu(texts, [references], tokenize="none", force=True).score)


def chosen(lists: list[list[dict[str, Any]]], weights: dict[str, list[float]]) -> list[str]:
    """The hypotheses with the largest sums, added up by hand."""

    def total(entry: dict[str, Any]) -> float:
        return sum(w * f for name, row in entry["features"].items() for w, f in zip(weights[name], row, strict=True))

    return [max(row, key=total)["text"] for row in lists]


def test_the_weights_that_a_tuning_answers_are_a_start_as_they_are(answer: Any, engine: Engine, tmp_path: Path) -> None:
    told, _ = answer
    starts = [told["weights"]["weights"], told["weights"], {name: told[name] for name in ("dev_score", "weights")}]
    requests = [TuneRequest.model_validate({**FIELDS, "start": start}) for start in starts]
    assert requests[0].start == requests[1].start == requests[2].start == told["weights"]["weights"]
    with pytest.raises(ValueError, match="version 1"):
        TuneRequest.model_validate({**FIELDS, "start": {**told["weights"], "version": 2}})
    again, _ = run(engine, {**FIELDS, "method": "mert|restarts:0", "start": told["weights"]}, tmp_path / "journal")
    assert again["start_score"] == pytest.approx(told["dev_score"], abs=1e-9)


@pytest.mark.parametrize(("segments", "cautioned"), [(99, True), (100, False)])
def test_few_segments_are_cautioned_of(engine: Engine, tmp_path: Path, segments: int, cautioned: bool) -> None:
    lists, references = lists_of(np.random.default_rng(5), segments, 2)
    # Lists without hypotheses are not tuned on.
    fields = {"n_best": [*lists, []], "references": {"A": [*references, "a"]}, "method": "mira|epochs:1|steps:0"}
    told, _ = run(engine, fields, tmp_path / "journal")
    assert ("cautions" in told) == cautioned
    if cautioned:
        assert told["cautions"][0].startswith("these weights were tuned on 99 segments")


def test_a_method_that_returns_its_start_says_so(engine: Engine, tmp_path: Path) -> None:
    """Where the first hypotheses are the best, no other weights are better, and perceptrons make no step."""
    lists = [
        [{"text": text, "score": -k, "features": {"good": [2.0 - k, 1.0 - k]}} for k, text in enumerate((reference, "x y z"))]
        for reference in REFERENCES[:10]
    ]
    fields = {"n_best": lists, "references": {"A": REFERENCES[:10]}, "metric": "bleu|tok:none", "start": {"good": [1.0, 0.5]}}
    answer, _ = run(engine, {**fields, "method": "perceptron"}, tmp_path / "journal")
    assert answer["weights"]["weights"]["good"] == pytest.approx([2 / 3, 1 / 3])
    assert answer["cautions"][-1] == "perceptron returned its start weights: tune on more segments, or try another method"
    assert not any("start weights" in caution for caution in run(engine, FIELDS, tmp_path / "other")[0].get("cautions", []))


def test_scores_are_those_of_sacrebleu_for_the_weights_as_written(answer: Any) -> None:
    told, _ = answer
    weights = told["weights"]["weights"]
    assert told["dev_score"] == pytest.approx(bleu(chosen(LISTS, weights), REFERENCES), abs=1e-9)
    assert told["held_out"]["score"] == pytest.approx(bleu(chosen(HELD_LISTS, weights), HELD_REFERENCES), abs=1e-9)
    assert told["first_score"] == pytest.approx(bleu([row[0]["text"] for row in LISTS], REFERENCES), abs=1e-9)
    equal = {name: [1.0] * len(row) for name, row in weights.items()}
    assert told["start_score"] == pytest.approx(bleu(chosen(LISTS, equal), REFERENCES), abs=1e-9)
    low, high = told["confidence_interval"]
    assert (
        max(told["first_score"], told["start_score"]) < told["dev_score"] <= told["oracle_score"] and low < told["dev_score"] < high
    )
    assert told["held_out"]["score"] > told["held_out"]["first_score"]


def test_weights_are_a_file_with_a_card(answer: Any) -> None:
    told, _ = answer
    document = told["weights"]
    flat = [number for row in document["weights"].values() for number in row]
    assert sum(map(abs, flat)) == pytest.approx(1.0) and any(flat)
    card = document["card"]
    assert card["dev_score"] == told["dev_score"] and card["seeds"] == [5, 6] and card["seed"] in card["seeds"]
    data = card["data"]
    assert (data["segments"], data["hypotheses"], card["measured_by"]) == (30, 240, "bleu|tok:none") and len(data["sha256"]) == 64
    assert "tok:none" in card["metric"] and card["interval"] == told["confidence_interval"]
    assert read_weights(json.dumps(document).encode()).weights.values == {
        name: tuple(row) for name, row in document["weights"].items()
    }
    # The feature that tells good hypotheses from bad ones is found.
    assert document["weights"]["good"][0] > abs(document["weights"]["bad"][0])


def test_runs_have_curves_that_others_watched_and_a_spread(answer: Any) -> None:
    told, context = answer
    assert [entry["seed"] for entry in told["runs"]] == [5, 6]
    assert context.public[CURVE] == [{"seed": entry["seed"], "curve": entry["curve"]} for entry in told["runs"]]
    for entry in told["runs"]:
        scores = [point["score"] for point in entry["curve"]]
        assert scores == sorted(scores) and scores[0] == pytest.approx(told["start_score"]) and entry["held_out_score"] > 0
    scores = [entry["score"] for entry in told["runs"]]
    assert told["dev_score"] == max(scores) and told["mean"] == pytest.approx(np.mean(scores))
    assert told["deviation"] == pytest.approx(np.std(scores, ddof=1))
    for row in told["spread"]:
        column = [entry["weights"][row["feature"]][row["component"] - 1] for entry in told["runs"]]
        assert (row["lowest"], row["highest"]) == (min(column), max(column)) and row["deviation"] == pytest.approx(
            np.std(column, ddof=1)
        )
    # Effects are weights in units of how features vary inside lists, as shares of all; what is equal everywhere has none.
    for entry in told["runs"]:
        moved = [entry["weights"][row["feature"]][row["component"] - 1] * row["unit"] for row in told["spread"]]
        total = sum(map(abs, moved))
        for row, effect in zip(told["spread"], moved, strict=True):
            assert row["effect_lowest"] - 1e-12 <= effect / total <= row["effect_highest"] + 1e-12
    assert sum(abs(row["effect"]) for row in told["spread"]) == pytest.approx(1.0)
    same = next(row for row in told["spread"] if row["feature"] == "same")
    assert same["effect"] == same["unit"] == 0 and same["weight"] != 0
    assert told["weights"]["card"]["spread"] == told["spread"]
    shares = [share for _, share in context.reports]
    assert shares == sorted(shares) and shares[-1] <= 1.0
    assert told["constant"] == ["same"] and told["without_hypotheses"] == 0


def test_the_mean_of_runs_has_scores_of_its_own(engine: Engine, tmp_path: Path) -> None:
    part = {"method": "perceptron|epochs:2|steps:0", "held_out_n_best": HELD_LISTS, "held_out_references": {"A": HELD_REFERENCES}}
    told, _ = run(engine, {**FIELDS, **part, "runs": 3, "take": "mean"}, tmp_path / "journal")
    weights = told["weights"]["weights"]
    # Weights of each run, scaled so that their effects sum to 1; the mean of these is what was written, on a scale of its own.
    units = {(row["feature"], row["component"]): row["unit"] for row in told["spread"]}
    keys = [key for key, unit in units.items() if unit > 0]
    runs = np.array([[entry["weights"][name][k - 1] for name, k in keys] for entry in told["runs"]])
    mean = (runs / np.abs(runs * [units[key] for key in keys]).sum(1, keepdims=True)).mean(0)
    taken = np.array([weights[name][k - 1] for name, k in keys])
    assert taken / np.abs(taken).sum() == pytest.approx(mean / np.abs(mean).sum(), rel=1e-9)
    assert sum(abs(number) for row in weights.values() for number in row) == pytest.approx(1.0)
    assert told["dev_score"] == pytest.approx(bleu(chosen(LISTS, weights), REFERENCES), abs=1e-9)
    assert told["held_out"]["score"] == pytest.approx(bleu(chosen(HELD_LISTS, weights), HELD_REFERENCES), abs=1e-9)
    card = told["weights"]["card"]
    assert (told["take"], card["take"], card["seed"], card["dev_score"]) == ("mean", "mean", None, told["dev_score"])
    assert [row["chosen"] for row in told["segments"]] == chosen(LISTS, weights)
    # The same bytes again; of one run the mean is that run.
    again, _ = run(engine, {**FIELDS, **part, "runs": 3, "take": "mean"}, tmp_path / "again")
    assert json.dumps(again) == json.dumps(told)
    one, best = (run(engine, {**FIELDS, **part, "take": take}, tmp_path / take)[0] for take in ("mean", "best"))
    assert one["dev_score"] == best["dev_score"] and one["segments"] == best["segments"]


def test_what_changed_is_told_segment_by_segment(answer: Any) -> None:
    told, _ = answer
    assert [row["segment"] for row in told["segments"]] == list(range(30))
    assert [row["chosen"] for row in told["segments"]] == chosen(LISTS, told["weights"]["weights"])
    for row, entries, reference in zip(told["segments"], LISTS, REFERENCES, strict=True):
        assert (
            row["first"] == entries[0]["text"]
            and row["chosen"] == entries[row["place"] - 1]["text"]
            and row["references"] == [reference]
        )
        assert row["gain"] == pytest.approx(row["chosen_score"] - row["first_score"])
        assert (row["place"] == 1) <= (row["gain"] == 0)


def test_a_command_tunes_lists_in_memory_as_a_job_tunes_chunks(engine: Engine, tmp_path: Path, answer: Any) -> None:
    fields = {**FIELDS, "runs": 2, "seed": 5, "held_out_n_best": HELD_LISTS, "held_out_references": {"A": HELD_REFERENCES}}
    request = TuneRequest.model_validate(fields)
    assert operation.steps is not None
    plan = operation.steps.split(Planning(engine, LIMITS, 7, in_process=True), request)
    chunks = [chunk for _, chunk in plan.chunks]
    assert [chunk["n_best"] for chunk in chunks] == [request.n_best, request.held_out_n_best]
    context = Context(engine, plan.params, FileJournal(tmp_path / "journal"))
    outputs = [operation.steps.work(context, chunk) for chunk in chunks]
    assert all(output["carry"] is chunk for output, chunk in zip(outputs, chunks, strict=True))
    assert json.loads(json.dumps(operation.steps.finish(context, outputs))) == answer[0]
    context.journal.close()


def test_killed_anywhere_it_ends_with_the_same_bytes(engine: Engine, tmp_path: Path) -> None:
    fields = {**FIELDS, "runs": 2}
    whole, _ = run(engine, fields, tmp_path / "whole")

    class Killed(BaseException):
        pass

    for number, most in enumerate((1, 12, 40)):
        count = 0

        def kill(what: str, share: float, most: int = most) -> None:
            nonlocal count
            count += 1
            if count > most:
                raise Killed

        path = tmp_path / str(number)
        with pytest.raises(Killed):
            run(engine, fields, path, kill)
        with path.open("ab") as journal:
            journal.write(b"torn")
        assert json.dumps(run(engine, fields, path)[0]) == json.dumps(whole)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_to_the_answer(method: str, engine: Engine, tmp_path: Path) -> None:
    lists = [row[:4] for row in LISTS[:6]]
    fields = {**FIELDS, "n_best": lists, "references": {"A": REFERENCES[:6]}, "method": method, "metric": "chrf"}
    told, _ = run(engine, fields, tmp_path / "journal")
    assert told["runs"][0]["curve"] and told["dev_score"] <= told["oracle_score"] + 50
    assert json.dumps(told) == json.dumps(run(engine, fields, tmp_path / "again")[0])


@pytest.mark.parametrize("method", METHODS)
def test_more_runs_and_more_of_everything_are_more_work(method: str) -> None:
    def work(method: str, **more: object) -> int:
        return work_of_tuning(TuneRequest.model_validate({**FIELDS, "method": method, **more}))

    one = work(method)
    assert one > 0 and work(method, runs=100) == pytest.approx(100 * one, abs=100)
    more = {"mert": "restarts:1000", "pro": "rounds:100", "wro": "draws:100000", "mira": "steps:1000000", "perceptron": "steps:1000000",
            "samplerank": "samples:10000", "likelihood": "steps:200", "expected": "restarts:9", "ramp": "passes:9"}  # fmt: skip
    if method in more:
        few = "|steps:0" if "steps:1" in more[method] else ""
        assert work(f"{method}|{more[method]}") > work(f"{method}{few}")
    if method == "mira":
        assert work("mira|constraints:all|oracles:2") > work("mira|constraints:all") > one


def test_a_tuning_of_days_is_refused_and_one_of_hours_is_not() -> None:
    limits = RequestLimits(2_000_000, 2_000_000, 100, 10_000)
    rng = np.random.default_rng(1)
    lists = NBestLists(
        np.arange(0, 100_001, 100),
        PackedTexts.of(["a"] * 100_000),
        np.zeros(100_000),
        tuple("abcdefghijklmn"),
        rng.random((100_000, 14)),
    )
    fields = {"n_best": lists, "references": {"A": ["a"] * 1000}, "runs": 100}
    operation.check(TuneRequest.model_validate({**fields, "method": "mert|restarts:1000"}), limits)
    for method in (
        "expected|restarts:1000|steps:1000",
        "samplerank|epochs:1000|samples:10000",
        "wro|draws:1000000|until-accepted:yes",
    ):
        with pytest.raises(InputError, match="times the work") as caught:
            operation.check(TuneRequest.model_validate({**fields, "method": method}), limits)
        assert (caught.value.code, caught.value.where) == ("invalid-tuning", ("method",))
    with pytest.raises(InputError, match="use at most pairs:5000"):
        operation.check(TuneRequest.model_validate({**fields, "method": "pro|pairs:100000|draws:100000"}), limits)


def test_segments_without_hypotheses_are_counted_and_change_nothing(engine: Engine, tmp_path: Path) -> None:
    gaps = {**FIELDS, "n_best": [LISTS[0], [], *LISTS[1:], []], "references": {"A": [REFERENCES[0], "x", *REFERENCES[1:], "y"]}}
    told, _ = run(engine, gaps, tmp_path / "gaps")
    whole, _ = run(engine, FIELDS, tmp_path / "whole")
    assert told["without_hypotheses"] == 2 and told["weights"]["card"]["data"]["without_hypotheses"] == 2
    assert (told["dev_score"], told["weights"]["weights"]) == (whole["dev_score"], whole["weights"]["weights"])


def test_what_is_told_of_components_names_their_number(engine: Engine, tmp_path: Path) -> None:
    lists = [
        [{**entry, "features": {"d": [7.0, *entry["features"]["good"]], "lm": entry["features"]["bad"]}} for entry in row]
        for row in LISTS
    ]
    # `good` is begun with on the wrong side, so its weight, and no other's number, is what turns.
    start = {"d": [1.0, -1.0, 1e6], "lm": [1e6]}
    told, _ = run(engine, {**FIELDS, "n_best": lists, "start": start, "method": "resc-sum|step:1000"}, tmp_path / "journal")
    assert told["constant"] == ["d 1"] and told["runs"][0]["notes"]["flipped"] == ["d 2"]


def test_errors_count_the_other_way_round(engine: Engine, tmp_path: Path) -> None:
    told, _ = run(engine, {**FIELDS, "metric": "wer"}, tmp_path / "journal")
    assert told["oracle_score"] <= told["dev_score"] < told["first_score"]
    assert sum(row["gain"] for row in told["segments"]) > 0


def test_start_weights_and_held_out_lists_need_not_have_the_same_features(engine: Engine, tmp_path: Path) -> None:
    held = [[{**entry, "features": {"other": [1.0], "good": entry["features"]["good"]}} for entry in row] for row in HELD_LISTS]
    start = {"good": [0.5, 0.0], "bad": [0.0], "same": [0.5]}
    fields = {**FIELDS, "start": start, "held_out_n_best": held, "held_out_references": {"A": HELD_REFERENCES}}
    with pytest.raises(InputError) as caught:
        run(engine, fields, tmp_path / "refused")
    assert (caught.value.code, caught.value.where) == ("missing-weights", ("held_out_n_best", "other"))
    told, _ = run(engine, {**fields, "missing_weights": "zero"}, tmp_path / "journal")
    weights = {name: row for name, row in told["weights"]["weights"].items() if name == "good"}
    texts = chosen([[{**entry, "features": {"good": entry["features"]["good"]}} for entry in row] for row in HELD_LISTS], weights)
    assert told["held_out"]["score"] == pytest.approx(bleu(texts, HELD_REFERENCES), abs=1e-9)
    # What is equal everywhere stays as it began.
    assert told["weights"]["weights"]["same"] == pytest.approx([0.5])


def test_features_that_the_start_lacks_count_zero_where_that_is_asked_for(engine: Engine, tmp_path: Path) -> None:
    part = {**FIELDS, "start": {"good": [0.5, 0.25]}, "method": "mert|restarts:0|directions:0"}
    told, _ = run(engine, {**part, "missing_weights": "zero"}, tmp_path / "journal")
    whole, _ = run(engine, {**part, "start": {"good": [0.5, 0.25], "bad": [0.0], "same": [0.0]}}, tmp_path / "whole")
    assert told == whole and told["weights"]["weights"]["same"] == [0.0]


ONE = [[{"text": "a", "features": {"x": [1.0]}}], []]


@pytest.mark.parametrize(
    ("fields", "code", "place"),
    [
        ({"method": "none"}, "invalid-tuning", "method"),
        ({"method": "mert|restarts:many"}, "invalid-tuning", "method"),
        ({"metric": "none"}, "unknown-metric", None),
        ({"references": {"A": ["a"]}}, "unequal-lengths", "references"),
        ({"n_best": [[]] * 30}, "empty-input", "n_best"),
        ({"n_best": [[{"text": "a"}, {"text": "b"}]] * 30}, "missing-evidence", "n_best"),
        ({"n_best": [[{"text": "a", "features": {"x": [1e300]}}, {"text": "b"}]] * 30}, "invalid-table", "n_best"),
        ({"start": {"good": [1.0]}}, "missing-weights", "start"),
        ({"start": {"good": [0.0, 0.0], "bad": [0.0], "same": [0.0]}}, "degenerate-weights", "start"),
        ({"held_out_references": {"A": REFERENCES}}, "invalid-job", "held_out_references"),
        ({"held_out_n_best": LISTS}, "invalid-job", "held_out_references"),
        ({"held_out_n_best": LISTS, "held_out_references": {"A": ["a"]}}, "unequal-lengths", "held_out_references"),
        ({"held_out_n_best": [[]], "held_out_references": {"A": ["a"]}}, "empty-input", "held_out_n_best"),
    ],
)
def test_what_cannot_be_tuned_is_refused(
    fields: dict[str, Any], code: str, place: str | None, engine: Engine, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        run(engine, {**FIELDS, **fields}, tmp_path / "journal")
    assert caught.value.code == code and (place is None or caught.value.where[0] == place)


@pytest.mark.parametrize(
    "lists",
    [
        ONE,
        [[{"text": "", "features": {"x": [1.0]}}, {"text": "", "features": {"x": [2.0]}}], []],
        [
            [{"text": "שלום עולם", "features": {"x": [-0.0]}}, {"text": "مرحبا", "features": {"y": [1e15]}}],
            [{"text": "a", "features": {"x": [1.0]}}],
        ],
    ],
)
def test_odd_lists_have_a_defined_result(lists: Any, engine: Engine, tmp_path: Path) -> None:
    fields = {**FIELDS, "n_best": lists, "references": {"A": ["שלום עולם", ""]}, "metric": "chrf"}
    told, _ = run(engine, fields, tmp_path / "journal")
    assert any(number for row in told["weights"]["weights"].values() for number in row)
    assert told["dev_score"] <= told["oracle_score"]
