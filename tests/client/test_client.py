"""Every method of the client against a running server, once as it waits and once as it is awaited."""

import asyncio
import inspect
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from assay_client import AssayError, AsyncClient, Client

from tests.servers import Server

SAMPLES = Path(__file__).parents[1] / "documents" / "samples"
PAIRS = [("Casa este mare.", "The house is big."), ("Bună ziua.", "Good day.")]
LABELLED = [
    {"source": f"Casa numărul {i} este mare.", "translation": f"House number {i} is big.", "label": (i % 10) / 10}
    for i in range(180)
]


class Awaited:
    """An AsyncClient as a caller of Client sees one: every call is awaited here."""

    def __init__(self, client: AsyncClient, runner: asyncio.Runner) -> None:
        self.client, self.runner = client, runner

    def __getattr__(self, name: str) -> Any:
        def method(*args: Any, **options: Any) -> Any:
            called = getattr(self.client, name)(*args, **options)
            return self.runner.run(listed(called) if isinstance(called, AsyncIterator) else called)

        return method


async def listed(rows: AsyncIterator[Any]) -> list[Any]:
    return [row async for row in rows]


@pytest.fixture(params=["waiting", "awaited"])
def assay(request: pytest.FixtureRequest, server: Server) -> Iterator[Any]:
    if request.param == "waiting":
        with Client(server.address, poll=0.05) as client:
            yield client
        return
    with asyncio.Runner() as runner:
        client = AsyncClient(server.address, poll=0.05)
        yield Awaited(client, runner)
        runner.run(client.close())


def test_operations_that_answer_at_once(assay: Any) -> None:
    answer = assay.quality("ro", "en", PAIRS, warnings=True)
    assert len(answer["segments"]) == 2 and 0 <= answer["segments"][0]["confidence"] <= 1
    assert answer == assay.ask(
        "quality",
        {
            "source_language": "ro",
            "target_language": "en",
            "segments": [{"source": source, "translation": text} for source, text in PAIRS],
            "warnings": True,
        },
    )
    assert [len(row["gaps"]) for row in assay.words("ro", "en", PAIRS)["segments"]] == [6, 4]
    files = [{"path": "en.json", "text": '{"a": "Hi, {name}!"}'}, {"path": "de.json", "text": '{"a": "Hallo!"}'}]
    assert [row["code"] for row in assay.review(files, predict=False)["findings"]] == ["placeholders"]
    assert assay.features("ro", "en", PAIRS, features=["1002"])["values"] == [[5.0], [3.0]]
    translated = assay.translate("ro", "en", ["Casa este mare.", "Un om doarme."], n_best=3, distinct=True)
    texts = [row["text"] for row in translated["segments"]]
    pairs = list(zip(["Casa este mare.", "Un om doarme."], texts, strict=True))
    assert assay.features("ro", "en", pairs, features=["pr.chrf"], from_systems=["pseudo_references"])["values"] == [[100.0]] * 2
    ranked = assay.rank("ro", "en", [("Casa este mare.", {"a": "The house is big.", "b": "Of the big."})])
    assert ranked["systems"][0]["system"] == "a"
    choice = assay.choose("ro", "en", [("Casa are 5 uși.", {"a": "The house has 6 doors.", "b": "The house has 5 doors."})])
    assert choice["segments"][0]["system"] == "b"
    scored = assay.score(["bleu"], {"s": ["a b c d"]}, {"r": ("a b c d",)})
    assert scored["metrics"][0]["score"] == pytest.approx(100)
    systems = {"a": ["a b c", "x y"], "b": ["a b d", "x y"], "c": ["a b c", "x z"]}
    decided = assay.mbr(systems=systems, metric="chrf")
    assert [row["text"] for row in decided["segments"]] == ["a b c", "x y"] and decided["segments"][0]["system"] == "a"
    assert [row["text"] for row in assay.combine(systems, paths=5)["segments"]] == ["a b c", "x y"]
    compared = assay.compare(["a b c d"], ["a b c e"], {"r": ["a b c e"]}, metrics=["chrf"])
    assert compared["segments"][0]["wins"] == 1
    assert assay.correlate([0.1, 0.5, 0.9], {"m": [1, 2, 3]}, agreements=["tau-b"])["metrics"][0]["tau-b"] == pytest.approx(1)
    lists = [[{"text": "a b c d", "score": -1.0}, {"text": "a b c e", "score": -2.0}]]
    assert assay.oracle(lists, {"r": ["a b c e"]})["ranks"]["2-5"] == 1
    reranked = assay.rerank(lists, weights={"total": [-1.0]}, references={"r": ["a b c e"]}, metric="chrf", changes=True)
    assert reranked["segments"][0]["hypotheses"][0]["rank"] == 1 and reranked["measured"]["chosen_score"] == pytest.approx(100)
    ordered = assay.word_order([{"alignment": "0-1 1-0", "hypothesis_words": 2, "reference_words": 2}])
    assert ordered["segments"][0]["permutation"] == [2, 1]


def test_operations_that_run_as_jobs(assay: Any) -> None:
    seen: list[str] = []
    chosen = assay.select("ro", "en", PAIRS, count=1, on_progress=lambda view: seen.append(view["state"]))
    assert len(chosen["segments"]) == 1 and chosen["segments"][0]["segment"] in (1, 2)
    assert seen[-1] == "succeeded"
    lists = [[{"text": "a b c d", "features": {"lm": [-1.0]}}, {"text": "a b c e", "features": {"lm": [-2.0]}}]]
    tuned = assay.tune(lists, {"r": ["a b c e"]}, method="mert|restarts:0", metric="chrf")
    assert tuned["dev_score"] == pytest.approx(100)
    trained = assay.train("ro", "en", "hter", learner="svr", segments=LABELLED)
    measured = assay.evaluate("ro", "en", LABELLED, model=trained["model"])
    assert measured["model"] == trained["model"] and measured["accuracy"]["segments"] == 180
    assert assay.model(trained["model"])["label"] == "hter"
    pool = [{"source": row["source"], "translation": row["translation"]} for row in LABELLED]
    assert len(assay.learn("ro", "en", "hter", segments=pool, start=20)["segments"]) == 20
    first_round = next(iter(assay.jobs(limit=1, kind="learn")))["id"]
    labels = [{"segment": number, "label": number / 40} for number in range(1, 21)]
    second_round = assay.learn("ro", "en", "hter", after=first_round, labels=labels, batch=3)
    assert (second_round["label_count"], len(second_round["segments"])) == (20, 3)


def test_callers_and_owners(assay: Any) -> None:
    # Nobody needs a key here.
    assert (assay.me()["name"], assay.me()["limits"]["rates"]) == ("", [])
    assert assay.usage(days=1, months=1)["owner"] == ""
    sure = assay.submit("score", {"metrics": ["bleu"], "systems": {"s": ["a"]}, "references": {"r": ["a"]}}, owner="Forgotten")
    assert assay.wait(sure["id"])["state"] == "succeeded"
    answer = assay.forget_owner("Forgotten")
    assert (answer["owner"], answer["deleted"]["jobs"]) == ("Forgotten", 1)
    with pytest.raises(AssayError):
        assay.job(sure["id"])


def test_documents(assay: Any, tmp_path: Path) -> None:
    assert assay.inspect(SAMPLES / "omegat.tmx")["format"] == "tmx"
    job = assay.submit_file(SAMPLES / "omegat.tmx", {}, key="a-day", owner="Ana")
    assert assay.submit_file(SAMPLES / "omegat.tmx", {}, key="a-day", owner="Ana")["id"] == job["id"]
    assert assay.wait(job["id"])["done"] == 2
    assert b'<prop type="x-assay-quality">' in assay.result(job["id"], "annotated")
    sources = tmp_path / "sources.txt"
    sources.write_text("casa este mare\nbună ziua\n", "utf-8")
    listed = assay.submit_file(SAMPLES / "moses.nbest", {}, source=sources)
    assert assay.result(assay.wait(listed["id"])["id"], "annotated").count(b" Assay= ") == 3
    (tmp_path / "s").write_text("x y\nz\n")
    scored = assay.submit_files({"system:a": tmp_path / "s", "reference:r": tmp_path / "s"}, {"metrics": ("chrf",)}, "score")
    assert assay.wait(scored["id"])["summary"]["metrics"][0]["score"] == pytest.approx(100)


def test_recipes(assay: Any) -> None:
    texts = {"a.de": "das haus\nein haus\n", "a.en": "the house\na house\n"}
    step = {
        "corpus filter": {"source": "a.de", "target": "a.en", "out-source": "out/b.de", "out-target": "out/b.en", "max-words": 5}
    }
    answer = assay.recipe({"steps": [step]}, files=texts)
    assert [(file["name"], file["step"]) for file in answer["files"]][2:] == [("out/b.de", "filter"), ("out/b.en", "filter")]
    made = next(iter(assay.jobs(limit=1, kind="recipe")))["id"]
    assert assay.job_files(made) == answer["files"]
    assert assay.job_file(made, "out/b.de").decode() == texts["a.de"]


def test_jobs(assay: Any) -> None:
    params = {"source_language": "ro", "target_language": "en", "segments": [{"source": "a", "translation": "b"}]}
    first, second = assay.run("quality", params, owner="Ion"), assay.run("quality", params)
    assert first["id"] != second["id"] and first["owner"] == "Ion"
    assert len(json.loads(assay.result(first["id"]))["segments"]) == 1
    assert list(assay.corrections(first["id"])) == []
    assert assay.correct(first["id"], 1, "c", author="Ion")["revision"] == 1
    assert [kept["text"] for kept in assay.corrections(first["id"])] == ["c"]
    with pytest.raises(AssayError) as conflict:
        assay.correct(first["id"], 1, "d")
    assert (conflict.value.code, conflict.value.status) == ("correction-conflict", 409)
    assert assay.take_back(first["id"], 1, 1)["text"] is None
    newest = [job["id"] for job in assay.jobs(limit=2, state="succeeded", kind="quality")]
    assert newest == [second["id"], first["id"]]
    assert first["id"] in [job["id"] for job in assay.jobs(after=second["id"])]
    failing = assay.submit("train", {**params, "segments": LABELLED[:5], "label": "hter"})["id"]
    assert [view["state"] for view in assay.progress(failing)][-1] == "failed"
    with pytest.raises(AssayError) as failed:
        assay.wait(failing)
    assert (failed.value.code, failed.value.status) == ("invalid-training-data", 0)
    again = assay.retry(failing)["id"]
    assert again != failing and list(assay.progress(again))[-1]["state"] == "failed"
    large = assay.submit(
        "quality", {**params, "segments": [{"source": f"Casa {i}", "translation": f"House {i}"} for i in range(20_000)]}
    )
    assay.cancel(large["id"])
    with pytest.raises(AssayError) as cancelled:
        assay.wait(large["id"])
    assert cancelled.value.code == "job-cancelled"
    assay.remove(second["id"])
    with pytest.raises(AssayError) as removed:
        assay.job(second["id"])
    assert (removed.value.code, removed.value.status) == ("unknown-job", 404)


def test_models_feedback_and_what_there_is(assay: Any) -> None:
    cards = assay.models()
    model = next(card["id"] for card in cards if (card["pair"], card["label"]) == ("si-en", "da"))
    assert assay.promote(model, "better")["reason"] == "better"
    assert assay.model(model)["answers"]
    assert assay.rollback(model)["pair"] == "si-en"
    assert {card["pair"] for card in assay.word_models()} <= {card["pair"] for card in cards}
    kept = assay.feedback(None, [{"source": "Casa.", "translation": "House.", "post_edit": "The house."}], "t", "ro", "en")
    assert kept["accepted"] == 1
    assert "hter" in [row["label"] for row in assay.feedback_counts()["feedback"]]
    id = kept["feedback"][0]["id"]
    assert next(iter(assay.judgements(limit=1)))["id"] == id and assay.judgement(id)["used_by"] == []
    assert id in [row["id"] for row in assay.judgements(pair="ro-en", label="hter", origin="t")]
    assert list(assay.judgements(since="2999-01-01")) == []
    assert assay.correct_feedback(id, post_edit="House.")["value"] == 0.0 and assay.correct_feedback(id, score=0.5)["value"] == 0.5
    assert assay.export_feedback(origin="t").startswith(b'{"id": "') and assay.export_feedback("tsv", "ro-en").startswith(b"id\t")
    assert assay.delete_feedback(id)["source"] == "Casa."
    with pytest.raises(AssayError) as deleted:
        assay.judgement(id)
    assert (deleted.value.code, deleted.value.status) == ("not-found", 404)
    assert "ro-en" in assay.resources()["pairs"]
    assert "bleu" in [metric["name"] for metric in assay.metrics()["metrics"]]
    assert "1002" in [feature["id"] for feature in assay.features_catalogue()["features"]]
    assert assay.call("GET", "/v1/jobs", limit=1).keys() == {"jobs", "next"}
    with pytest.raises(AssayError) as refused:
        assay.quality("xx", "en", PAIRS)
    assert (refused.value.code, refused.value.status) == ("unknown-language-pair", 422)
    with pytest.raises(AssayError) as nowhere:
        assay.call("GET", "/v2")
    assert (nowhere.value.code, nowhere.value.status) == ("not-found", 404)


def test_many_at_once_are_answered_as_one_after_another(server: Server) -> None:
    async def run() -> list[float]:
        async with AsyncClient(server.address) as assay:
            answers = await asyncio.gather(*(assay.quality("ro", "en", [(f"Casa {k}.", f"House {k}.")]) for k in range(20)))
            return [answer["segments"][0]["score"] for answer in answers]

    together = asyncio.run(run())
    with Client(server.address) as assay:
        alone = [assay.quality("ro", "en", [(f"Casa {k}.", f"House {k}.")])["segments"][0]["score"] for k in range(20)]
    assert together == pytest.approx(alone, abs=1e-6)


def calls(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


def test_both_clients_have_the_same_calls_and_each_is_tested_here() -> None:
    assert calls(Client) == calls(AsyncClient)
    tested = set(re.findall(r"assay\.(\w+)\(", Path(__file__).read_text("utf-8")))
    assert calls(Client) - tested == {"close", "send"}


def test_methods_say_what_they_take() -> None:
    for kind in (Client, AsyncClient):
        signature = inspect.signature(kind.score)
        assert list(signature.parameters) == ["self", "metrics", "systems", "references", "options"]
        assert all(getattr(kind, name).__doc__ for name in calls(kind))
    assert list(inspect.signature(Client().quality).parameters)[:3] == ["source_language", "target_language", "segments"]
