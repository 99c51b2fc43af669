"""POST /v1/choose: the best translation that breaks no check, or none."""

from typing import Any

import pytest
from httpx2 import Client

SOURCE = "Apasă pe {button} de 3 ori."
GOOD, LOST, CHANGED = "Press {button} 3 times.", "Press the button 3 times.", "Press {button} 4 times."


def choose(client: Client, *segments: tuple[str, dict[str, str]], **options: Any) -> dict[str, Any]:
    rows = [
        {"source": source, "translations": [{"system": system, "text": text} for system, text in texts.items()]}
        for source, texts in segments
    ]
    answer = client.post("/v1/choose", json={"source_language": "ro", "target_language": "en", "segments": rows, **options})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def verdicts(choice: dict[str, Any]) -> dict[str, str]:
    return {row["system"]: row["verdict"] for row in choice["candidates"]}


@pytest.mark.parametrize("order", [["good", "lost", "changed"], ["changed", "lost", "good"]])
def test_a_broken_translation_is_never_the_choice(client: Client, order: list[str]) -> None:
    texts = {"good": GOOD, "lost": LOST, "changed": CHANGED}
    [choice] = choose(client, (SOURCE, {name: texts[name] for name in order}))["segments"]
    assert (choice["system"], choice["translation"]) == ("good", GOOD)
    assert verdicts(choice) == {"good": "choice", "lost": "broken", "changed": "broken"}
    assert choice["reason"].endswith("2 of 3 fail a check (error)") and choice["better_probability"] is None


def test_none_is_an_answer(client: Client) -> None:
    answer = choose(client, (SOURCE, {"lost": LOST}), ("Casa este mare.", {"a": "The house is big.", "b": ""}), min_quality=1.0)
    broken, low = answer["segments"]
    assert answer["choices"] == 0 and (answer["min_quality"], answer["fail_on"]) == (1.0, "error")
    assert (broken["system"], broken["translation"], broken["reason"]) == (None, None, "fails a check (error)")
    assert verdicts(low) == {"a": "low", "b": "broken"}
    assert (
        low["reason"]
        == f"the highest confidence, {low['candidates'][0]['confidence']:.2f}, is below 1.00; 1 of 2 fail a check (error)"
    )


def test_choices_agree_with_rankings_and_qualities(client: Client) -> None:
    """The choice without broken texts is the first of `POST /v1/rank`; confidences are those of `POST /v1/quality`."""
    texts = {"one": "The house is big.", "two": "House big is the.", "three": "The house is very large today."}
    [choice] = choose(client, ("Casa este mare.", texts))["segments"]
    pair = {"source_language": "ro", "target_language": "en"}
    rows = [{"system": system, "text": text} for system, text in texts.items()]
    ranking = client.post("/v1/rank", json={**pair, "segments": [{"source": "Casa este mare.", "translations": rows}]}).json()
    [segment] = ranking["segments"]
    assert [row["system"] for row in choice["candidates"]] == [row["system"] for row in segment["order"]]
    assert choice["better_probability"] == pytest.approx(segment["better_probability"], abs=1e-5)
    segments = [{"source": "Casa este mare.", "translation": texts[row["system"]]} for row in choice["candidates"]]
    qualities = client.post("/v1/quality", json={**pair, "segments": segments}).json()["segments"]
    assert [row["confidence"] for row in choice["candidates"]] == pytest.approx([row["confidence"] for row in qualities], abs=2e-6)


def test_a_stricter_severity_leaves_fewer_choices(client: Client) -> None:
    texts = {"point": "Press {button} 3 times.", "none": "Press {button} 3 times"}
    choices = [choose(client, (SOURCE, texts), fail_on=severity)["segments"][0] for severity in ("error", "warning", "info")]
    counts = [list(verdicts(choice).values()).count("broken") for choice in choices]
    assert counts == sorted(counts) and counts[-1] == 1 and choices[-1]["system"] == "point"


@pytest.mark.parametrize(
    ("segments", "status"),
    [
        ([], 422),
        ([{"source": "x", "translations": []}], 422),
        ([{"source": "x", "translations": [{"system": "a", "text": "y"}, {"system": "a", "text": "z"}]}], 422),
        ([{"source": "x" * 100_000, "translations": [{"system": "a", "text": "y"}]}], 413),
    ],
)
def test_refusals(client: Client, segments: list[Any], status: int) -> None:
    answer = client.post("/v1/choose", json={"source_language": "ro", "target_language": "en", "segments": segments})
    assert answer.status_code in {status, 400, 413, 422} and answer.json()["type"]
