"""Every call of the HTTP table, over a real socket."""

from typing import Any

import httpx2
import pytest
from lxml import html
from sacrebleu.metrics import BLEU, CHRF, TER

from app.errors import PROBLEMS
from app.features import CATALOGUE
from app.metrics import VARIANTS
from app.operations.catalogue import OPERATIONS
from app.server.explanations import EXPLANATIONS
from app.settings import ROOT

ROWS = [
    {"source": "Bună ziua tuturor.", "translation": "Good day everyone."},
    {"source": "", "translation": ""},
    {"source": "unu", "translation": "one two three four five six seven"},
]
QUALITY = {"source_language": "ro", "target_language": "en", "segments": ROWS}


def test_health_and_metrics(client: httpx2.Client) -> None:
    assert client.get("/health/live").json() == {"status": "ok"}
    assert client.get("/health/ready").json() == {"status": "ok"}
    client.post("/v1/quality", json=QUALITY)
    text = client.get("/metrics").text
    assert 'assay_requests_total{route="/v1/quality",status="200"}' in text
    assert f"assay_models {len(client.get('/v1/models').json()['models'])}.0" in text
    assert "assay_workers 1.0" in text


def test_quality(client: httpx2.Client) -> None:
    answer = client.post("/v1/quality", json=QUALITY).json()
    assert answer["model"] == "ro-en-hter-blend-95"
    assert (answer["unit"], answer["direction"]) == ("fraction of words", "lower is better")
    assert len(answer["segments"]) == 3
    for row in answer["segments"]:
        low, high = row["interval"]
        assert 0 <= low <= row["score"] <= high <= 1
        assert row["std"] > 0
    assert answer["document"]["segments"] == 3
    # A row without any text counts in no mean.
    scores = [row["score"] for row in answer["segments"] if row["source_tokens"] or row["translation_tokens"]]
    assert answer["document"]["score"] == pytest.approx(sum(scores) / len(scores), abs=1e-5)


def test_log_probs_choose_the_larger_model_and_explanations_add_up_by_feature(client: httpx2.Client) -> None:
    rows = [{**ROWS[0], "token_log_probs": [-0.1, -0.2, -1.5, -0.01]}]
    answer = client.post("/v1/quality", json={**QUALITY, "segments": rows, "label": "da", "explain": True}).json()
    assert answer["model"] == "ro-en-da-blend-105"
    contributions = answer["segments"][0]["contributions"]
    assert len({each["feature"] for each in contributions}) == 105
    total = answer["explanation"]["baseline"] + sum(each["contribution"] for each in contributions)
    assert total == pytest.approx(answer["segments"][0]["score"], abs=1e-4)
    sizes = [abs(each["contribution"]) for each in contributions]
    assert sizes == sorted(sizes, reverse=True)


def test_no_verb_answers_without_segments(client: httpx2.Client) -> None:
    pair = {"source_language": "ro", "target_language": "en", "segments": []}
    texts = {"metrics": ["bleu"], "references": {"r": []}}
    bodies: dict[str, dict[str, Any]] = {
        **dict.fromkeys(("quality", "words", "features", "rank", "translate"), pair),
        "word-order": {"segments": []}, "score": {**texts, "systems": {"a": []}},
        "compare": {**texts, "baseline": [], "system": []}, "mbr": {"n_best": []}, "rerank": {"n_best": []},
    }  # fmt: skip
    for verb, body in bodies.items():
        answers = [client.post(f"/v1/{verb}", json=body)]
        if OPERATIONS[verb].steps is not None:
            answers.append(client.post("/v1/jobs", json={"kind": verb, "params": body}))
        for answer in answers:
            assert (answer.status_code, answer.json()["type"]) == (422, "/problems/empty-input"), verb


def test_features(client: httpx2.Client) -> None:
    answer = client.post("/v1/features", json=QUALITY).json()
    assert [feature["id"] for feature in answer["features"]][:3] == ["1001", "1002", "1006"]
    assert [row[:2] for row in answer["values"]] == [[4.0, 4.0], [0.0, 0.0], [1.0, 7.0]]


def test_rank(client: httpx2.Client) -> None:
    segment = {
        "source": "Guvernul numește un prefect în fiecare județ.",
        "translations": [
            {"system": "bad", "text": "Guvernul prefect prefect prefect județ în un xyz qqq www"},
            {"system": "good", "text": "The government appoints a prefect in every county."},
        ],
    }
    answer = client.post("/v1/rank", json={**QUALITY, "segments": [segment] * 3}).json()
    assert [each["system"] for each in answer["segments"][0]["order"]] == ["good", "bad"]
    assert answer["systems"][0]["wins"] == 3 and answer["systems"][0]["interval"] is not None
    assert answer["systems"][0]["warnings"] == {} and "cautions" not in answer


def test_a_ranking_of_one_segment_has_no_interval_and_its_candidates_are_checked(client: httpx2.Client) -> None:
    source = "Guvernul numește 25 de prefecți în fiecare județ."
    texts = {"copy": source, "wrong": "The government appoints 52 prefects in every county.", "none": "", "long": "word " * 1001}
    rows = [{"system": name, "text": text} for name, text in texts.items()]
    body = {**QUALITY, "warnings": True, "segments": [{"source": source, "translations": rows}]}
    answer = client.post("/v1/rank", json=body).json()
    assert all(row["interval"] is None and row["best_share"] is None for row in answer["systems"])
    assert any("one segment" in caution for caution in answer["cautions"])
    by_quality = client.post(
        "/v1/quality", json={**body, "segments": [{"source": source, "translation": text} for text in texts.values()]}
    ).json()
    of_quality = dict(zip(texts, by_quality["segments"], strict=True))
    for entry in answer["segments"][0]["order"]:
        same = {name: of_quality[entry["system"]].get(name) for name in ("score", "std", "warnings", "truncated")}
        assert {name: entry.get(name) for name in same} == same
    warned = {row["system"]: row["warnings"] for row in answer["systems"]}
    assert warned["copy"]["copied-source"] == warned["none"]["empty-translation"] == warned["wrong"]["numbers"] == 1


def test_score_is_sacrebleus(client: httpx2.Client) -> None:
    hypotheses, other = ["the cat sat on the mat today", "hello world"], ["a cat sat", "hello"]
    reference = ["the cat sat on a mat", "hello there world"]
    body = {
        "metrics": ["bleu", "chrf", "ter"], "systems": {"a": hypotheses, "b": other}, "references": {"r": reference},
        "segments": True, "significance": True,
    }  # fmt: skip
    rows = client.post("/v1/score", json=body).json()["metrics"]
    peers = {"bleu": BLEU(), "chrf": CHRF(), "ter": TER()}
    assert [(row["metric"], row["system"]) for row in rows] == [(m, s) for m in peers for s in "ab"]
    for row in rows:
        system = {"a": hypotheses, "b": other}[row["system"]]
        assert row["score"] == pytest.approx(peers[row["metric"]].corpus_score(system, [reference]).score, abs=1e-9)
        assert len(row["segments"]) == 2
        assert row["confidence_interval"][0] <= row["confidence_interval"][1]
        assert ("p_value" in row) == (row["system"] == "b")


def test_every_simpbleu_variant_is_answered(client: httpx2.Client) -> None:
    body = {
        "metrics": [f"simpbleu:{variant}" for variant in VARIANTS], "systems": {"a": ["the cat sat on the mat"]},
        "references": {"r": ["the cat is on the mat"], "s": ["a cat sat on a mat"]}, "segments": True,
    }  # fmt: skip
    rows = client.post("/v1/score", json=body).json()["metrics"]
    assert len(rows) == 64
    assert all(0 <= row["score"] <= 100 for row in rows)


def test_ten_systems_of_three_thousand_segments_in_one_request(client: httpx2.Client) -> None:
    lines = [f"this is the line number {i} of the text" for i in range(3000)]
    body = {"metrics": ["bleu", "chrf"], "systems": {f"s{k}": lines[k:] + lines[:k] for k in range(10)}, "references": {"r": lines}}
    rows = client.post("/v1/score", json=body).json()["metrics"]
    assert rows[0]["score"] == pytest.approx(100)
    assert rows[1]["score"] < 100


def test_models_of_any_pair_have_a_page(client: httpx2.Client) -> None:
    page = client.get("/models/any-any-hter-blend-45")
    assert page.status_code == 200 and "any languages" in page.text
    assert "any languages" in client.get("/models").text


def test_models_are_listed_by_pair_with_the_default_first(client: httpx2.Client) -> None:
    page = html.fromstring(client.get("/models", params={"pair": "ro-en", "label": "hter"}).text)
    [section] = page.xpath("//section")
    [default] = section.xpath("./table//a/text()")
    segments = [{"source": "Casa este mare.", "translation": "The house is big."}]
    answer = client.post("/v1/quality", json={"source_language": "ro", "target_language": "en", "segments": segments})
    assert default == answer.json()["model"]
    [row] = section.xpath("./table/tbody/tr")
    assert "orders segments well" in row.text_content() and "correlation 0." in row.text_content()
    others = section.xpath("./details//a/text()")
    assert "ro-en-hter-gp-27" in others and default not in others
    [glass_box] = section.xpath("./details//tr[th/a='ro-en-hter-gp-27']")
    assert "log-probabilities" in glass_box.text_content()
    sections = html.fromstring(client.get("/models").text).xpath("//section")
    # Without an encoder, nothing answers for en-cs, whose only model needs one.
    answered = [section for section in sections if section.xpath("./table//a")]
    assert len(answered) >= 8 and all(section.xpath(".//table//a") for section in sections)
    assert "No model matches." in client.get("/models", params={"pair": "xx-yy"}).text


def test_catalogues(client: httpx2.Client) -> None:
    # Other tests of the session may have trained more.
    shipped = {path.parent.name for path in (ROOT / "models").glob("*/card.json")}
    assert len(shipped) >= 100 and shipped <= {model["id"] for model in client.get("/v1/models").json()["models"]}
    assert client.get("/v1/models/ro-en-da-gp-27").json()["accuracy"]["segments"] == 1000
    resources = client.get("/v1/resources").json()
    assert len(resources["pairs"]) == 7
    assert resources["limits"]["max_segments"] == 2000
    assert all(len(digest) == 64 for each in resources["resources"] for digest in each["files"].values())
    catalogue = client.get("/v1/features/catalogue").json()
    assert len(catalogue["features"]) == len(CATALOGUE)
    assert {each["name"]: len(each["features"]) for each in catalogue["sets"]}["blackbox-79"] == 79
    assert "simpbleu" in [each["name"] for each in client.get("/v1/metrics").json()["metrics"]]


def test_a_problem_leads_to_its_explanation(client: httpx2.Client) -> None:
    address = client.post("/v1/quality", json={**QUALITY, "segments": []}).json()["type"]
    about = client.get(address).json()
    assert (about["type"], about["status"]) == (address, 422)
    assert (about["example"], about["remedy"]) == EXPLANATIONS["empty-input"][1:]
    page = client.get(address, headers={"Accept": "text/html,*/*", "Accept-Language": "de"})
    assert page.headers["content-type"].startswith("text/html") and "<h2>Ursache</h2>" in page.text
    assert EXPLANATIONS["empty-input"].cause in page.text
    for accept in ("text/html", "*/*"):
        assert client.get("/problems/nothing", headers={"Accept": accept}).json()["type"] == "/problems/not-found"


def test_every_problem_has_an_explanation() -> None:
    assert list(EXPLANATIONS) == list(PROBLEMS)
    assert all(all(explanation) for explanation in EXPLANATIONS.values())


def test_pages_come_with_a_strict_policy(client: httpx2.Client) -> None:
    for path in ("/", "/docs", "/static/estimate.js", "/v1/models", "/nowhere"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert "/v1/quality" in client.get("/docs").text
