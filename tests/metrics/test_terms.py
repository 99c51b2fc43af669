"""Accuracy of terms: a worked example, plain matches of strings, and a law."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from httpx2 import Client

from app.documents.glossaries import Glossary, Term
from app.errors import InputError
from app.metrics import metrics_named
from app.metrics.terms import TermAccuracy
from app.resources.terminology import Terminology
from app.text.languages import LanguagePair
from tests.commands import assay

SOURCES = ["The houses burn.", "Nothing is here.", "A house and a door, house.", "Two doors"]
TERMS = [{"source": "house", "target": ["Haus"], "forbidden": ["Gebäude"]}, {"source": "door", "target": ["Tür", "Tor"]}]
GOOD = ["Die Häuser brennen.", "Hier ist nichts.", "Ein Haus und ein Tor, Haus.", "Zwei Türen"]
# The building is forbidden, and beside the house too; the third text lacks the door.
BAD = ["Die Gebäude brennen.", "Hier ist ein Haus.", "Ein Haus und eine Pforte.", "Zwei Türen"]
FIELDS: dict[str, Any] = {
    "metrics": ["terms"],
    "systems": {"good": GOOD, "bad": BAD},
    "references": {},
    "sources": SOURCES,
    "glossary": TERMS,
    "language_pair": "en-de",
}


def scores(answer: dict[str, Any]) -> dict[str, Any]:
    return {row["system"]: row["score"] for row in answer["metrics"]}


def test_uses_are_counted_once_a_segment(client: Client) -> None:
    """The sources have four uses: house, house, door, door."""
    answer = client.post("/v1/score", json={**FIELDS, "segments": True}).json()
    assert scores(answer) == {"good": 100.0, "bad": 50.0}
    rows = {row["system"]: row["segments"] for row in answer["metrics"]}
    assert rows["bad"] == [0.0, 100.0, 50.0, 100.0]
    assert answer["metrics"][0]["signature"].startswith("nrefs:0|glossary:")


def test_a_job_gives_the_scores_of_a_call(client: Client) -> None:
    job = client.post("/v1/jobs", json={"kind": "score", "params": FIELDS}).json()
    assert "end" in client.get(f"/v1/jobs/{job['id']}/events").text
    job = client.get(f"/v1/jobs/{job['id']}").json()
    assert scores(job["summary"]) == {"good": 100.0, "bad": 50.0} and job["params"]["glossary"] == {"terms": 2}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"glossary": None}, "glossary"),
        ({"language_pair": None}, "a language pair"),
        ({"language_pair": "english"}, "en-de"),
        ({"sources": None}, "sources"),
        ({"metrics": ["bleu"], "references": {"a": GOOD}}, "only the metric terms"),
        ({"metrics": ["terms:x"]}, "only the metric terms"),
        ({"glossary": [{"source": "house"}]}, "no translation"),
    ],
)
def test_incomplete_requests_are_refused(client: Client, fields: dict[str, Any], words: str) -> None:
    answer = client.post("/v1/score", json={**FIELDS, **fields})
    assert answer.status_code == 422 and words in answer.text


def test_sources_without_terms_are_a_caution(client: Client) -> None:
    answer = client.post("/v1/score", json={**FIELDS, "glossary": [{"source": "bridge", "target": ["Brücke"]}]}).json()
    assert scores(answer) == {"good": 100.0, "bad": 100.0}
    assert answer["cautions"] == ["terms: the sources have no term of the glossary"]


def test_other_callers_cannot_make_it() -> None:
    with pytest.raises(InputError, match="with a glossary"):
        metrics_named(["terms"])


def test_invariable_names_agree_with_matches_of_strings(shared: Path) -> None:
    """Names without inflection in Italian references of NTREX; shuffled references have fewer of them."""
    folder = shared / "data" / "ntrex-128"
    sources, references = (
        gzip.decompress((folder / f"newstest2019-{name}.txt.gz").read_bytes()).decode().splitlines()
        for name in ("src.eng", "ref.ita")
    )
    names = ["Trump", "Brexit", "Kavanaugh", "Liverpool", "Corbyn"]
    glossary = Glossary(tuple(Term(name, (name,), (), True, "", None) for name in names))
    metric = TermAccuracy(Terminology(glossary, LanguagePair("en", "it")), sources)
    right, uses = metric.prepare([]).statistics(references).sum(0)
    pairs = [(source.replace("’", "'"), text.replace("’", "'")) for source, text in zip(sources, references, strict=True)]
    plain = [(name in words_of(source), name in words_of(text)) for source, text in pairs for name in names]
    assert uses == sum(in_source for in_source, _ in plain) > 100
    assert right == sum(in_source and in_text for in_source, in_text in plain)
    shuffled = list(np.random.default_rng(1).permutation(references))
    assert metric.prepare([]).statistics(shuffled)[:, 0].sum() < right / 2


def words_of(text: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in text).split())


def test_the_shell_adds_the_metric(tmp_path: Path) -> None:
    """--glossary puts terms beside the usual metrics; without languages it is refused."""
    texts = {name: "".join(f"{line}\n" for line in lines) for name, lines in (("s", SOURCES), ("good", GOOD), ("bad", BAD))}
    texts["t.csv"] = "source,target,forbidden\nhouse,Haus,Gebäude\ndoor,Tür|Tor,\n"
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    source, good, bad, glossary = (str(tmp_path / name) for name in texts)
    command = ["score", good, "-i", good, bad, "--source", source, "--glossary", glossary, "-b"]
    out = assay(*command, "-m", "chrf", "--language-pair", "en-de")
    assert out.stdout.split()[2:] == ["100.0", "50.0"], out.stderr
    refused = assay(*command)
    assert refused.returncode == 2 and "--language-pair" in refused.stderr
