"""A recipe over HTTP that aligns text, profiles its reordering, learns a preordering grammar and applies it."""

import httpx2
import pytest

from tests.servers import wait_for_job

# A target that puts the verb last, with a word for each word.
NOUNS, VERBS = ("dog", "cat", "bird", "child", "teacher", "friend"), ("sees", "likes", "hears", "follows", "knows")
PAIRS = [(subject, verb, noun) for subject in NOUNS for verb in VERBS for noun in NOUNS]
SOURCE = "".join(f"the {subject} {verb} the {noun}\n" for subject, verb, noun in PAIRS)
TARGET = "".join(f"x{subject} x{noun} x{verb}\n" for subject, verb, noun in PAIRS)
FILES = {"source": SOURCE, "target": TARGET, "text": "the teacher follows the cat\n"}
STEPS: list[dict[str, object]] = [
    {"resources align": {"source": "source", "target": "target", "links": "links"}},
    {"smt profile-reordering": {"source": "source", "target": "target", "links": "links", "format": "html"}, "print": "page.html"},
    {
        "smt preorder train": {
            "source": "source", "target": "target", "links": "links", "out": "grammar", "language": "en", "splits": [3, 1],
            "iterations": 8, "rare": 40,
        },
    },
    {"smt preorder apply": {"folder": "grammar", "text": "text"}, "print": "order"},
]  # fmt: skip


def run(client: httpx2.Client, steps: list[dict[str, object]]) -> tuple[str, dict[str, object]]:
    answer = client.post("/v1/jobs", json={"kind": "recipe", "params": {"recipe": {"steps": steps}, "files": FILES}})
    assert answer.status_code == 202, answer.text
    job = answer.json()["id"]
    return job, wait_for_job(client, job)


def test_a_job_aligns_learns_and_reorders(client: httpx2.Client) -> None:
    job, view = run(client, STEPS)
    assert view["state"] == "succeeded", view

    def file(name: str) -> str:
        return client.get(f"/v1/jobs/{job}/files/{name}").text

    assert file("order") == "the teacher the cat follows\n"
    assert file("page.html").startswith("<!DOCTYPE html>") and "P21" in file("page.html")
    rows = {row["step"]: row for row in client.get(f"/v1/jobs/{job}/result").json()["steps"]}
    logs = [float(line.split()[3]) for line in rows["train"]["told"] if line.startswith("iteration")]
    assert len(logs) == 8 and logs == sorted(logs) and logs[-1] > logs[0]
    card = client.get(f"/v1/jobs/{job}/files/grammar/grammar/card.json").json()
    assert card["options"]["language"] == "en"
    assert [round(log, 4) for log in card["log_likelihoods"]] == logs


@pytest.mark.parametrize("language", ["xx", "../en", "/etc", "en/tagger"])
def test_a_language_names_a_tagger_that_ships(client: httpx2.Client, language: str) -> None:
    train = {"source": "source", "target": "target", "links": "target", "out": "grammar", "language": language}
    _, view = run(client, [{"smt preorder train": train}])
    assert view["state"] == "failed"
    assert f"no tagger of {language}" in str(view["error"])
