"""Glossaries of requests: the check `terminology` in calls, jobs and reviews."""

import json
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Client

from tests.commands import assay
from tests.operations.test_review import review

TERMS = [{"source": "folder", "target": ["Ordner"], "forbidden": ["Verzeichnis"]}]
FILE = {"name": "terms.csv", "text": "source,target,forbidden\nfolder,Ordner,Verzeichnis\n"}
SEGMENTS = [
    {"source": "Open both folders.", "translation": "Öffnen Sie beide Verzeichnisse."},
    {"source": "Open both folders.", "translation": "Öffnen Sie beide Ordner."},
]
BODY = {"source_language": "en", "target_language": "de", "profile": "fast", "segments": SEGMENTS}


@pytest.mark.parametrize("glossary", [TERMS, FILE])
def test_quality_checks_terms(client: Client, glossary: Any) -> None:
    answer = client.post("/v1/quality", json={**BODY, "glossary": glossary})
    assert answer.status_code == 200, answer.text
    first, second = answer.json()["segments"]
    assert [(row["code"], row["severity"], row["expected"]) for row in first["warnings"]] == [("terminology", "error", ["Ordner"])]
    assert second["warnings"] == []
    assert first["confidence"] <= 0.3
    assert answer.json()["document"]["warnings"] == {"terminology": 1}


def test_a_job_checks_terms_and_hides_them(client: Client) -> None:
    job = client.post("/v1/jobs", json={"kind": "quality", "params": {**BODY, "glossary": TERMS}}).json()
    events = client.get(f"/v1/jobs/{job['id']}/events")
    assert "end" in events.text
    job = client.get(f"/v1/jobs/{job['id']}").json()
    assert job["params"]["glossary"] == {"terms": 1}
    assert job["summary"]["document"]["warnings"] == {"terminology": 1}


def test_a_review_checks_terms_of_each_language(client: Client) -> None:
    files = {"en.json": {"a": "Two folders"}, "de.json": {"a": "Zwei Verzeichnisse"}, "fr.json": {"a": "Deux dossiers"}}
    terms = [{**TERMS[0], "language": "de"}, {"source": "folder", "target": ["répertoire"], "language": "fr"}]
    findings = review(client, files, glossary=terms)["findings"]
    assert [(row["path"], row["code"], row["severity"]) for row in findings] == [
        ("de.json", "terminology", "error"), ("fr.json", "terminology", "warning"),
    ]  # fmt: skip
    assert findings[1]["message"].endswith("folders; expected: répertoire")


def test_languages_without_lemmas_are_a_caution(client: Client) -> None:
    files = {"en.json": {"a": "Two folders"}, "si.json": {"a": "ෆෝල්ඩර දෙකක්"}}
    answer = review(client, files, glossary=[{"source": "folder", "target": ["ෆෝල්ඩර"]}])
    assert ["Sinhala" in caution for caution in answer["cautions"]] == [True]


@pytest.mark.parametrize(
    ("glossary", "code", "words"),
    [
        ([], "invalid-request", "glossary"),
        ([{"source": "folder"}], "invalid-glossary", "no translation"),
        ([{"source": "folder", "target": ["§"]}], "invalid-glossary", "no letter"),
        ([{"source": "x" * 201, "target": ["a"]}], "invalid-request", "200"),
        ({"name": "x.docx", "text": ""}, "invalid-request", "name"),
        ({"name": "x.csv", "text": "a,b\n"}, "invalid-glossary", "no column source"),
        ({"name": "x.tbx", "text": "<martif>"}, "invalid-document", "well-formed"),
    ],
)
@pytest.mark.parametrize("verb", ["quality", "review"])
def test_refusals_name_the_place(client: Client, glossary: Any, code: str, words: str, verb: str) -> None:
    body = BODY if verb == "quality" else {"files": [{"path": "en.json", "text": "{}"}], "predict": False}
    answer = client.post(f"/v1/{verb}", json={**body, "glossary": glossary})
    assert answer.status_code == 422
    assert answer.json()["type"].endswith(f"/{code}")
    assert words in json.dumps(answer.json(), ensure_ascii=False)


def test_a_glossary_needs_warnings_of_sentences(client: Client) -> None:
    for options in ({"level": "word"}, {"level": "document"}, {"warnings": False}):
        answer = client.post("/v1/quality", json={**BODY, **options, "glossary": TERMS})
        assert (answer.status_code, "glossary" in answer.text) == (422, True)


@pytest.mark.parametrize("name", ["terms.csv", "terms.tbx"])
def test_an_annotated_file_names_broken_terms(tmp_path: Path, name: str) -> None:
    """The language of the sources, which TBX needs, is that of the document."""
    (tmp_path / "pairs.tsv").write_text(
        "source\ttranslation\n" + "".join(f"{row['source']}\t{row['translation']}\n" for row in SEGMENTS)
    )
    (tmp_path / "terms.csv").write_text(FILE["text"])
    terms = "".join(
        f'<langSet xml:lang="{tag}"><tig><term>{text}</term></tig></langSet>' for tag, text in (("en", "folder"), ("de", "Akte"))
    )
    (tmp_path / "terms.tbx").write_text(f"<martif><text><body><termEntry>{terms}</termEntry></body></text></martif>")
    done = assay(
        "annotate", str(tmp_path / "pairs.tsv"), "--pair", "en-de", "--profile", "fast", "--glossary", str(tmp_path / name)
    )
    assert done.returncode == 0, done.stderr
    assert ["terminology" in line for line in done.stdout.splitlines()[1:]] == [True, name == "terms.tbx"]
