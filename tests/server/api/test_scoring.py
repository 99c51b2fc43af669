"""Scoring over HTTP: trained metrics, tests, policies, comparisons, correlations."""

import httpx2
import pytest

TEXTS = {
    "metrics": ["bleu", "ter"],
    "systems": {"old": ["a b c d", "x y", ""], "new": ["a b c d", "x y z w", "q"]},
    "references": {"r": ["a b c d", "x y z w", "q r"]},
}


def answer(client: httpx2.Client, path: str, body: object, status: int = 200) -> dict:  # type: ignore[type-arg]
    found = client.post(path, json=body)
    assert found.status_code == status, found.text
    return found.json()  # type: ignore[no-any-return]


def test_every_kind_of_metric_answers_with_unit_direction_range_and_signature(client: httpx2.Client) -> None:
    names = [
        "nist",
        "order:recpef",
        "order:kendall|stem:en",
        "beer",
        "beer:mlqe-en",
        "rose:reg",
        "rose:rank|lang:de",
        "trained:rose-reg-zh",
    ]
    rows = answer(client, "/v1/score", {**TEXTS, "metrics": names, "segments": True})["metrics"]
    assert [row["metric"] for row in rows] == [name for name in names for _ in range(2)]
    for row in rows:
        assert row["unit"] and row["direction"] == "higher is better" and len(row["range"]) == 2
        assert row["signature"].startswith("nrefs:1|") and len(row["segments"]) == 3


def test_rose_with_parts_of_speech_takes_tagged_text(client: httpx2.Client) -> None:
    tagged = {"systems": {"s": ["the|DET cat|NOUN sat|VERB"]}, "references": {"r": ["the|DET cat|NOUN slept|VERB"]}}
    rows = answer(client, "/v1/score", {**tagged, "metrics": ["rose:regpos|factored:yes", "rose:rankpos|factored:yes"]})["metrics"]
    assert len(rows) == 2 and all("tok:factored" in row["signature"] for row in rows)
    assert "factored:yes" in answer(client, "/v1/score", {**tagged, "metrics": ["rose:regpos"]}, 422)["detail"]
    plain = {"systems": {"s": ["the cat"]}, "references": {"r": ["the|DET"]}, "metrics": ["rose:regpos|factored:yes"]}
    assert answer(client, "/v1/score", plain, 422)["where"] == "systems.0"


def test_the_catalogue_names_trained_metrics_with_their_cards(client: httpx2.Client) -> None:
    found = client.get("/v1/metrics").json()
    ids = {each["id"]: each for each in found["trained"]}
    assert {"beer-2.0", "rose-rank-en", "beer-mlqe-zh"} <= ids.keys()
    assert ids["rose-rank-en"]["card"]["accuracy"]["segments"] == 5000
    assert all(len(each["sha256"]) == 64 for each in ids.values())


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_significance(client: httpx2.Client, test: str) -> None:
    body = {**TEXTS, "significance": {"test": test, "baseline": "old", "samples": 100, "trials": 100}}
    found = answer(client, "/v1/score", body)
    assert found["test"]["name"] == test and "Holm" in found["test"]["meaning"]
    row = next(row for row in found["metrics"] if row["system"] == "new")
    assert 0 < row["p_value"] <= row["corrected_p_value"] <= 1
    assert row["wins"] + row["losses"] + row["ties"] == 3
    verdict = next(verdict for verdict in found["verdicts"] if verdict["metric"] == row["metric"])
    assert (verdict["baseline"], verdict["outcome"], verdict["p_value"]) == ("old", "none", row["corrected_p_value"])


def test_runs(client: httpx2.Client) -> None:
    systems = {"a1": ["a", "b"], "a2": ["a", "c"], "b1": ["x", "b"]}
    body = {"metrics": ["chrf"], "systems": systems, "references": {"r": ["a", "b"]}}
    found = answer(client, "/v1/score", {**body, "significance": {"runs": {"A": ["a1", "a2"], "B": ["b1"]}, "trials": 100}})
    assert [(row["system"], row["runs"]) for row in found["runs"]] == [("A", ["a1", "a2"]), ("B", ["b1"])]
    assert "optimiser_deviation" not in found["runs"][1]


def test_empty_segments_by_policy(client: httpx2.Client) -> None:
    assert answer(client, "/v1/score", TEXTS)["empty"] == {"policy": "score", "segments": 1}
    skipped = answer(client, "/v1/score", {**TEXTS, "empty": "skip", "segments": True})
    assert skipped["empty"] == {"policy": "skip", "segments": 1}
    assert len(skipped["metrics"][0]["segments"]) == 2
    refused = answer(client, "/v1/score", {**TEXTS, "empty": "error"}, 422)
    assert refused["where"] == "systems.0.2"


def test_refusals(client: httpx2.Client) -> None:
    assert "transposed" in answer(client, "/v1/score", {**TEXTS, "references": {"r": ["a"], "s": ["b", "c"]}}, 422)["detail"]
    assert answer(client, "/v1/score", {**TEXTS, "metrics": ["bleu", "bleu"]}, 422)["where"] == "metrics.1"
    assert "kendall" in answer(client, "/v1/score", {**TEXTS, "metrics": ["order:no"]}, 422)["detail"]
    assert "rose-rank-en" in answer(client, "/v1/score", {**TEXTS, "metrics": ["trained:no"]}, 422)["detail"]
    twice = client.post("/v1/score", content='{"metrics":["bleu"],"systems":{"a":["x"],"a":["y"]},"references":{"r":["x"]}}',
                        headers={"Content-Type": "application/json"})  # fmt: skip
    assert twice.status_code == 400 and twice.json()["detail"] == "a name occurs twice in one object"
    null = answer(client, "/v1/score", {**TEXTS, "references": {"r": ["a", None, "b"]}}, 422)
    assert null["type"].endswith("invalid-request")
    long = {"metrics": ["order:kendall"], "systems": {"s": ["w " * 3000]}, "references": {"r": ["w"]}}
    assert answer(client, "/v1/score", long, 422)["type"].endswith("segment-too-long")
    job = answer(client, "/v1/jobs", {"kind": "score", "params": {**TEXTS, "metrics": ["nist"]}}, 422)
    assert job["type"].endswith("invalid-job")


def test_comparison(client: httpx2.Client) -> None:
    systems = TEXTS["systems"]
    body = {"baseline": systems["old"], "system": systems["new"], "references": TEXTS["references"]}  # type: ignore[index]
    found = answer(client, "/v1/compare", body)
    assert {"ngram": "x y z w", "baseline_matches": 0, "system_matches": 1, "baseline_surplus": 0, "system_surplus": 0,
            "in_references": 1} in found["ngrams"]["better"]  # fmt: skip
    assert found["ngrams"]["worse"] == []
    assert sum(row["segments"] for row in found["lengths"] if row["metric"] == "bleu" and row["system"] == "system") == 3
    once = next(row for row in found["frequencies"] if row["system"] == "system" and row["low"] == 1)
    assert once["words"] == 10 and once["recall"] == pytest.approx(0.9)
    assert found["segments"][0]["most_improved"][0]["segment"] in (2, 3)
    named = answer(client, "/v1/compare", {**body, "baseline_name": "old", "system_name": "new", "sources": ["s1", "s2", "s3"]})
    assert {row["system"] for row in (*named["lengths"], *named["frequencies"])} == {"old", "new"}
    assert named["verdicts"][0]["sentence"].startswith("no difference is shown between new and old: BLEU +")
    first = named["segments"][0]["most_improved"][0]
    texts = next(row for row in named["texts"] if row["segment"] == first["segment"])
    place = first["segment"] - 1
    assert (texts["source"], texts["system"]) == (f"s{place + 1}", systems["new"][place])  # type: ignore[index]
    assert first["gain"] == round(first["system_score"] - first["baseline_score"], 4)
    assert answer(client, "/v1/compare", {**body, "sources": ["s1"]}, 422)["where"] == "sources"
    assert answer(client, "/v1/compare", {**body, "system_name": "baseline"}, 422)["where"] == "system_name"
    assert "tokenisers are" in answer(client, "/v1/compare", {**body, "tokenise": "no"}, 422)["detail"]


def test_word_order_of_given_alignments(client: httpx2.Client) -> None:
    segments = [
        {"alignment": "0-3 1-4 2-5 3-0 4-1 5-2", "hypothesis_words": 6, "reference_words": 6},
        {"alignment": "0-3 1-4 2-5 3-2 5-1", "hypothesis_words": 6, "reference_words": 6},
        {"alignment": "", "hypothesis_words": 3, "reference_words": 2},
    ]
    found = answer(client, "/v1/word-order", {"segments": segments})["segments"]
    # The digest's two sentences; one of the second's words, and one of its reference's, has no link.
    assert [row["permutation"] for row in found] == [[4, 5, 6, 1, 2, 3], [3, 4, 5, 2, 1], []]
    assert found[0]["scores"]["recpef"] == pytest.approx(0.7) and found[0]["scores"]["pet-count"] == pytest.approx(0.5365854)
    assert found[1]["scores"]["kendall"] == pytest.approx(0.5394763) and found[1]["measures"]["recpet"] == pytest.approx(0.16)
    assert found[2]["scores"]["kendall"] == 0
    for bad in ("0-", "9-0", "a-b", "0-99999"):
        refused = answer(client, "/v1/word-order", {"segments": [{**segments[0], "alignment": bad}]}, 422)
        assert refused["where"] == "segments.0.alignment"


def test_correlation(client: httpx2.Client) -> None:
    body = {"human": [1, 2, 3, 4.0, 5], "metrics": {"good": [1, 2, 3, 4, 5.5], "bad": [5, 1, 4, 2, 2.0]}, "tests": True}
    found = answer(client, "/v1/correlate", body)
    assert found["metrics"][0]["tau-b"] == 1 and found["metrics"][0]["accuracy-calibrated"] == 1
    assert found["tests"][0]["williams_p_value"] < 0.05 < found["tests"][1]["williams_p_value"]
    assert answer(client, "/v1/correlate", {**body, "groups": ["a"]}, 422)["type"].endswith("unequal-lengths")
    assert "agreements are" in answer(client, "/v1/correlate", {**body, "agreements": ["no"]}, 422)["detail"]
    low, high = found["metrics"][0]["confidence_interval"]
    assert low <= found["metrics"][0]["pearson"] <= high and found["tests"][0]["share_higher"] > 0.9
    assert found["tests"][0]["difference"] == pytest.approx(-found["tests"][1]["difference"])


NO_SCORES = {"human": [], "metrics": {}}


def test_spans_are_compared(client: httpx2.Client) -> None:
    spans = {"human": [[{"start": 0, "end": 10}], []], "metrics": {"m": [[{"start": 5, "end": 10}], [{"start": 0, "end": 5}]]}}
    (row,) = answer(client, "/v1/correlate", {**NO_SCORES, "spans": spans})["spans"]
    assert (row["spans"], row["predicted_spans"]) == (1, 2)
    assert (row["precision"], row["recall"], row["mpp_precision"], row["mpp_recall"]) == (0.5, 0.5, 0.5, 0.5)
    uneven = {**spans, "metrics": {"m": [[]]}}
    assert answer(client, "/v1/correlate", {**NO_SCORES, "spans": uneven}, 422)["where"] == "spans.metrics.0"
    assert answer(client, "/v1/correlate", {**NO_SCORES, "spans": spans, "human": [1.0, 2.0]}, 422)["where"] == "spans"
    for field, value in (("systems", ["a"]), ("groups", ["a"]), ("tests", True), ("agreements", ["nope"])):
        assert answer(client, "/v1/correlate", {**NO_SCORES, "spans": spans, field: value}, 422)["where"] == field
    assert answer(client, "/v1/correlate", NO_SCORES, 422)["where"] == "human"


def test_systems_are_ranked(client: httpx2.Client) -> None:
    """Wins 6 : 4, 9 : 1 and 3 : 3 with four ties, as in the thesis' digest; a metric that agrees with all means."""
    duels = [("A", "B", 6, 4), ("A", "C", 9, 1), ("B", "C", 3, 3)]
    rows = [
        (f"{first}{second}{k}", system, float(label))
        for first, second, wins, losses in duels
        for k in range(10)
        for system, label in ((first, k < wins), (second, wins <= k < wins + losses))
    ]
    groups, systems, human = (list(column) for column in zip(*rows, strict=True))
    body = {"human": human, "metrics": {"m": human}, "groups": groups, "systems": systems, "agreements": ["accuracy"]}
    found = answer(client, "/v1/correlate", body)
    assert [(row["system"], row["expected_wins"]) for row in found["systems"]] == [
        ("A", 0.75),
        ("B", 0.45),
        ("C", pytest.approx(0.3)),
    ]
    assert [row["ratio_of_wins"] for row in found["systems"]] == [0.75, 0.4375, 0.25]
    assert [(row["wins"], row["losses"], row["ties"]) for row in found["duels"]] == [(6, 4, 0), (9, 1, 0), (3, 3, 4)]
    assert [row["sign_p_value"] for row in found["duels"]] == pytest.approx([0.75390625, 0.021484375, 1])
    assert found["metrics"][0]["system-accuracy"] == 1 and found["metrics"][0]["system-soft-accuracy"] == 1
    assert answer(client, "/v1/correlate", {**body, "metrics": {}})["systems"][0]["metrics"] == {}
    assert answer(client, "/v1/correlate", {**body, "groups": None}, 422)["where"] == "groups"
    assert answer(client, "/v1/correlate", {**body, "systems": ["A"]}, 422)["where"] == "systems"
    assert answer(client, "/v1/correlate", {"human": [1.0, 2.0], "metrics": {}}, 422)["where"] == "metrics"
