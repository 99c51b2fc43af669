"""What a user's type checker sees; read by mypy alone. A line with an ignore is one that it must refuse."""

from typing import assert_type

from assay_client import AsyncClient, Client, JobAnswer
from assay_client.answers import CompareAnswer, Evaluations, ModelCard, ModelEvaluation, PredictedAnswer, SelectAnswer, WordsAnswer


def waits(assay: Client) -> None:
    answer = assay.quality("ro", "en", [("a", "b"), {"source": "a", "translation": "b", "token_log_probs": [-0.1]}], words=True)
    assert_type(answer, PredictedAnswer)
    assert_type(answer["segments"][0]["confidence"], float)
    assert_type(assay.words("ro", "en", [("a", "b")]), WordsAnswer)
    assert_type(assay.compare(["a"], ["b"], {"A": ["c"]}, most=3), CompareAnswer)
    measured = assay.evaluate("ro", "en", [{"source": "a", "translation": "b", "label": 0.5}], all=True)
    if "models" in measured:
        assert_type(measured, Evaluations)
    else:
        assert_type(measured, ModelEvaluation)
    assert_type(assay.models(), list[ModelCard])
    assert_type(assay.run("quality", {}), JobAnswer)
    for job in assay.jobs(state="running"):
        assert_type(job, JobAnswer)
    assay.quality("ro", "en", [("a", "b")], level="word")  # type: ignore[call-arg]
    assay.quality("ro", "en", ["a"])  # type: ignore[list-item]
    assay.compare(["a"], ["b"], {"A": ["c"]}, most="3")  # type: ignore[arg-type]
    answer["quality"]  # type: ignore[misc]


async def is_awaited(assay: AsyncClient) -> None:
    assert_type(await assay.quality("ro", "en", [("a", "b")]), PredictedAnswer)
    chosen = await assay.select("ro", "en", [("a", "b")], count=10, on_progress=lambda view: print(view["eta"]))
    assert_type(chosen, SelectAnswer)
    assert_type(await assay.result("id"), bytes)
    async for job in assay.jobs():
        assert_type(job, JobAnswer)
