"""Words, documents and what may come beside the texts, over HTTP."""

import json
import math

import httpx2
import pytest

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENT = {"source": "Casa este mare.", "translation": "The house is big."}


def test_words_are_tagged_with_their_places(client: httpx2.Client) -> None:
    answer = client.post("/v1/quality", json={**PAIR, "level": "word", "segments": [SEGMENT, {"source": "", "translation": ""}]})
    assert answer.status_code == 200
    body = answer.json()
    assert body["model"] == "ro-en-words"
    assert 0 < body["mcc"] < 1
    first, second = body["segments"]
    assert [word["text"] for word in first["words"]] == ["The", "house", "is", "big", "."]
    assert [(word["start"], word["end"]) for word in first["words"]] == [(0, 3), (4, 9), (10, 12), (13, 16), (16, 17)]
    assert len(first["gaps"]) == 6
    assert {word["tag"] for word in first["words"]} <= {"OK", "BAD"}
    assert second["words"] == []
    assert len(second["gaps"]) == 1
    card = client.get("/v1/models/ro-en-words").json()
    assert round(card["accuracy"]["words"]["mcc"], 6) == body["mcc"]
    assert len(client.get("/v1/models").json()["word_models"]) == 14


def test_the_systems_own_tokens_choose_the_better_tagger(client: httpx2.Client) -> None:
    segment = {**SEGMENT, "tokens": ["The", "house", "is", "big", "."], "token_log_probs": [-0.1] * 6}
    answer = client.post("/v1/quality", json={**PAIR, "level": "word", "segments": [segment]}).json()
    assert answer["model"] == "ro-en-words-nmt"


def test_a_document_is_one_row(client: httpx2.Client) -> None:
    answer = client.post("/v1/features", json={**PAIR, "feature_set": "document", "segments": [SEGMENT, SEGMENT]}).json()
    assert len(answer["values"]) == 1
    names = [each["id"] for each in answer["features"]]
    assert answer["values"][0][names.index("doc.segments")] == 2


def test_features_by_id_and_what_is_left_out(client: httpx2.Client) -> None:
    answer = client.post("/v1/features", json={**PAIR, "features": ["1001", "pr.chrf", "1012"], "segments": [SEGMENT]}).json()
    assert [each["id"] for each in answer["features"]] == ["1001", "1012"]
    assert answer["left_out"] == [{"id": "pr.chrf", "name": "pseudo_reference_chrf", "reason": "pseudo-references not sent"}]
    assert client.post("/v1/features", json={**PAIR, "features": ["nope"], "segments": [SEGMENT]}).status_code == 422


def test_a_set_beside_features_is_refused(client: httpx2.Client) -> None:
    both = {**PAIR, "feature_set": "quest-baseline-17", "features": ["1001"], "segments": [SEGMENT]}
    answer = client.post("/v1/features", json=both)
    problem = answer.json()
    assert (answer.status_code, problem["type"], problem["where"]) == (422, "/problems/invalid-request", "feature_set")


def test_pseudo_references_and_lists_make_features(client: httpx2.Client) -> None:
    segment = {
        **SEGMENT,
        "pseudo_references": ["The house is big."],
        "back_translation": "Casa este mare.",
        "n_best": [{"text": "The house is big.", "score": -1.0, "features": {"d": [0.0]}}, {"text": "House big.", "score": -2.0}],
        "search": {"hypotheses": 4, "pruned": 1},
        "token_entropies": [0.5],
        "passes": [[-0.5], [-0.7]],
        "samples": ["a", "b"],
    }
    ids = ["pr.chrf", "bt.chrf", "2003", "nbest.posterior", "2059", "nmt.entropy_mean", "nmt.passes_mean", "nmt.samples_likeness"]
    answer = client.post("/v1/features", json={**PAIR, "features": ids, "segments": [segment]}).json()
    assert answer["values"][0] == pytest.approx([100, 100, 2, 1 / (1 + math.exp(-1)), 0.25, 0.5, -0.6, 0])


@pytest.mark.parametrize(
    ("extra", "place"),
    [
        ({"token_entropies": []}, ["segments", 0, "token_entropies"]),
        ({"token_entropies": [-1.0]}, ["segments", 0, "token_entropies"]),
        ({"search": {"nodes": -1}}, ["segments", 0, "search"]),
        ({"search": {"other": 1}}, None),
        ({"samples": ["a\u0000"]}, ["segments", 0, "samples", 0]),
        ({"n_best": [{"text": "\ud800", "score": 1.0}]}, None),
        ({"passes": [[0.5]]}, None),
        ({"pseudo_references": "x"}, None),
        ({"back_translation": "x" * 30_000}, ["segments", 0, "back_translation"]),
        ({"n_best": [{"text": "a"}]}, None),
    ],
)
def test_impossible_evidence_is_refused_with_its_place(
    client: httpx2.Client, extra: dict[str, object], place: list[object] | None
) -> None:
    body = json.dumps({**PAIR, "feature_set": "all-blackbox", "segments": [{**SEGMENT, **extra}]})
    answer = client.post("/v1/features", content=body.encode("ascii"), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    problem = answer.json()
    if place is not None:
        assert problem["where"] == ".".join(map(str, place))


def test_evidence_for_some_segments_only_is_refused(client: httpx2.Client) -> None:
    body = {**PAIR, "feature_set": "all-blackbox", "segments": [{**SEGMENT, "samples": ["a"]}, SEGMENT]}
    answer = client.post("/v1/features", json=body)
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/missing-evidence"
