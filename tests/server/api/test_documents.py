"""Documents over HTTP: what a file is, its job, and the same file back; bands, acceptance and warnings beside the scores."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import httpx2
import pytest
from lxml import etree

from tests.servers import wait_for_job

SAMPLES = Path(__file__).parents[2] / "documents" / "samples"
ITS = "{http://www.w3.org/2005/11/its}"
BANDS = [{"name": "top", "at_least": 0.7, "rate": 0.1}, {"name": "rest", "at_least": 0.0, "rate": 1.0}]


def send(client: httpx2.Client, files: dict[str, tuple[str, bytes]], **params: Any) -> dict[str, Any]:
    answer = client.post("/v1/jobs", data={"kind": "quality", "params": json.dumps(params)}, files=files)
    assert answer.status_code == 202, answer.text
    return wait_for_job(client, answer.json()["id"])


def test_what_a_file_is(client: httpx2.Client) -> None:
    answer = client.post("/v1/files", files={"file": ("x", (SAMPLES / "trados.sdlxliff").read_bytes())}).json()
    assert (answer["format"], answer["pair"], answer["guessed"]) == ("xliff-1.2", "ro-en", False)
    assert (answer["segments"], answer["source_words"], answer["skipped"]) == (2, 7, 1)
    assert answer["model"].startswith("ro-en-hter") and answer["examples"][0]["source"] == "Casa este mare."
    lines = {
        "source": ("s", b"The house is big.\nIt rains today."),
        "translation": ("t", "Das Haus ist groß.\nHeute regnet es.".encode()),
    }
    answer = client.post("/v1/files", files=lines).json()
    assert (answer["pair"], answer["guessed"], answer["format"]) == ("en-de", True, "lines")
    refused = client.post("/v1/files", files={"file": ("x", b"<!DOCTYPE x [<!ENTITY a 'b'>]><xliff/>")})
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/unsafe-document")


@pytest.mark.parametrize(
    "name", ["trados.sdlxliff", "tool-2.0.xlf", "omegat.tmx", "gettext.po", "excel.csv", "rows.jsonl", "languages.tsv", "two.tsv"]
)
def test_the_same_file_comes_back_with_scores(client: httpx2.Client, name: str) -> None:
    raw = (SAMPLES / name).read_bytes()
    job = send(client, {"file": (name, raw)}, bands=BANDS, warnings=True)
    assert job["state"] == "succeeded", job
    assert job["params"]["source_language"] == "ro" and job["params"]["file"]["name"] == name
    result = client.get(f"/v1/jobs/{job['id']}/result").json()
    back = client.get(f"/v1/jobs/{job['id']}/result?format=annotated")
    assert back.headers["content-disposition"].endswith(name)
    text = back.content.decode("utf-8-sig")
    for row in result["segments"]:
        if row["source"].strip() and row["translation"].strip():
            assert (
                f"{row['confidence']:.4f}" in text
                or f"{round(row['confidence'], 4)}" in text
                or f"quality {row['confidence']:.2f}" in text
            )
    if name.endswith(("xlf", "iff")):
        found = [
            float(each.get(f"{ITS}mtConfidence"))
            for each in etree.fromstring(back.content).iter("*")
            if each.get(f"{ITS}mtConfidence")
        ]
        assert found == pytest.approx([row["confidence"] for row in result["segments"]], abs=1e-4)


SENTENCES = (
    ("Casa este foarte mare.", "The house is very big."),
    ("Unde este gara veche?", "Where is the old station?"),
    ("Mâine mergem la Viena.", "Tomorrow we go to Vienna."),
    ("El a citit cartea.", "He has read the book."),
)


def test_columns_the_other_way_round_are_told_by_their_words(client: httpx2.Client) -> None:
    rows = [(f"{b} This is the house.", f"{a} Aceasta este casa.") for a, b in SENTENCES]
    raw = "".join(f"{a}\t{b}\n" for a, b in [("Frage", "Antwort"), *rows]).encode()
    answer = client.post("/v1/files", files={"file": ("x.tsv", raw)}).json()
    assert (answer["pair"], answer["reading"]["source"]["column"], answer["reading"]["unclear"]) == ("ro-en", 2, False)
    job = send(client, {"file": ("x.tsv", raw)}, source_language="ro", target_language="en")
    assert job["params"]["file"]["reading"] == answer["reading"]
    assert [row["translation"] for row in client.get(f"/v1/jobs/{job['id']}/result").json()["segments"]] == [a for a, _ in rows]
    back = client.get(f"/v1/jobs/{job['id']}/result?format=annotated").content.decode()
    assert [line.split("\t")[:2] for line in back.split("\n")[1:-1]] == [list(row) for row in rows]


@pytest.mark.parametrize(
    ("first", "stated", "heading"), [("Frage\tAntwort\n", "", 1), ("Frage\tAntwort\n", "no", None), ("", "", None), ("", "yes", 1)]
)
def test_what_was_taken_for_what_is_said_and_kept(client: httpx2.Client, first: str, stated: str, heading: int | None) -> None:
    raw = (first + "".join(f"{source}\t{translation}\n" for source, translation in SENTENCES)).encode()
    form = {"header": stated} if stated else {}
    answer = client.post("/v1/files", files={"file": ("x.tsv", raw)}, data=form).json()
    rows = raw.decode().split("\n")[:-1][1 if heading else 0 :]
    assert (answer["reading"]["heading"], answer["segments"]) == (heading, len(rows))
    params = {"source_language": "ro", "target_language": "en"}
    whole_form = {"kind": "quality", "params": json.dumps(params), **form}
    job = wait_for_job(client, client.post("/v1/jobs", data=whole_form, files={"file": ("x.tsv", raw)}).json()["id"])
    assert job["params"]["file"]["reading"] == job["summary"]["reading"] == answer["reading"]
    segments = client.get(f"/v1/jobs/{job['id']}/result").json()["segments"]
    assert [f"{row['source']}\t{row['translation']}" for row in segments] == rows
    back = client.get(f"/v1/jobs/{job['id']}/result?format=annotated").content.decode().split("\n")
    assert [line.split("\t")[2] for line in back[:-1]] == ["assay_quality"] * bool(heading) + [
        f"{row['confidence']:.4f}" for row in segments
    ]


@pytest.mark.parametrize(
    ("raw", "code", "detail"),
    [
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "unknown-format", "this is a picture (JPEG), not a translation file"),
        (b'msgid ""\nmsgstr "Content-Type: text/plain; charset=TCVN\\n"\n\nmsgid "a"\nmsgstr "\xc6"\n', "invalid-encoding", "declares the encoding TCVN, which Assay cannot read"),
        (b'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "a"\nmsgstr "\xc6"\n', "invalid-encoding", "line 5, column 9"),
    ],
)  # fmt: skip
def test_files_and_jobs_give_one_answer(client: httpx2.Client, raw: bytes, code: str, detail: str) -> None:
    form = {"kind": "quality", "params": json.dumps({"source_language": "ro", "target_language": "en"})}
    for path, data in (("/v1/files", {}), ("/v1/jobs", form)):
        answer = client.post(path, data=data, files={"file": ("x", raw)})
        assert (answer.status_code, answer.json()["type"]) == (422, f"/problems/{code}") and detail in answer.json()["detail"]


def test_a_catalogue_in_another_charset_is_scored_and_comes_back_in_it(client: httpx2.Client) -> None:
    text = 'msgid ""\nmsgstr "Language: ro\\nX-Source-Language: en\\nContent-Type: text/plain; charset=ISO-8859-2\\n"\n\nmsgid "the house"\nmsgstr "casă mare"\n'
    raw = text.encode("iso-8859-2")
    form = {"kind": "quality", "params": json.dumps({"source_language": "ro", "target_language": "en"})}
    assert client.post("/v1/files", files={"file": ("x.po", raw)}).json()["examples"] == [
        {"source": "the house", "translation": "casă mare"}
    ]
    refused = client.post("/v1/jobs", data=form, files={"file": ("x.po", raw)})
    assert "the file says English (en) → Romanian (ro)" in refused.json()["detail"]
    raw = raw.replace(b"Language: ro\\nX-Source-Language: en\\n", b"")
    job = wait_for_job(client, client.post("/v1/jobs", data=form, files={"file": ("x.po", raw)}).json()["id"])
    back = client.get(f"/v1/jobs/{job['id']}/result?format=annotated").content
    assert "casă mare".encode("iso-8859-2") in back and b"#. assay: quality" in back


def test_an_n_best_list_gets_one_more_feature(client: httpx2.Client) -> None:
    files = {"file": ("x.nbest", (SAMPLES / "moses.nbest").read_bytes()), "source": ("s", "casa este mare\nbună ziua\n".encode())}
    job = send(client, files, source_language="ro", target_language="en")
    back = client.get(f"/v1/jobs/{job['id']}/result?format=annotated").content.decode().split("\n")
    assert [line.count(" Assay= ") for line in back] == [1, 1, 1, 0]


def test_an_archive_comes_back_whole(client: httpx2.Client) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in ("omegat.tmx", "matecat.xlf"):
            archive.write(SAMPLES / name, name)
        archive.writestr("notes.bin", b"\x00\x01")
    job = send(client, {"file": ("all.zip", out.getvalue())})
    back = client.get(f"/v1/jobs/{job['id']}/result?format=annotated").content
    with zipfile.ZipFile(io.BytesIO(back)) as archive:
        assert archive.namelist() == ["omegat.tmx", "matecat.xlf", "notes.bin"]
        assert b"x-assay-quality" in archive.read("omegat.tmx") and b"mtConfidence" in archive.read("matecat.xlf")


@pytest.mark.parametrize(
    ("files", "params", "code"),
    [
        ({"file": ("x.xlf", b"<xliff version='1.2'><file></xliff>")}, {}, "invalid-document"),
        ({"file": ("x.xlf", (SAMPLES / "trados.sdlxliff").read_bytes())}, {"source_language": "en", "target_language": "de"}, "invalid-document"),
        ({"file": ("x.xlf", (SAMPLES / "xcode.xliff").read_bytes().replace(b'"de"', b'"ja"'))}, {}, "unknown-language-pair"),
        ({"file": ("x.nbest", (SAMPLES / "moses.nbest").read_bytes())}, {"source_language": "ro", "target_language": "en"}, "missing-evidence"),
        ({"file": ("x.po", b'msgid ""\nmsgstr "Language: en\\n"\n\nmsgid "a"\nmsgstr ""\n')}, {"source_language": "ro", "target_language": "en"}, "empty-input"),
        ({"file": ("x.tsv", b"Hola amigo\tBonjour mon ami\n")}, {}, "unknown-language-pair"),
        ({"file": ("x.xlf", (SAMPLES / "matecat.xlf").read_bytes())}, {"bands": BANDS[:1]}, "invalid-request"),
        ({"file": ("x.xlf", (SAMPLES / "matecat.xlf").read_bytes()), "log_probs": ("l", b"-1")}, {}, "invalid-job"),
    ],
)  # fmt: skip
def test_documents_that_are_refused(client: httpx2.Client, files: dict[str, Any], params: dict[str, Any], code: str) -> None:
    answer = client.post("/v1/jobs", data={"kind": "quality", "params": json.dumps(params)}, files=files)
    assert answer.json()["type"] == f"/problems/{code}", answer.text
    assert "amigo" not in answer.text


def test_a_job_without_a_file_cannot_be_annotated(client: httpx2.Client) -> None:
    body = {
        "kind": "quality",
        "params": {"source_language": "ro", "target_language": "en", "segments": [{"source": "a", "translation": "b"}]},
    }
    job = wait_for_job(client, client.post("/v1/jobs", json=body).json()["id"])
    answer = client.get(f"/v1/jobs/{job['id']}/result?format=annotated")
    assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid-request")


def test_bands_acceptance_warnings_and_words(client: httpx2.Client) -> None:
    body = {
        "source_language": "ro", "target_language": "en", "bands": BANDS, "warnings": True, "words": True,
        "accept": {"at_worst": 0.4, "error_rate": 0.3},
        "segments": [{"source": "Nu sunt 12 case.", "translation": "There are 21 houses."}, {"source": "Casa este mare.", "translation": "The house is big."}],
    }  # fmt: skip
    answer = client.post("/v1/quality", json=body).json()
    first, second = answer["segments"]
    assert {each["code"] for each in first["warnings"]} == {"numbers", "negation"} and second["warnings"] == []
    assert len(first["gaps"]) == len(first["words"]) + 1 and answer["word_model"] == "ro-en-words"
    # A changed number and a lost negation mislead.
    assert all(each["severity"] == "error" for each in first["warnings"]) and first["confidence"] == 0.3 < 1 - first["score"]
    assert second["confidence"] == pytest.approx(1 - second["score"])
    rows = answer["document"]["bands"]
    assert sum(row["source_words"] for row in rows) == answer["document"]["source_words"] == 7
    passing = answer["document"]["acceptance"]
    assert passing["accepted"] == sum(row["accept"] for row in answer["segments"])
    for row in answer["segments"]:
        assert row["accept"] == (passing["threshold"] is not None and row["bad_probability"] <= passing["threshold"])
    plain = client.post("/v1/quality", json={key: body[key] for key in ("source_language", "target_language", "segments")}).json()
    assert not {"words", "band", "accept", "bad_probability"} & plain["segments"][0].keys()
    refused = client.post("/v1/quality", json={**body, "bands": list(reversed(BANDS))})
    assert refused.status_code == 422 and "from the best to the worst" in refused.text


def test_rows_of_a_job_are_placed_by_the_whole_document(client: httpx2.Client) -> None:
    """The report and the annotated file say of a segment what the result says of it."""
    raw = b"source\ttranslation\nCasa este mare.\tThe house is big.\nNu sunt 12 case.\tThere are 21 houses.\n"
    params = {"source_language": "ro", "target_language": "en", "bands": "risk", "accept": {"at_worst": "90%", "error_rate": "40%"}}
    # The second one has a wrong number, which is looked for unless that is refused.
    looked_at = client.get(f"/v1/jobs/{send(client, {'file': ('a.tsv', raw)}, **params)['id']}/result").json()
    assert [row["band"] for row in looked_at["segments"]] == ["unseen", "light"]
    job = send(client, {"file": ("a.tsv", raw)}, **params, warnings=False)
    result = client.get(f"/v1/jobs/{job['id']}/result").json()
    assert [row["band"] for row in result["segments"]] == ["unseen", "unseen"] and result["document"]["total"]["paid_words"] == 0.0
    back = client.get(f"/v1/jobs/{job['id']}/result?format=annotated").content.decode()
    assert back.count("\tunseen\t") == 2
    report = client.get(f"/jobs/{job['id']}/report?show=look").text
    assert "No segment matches." in report
