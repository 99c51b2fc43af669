"""Languages over HTTP: tags in every form, the pair that answered, and keys for pairs with regions."""

import json

import httpx2
import pytest

from app.errors import InputError
from app.server.service.authentication import Caller

SEGMENTS = [{"source": "Casa este mare.", "translation": "The house is big."}]


def quality(client: httpx2.Client, source: str, target: str) -> httpx2.Response:
    return client.post("/v1/quality", json={"source_language": source, "target_language": target, "segments": SEGMENTS})


def test_a_region_changes_nothing_and_the_answer_names_the_pair(client: httpx2.Client) -> None:
    plain, tagged = quality(client, "ro", "en"), quality(client, "ro_MD", "EN-us")
    assert tagged.status_code == 200 and tagged.json() == plain.json()
    assert tagged.json()["pair"] == "ro-en"
    for verb in ("words", "features"):
        body = {"source_language": "ron", "target_language": "en-GB", "segments": SEGMENTS}
        assert client.post(f"/v1/{verb}", json=body).json()["pair"] == "ro-en", verb


@pytest.mark.parametrize(("source", "target"), [("Romanian", "english"), ("română", "Anglais"), ("罗马尼亚语", " ENGLISH ")])
def test_names_of_languages_stand_for_their_tags(client: httpx2.Client, source: str, target: str) -> None:
    assert quality(client, source, target).json()["pair"] == "ro-en"
    languages = {"source_language": source, "target_language": target}
    texts = {"source": b"Casa este mare.\n", "translation": b"The house is big.\n"}
    form = client.post("/v1/jobs", data={"kind": "quality", "params": json.dumps(languages)}, files=texts)
    body = client.post("/v1/jobs", json={"kind": "quality", "params": {**languages, "segments": SEGMENTS}})
    for job in (form, body):
        assert job.status_code == 202, job.text
        params = job.json()["params"]
        assert (params["source_language"], params["target_language"]) == ("ro", "en")


@pytest.mark.parametrize(
    ("source", "target", "code", "told"),
    [
        (
            "rumanisch",
            "en",
            "invalid-request",
            "BCP 47 tag, such as 'en', 'en-US', 'zh-Hant' or 'sr-Latn-RS', or as its English or",
        ),
        ("und", "en", "invalid-request", "BCP 47 tag"),
        ("en-US", "en-GB", "unknown-language-pair", "a pair needs two languages, and this one has English twice"),
        ("fr-CA", "en", "unknown-language-pair", "ro-en"),
    ],
)
def test_other_languages_are_refused_with_what_is_accepted(
    client: httpx2.Client, source: str, target: str, code: str, told: str
) -> None:
    answer = quality(client, source, target)
    assert answer.status_code == 422
    problem = answer.json()
    assert problem["type"].endswith(code)
    assert told in problem["detail"]


def test_a_file_says_its_tags_and_the_pair_that_answers(client: httpx2.Client) -> None:
    po = 'msgid ""\nmsgstr "X-Source-Language: ro_RO\\nLanguage: en@quot\\n"\n\nmsgid "Casa este mare."\nmsgstr "The house is big."\n'
    about = client.post("/v1/files", files={"file": ("a.po", po.encode())}).json()
    assert (about["source_language"], about["target_language"], about["pair"], about["guessed"]) == ("ro-RO", "en", "ro-en", False)


def test_keys_are_for_pairs_whatever_their_regions() -> None:
    caller = Caller("ana", "ana", frozenset({"quality"}), frozenset({"ro-en", "en:pt-BR"}))
    for allowed in (("ro", "en"), ("ro-MD", "en-US"), ("en", "pt-BR"), ("en-US", "pt-BR"), ("en", "pt")):
        caller.check_pair(*allowed)
    for other in (("en", "pt-PT"), ("en", "ro"), ("ro", "de"), ("", ""), ("None", "None"), ("ro", "ro")):
        with pytest.raises(InputError, match="this key is for en:pt-BR, ro-en"):
            caller.check_pair(*other)
