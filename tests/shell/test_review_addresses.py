"""Addresses of lines on the platform of a job."""

import pytest

from app.shell.review.platform import line_address
from tests.shell.test_review import Assay, assay, checkout, write

__all__ = ["assay", "checkout"]

COMMIT = "0123456789abcdef0123456789abcdef01234567"
GITHUB = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "octo/app", "GITHUB_SHA": COMMIT}
GITLAB = {"CI_PROJECT_URL": "https://gitlab.example.org/group/deep/app", "CI_COMMIT_SHA": COMMIT}


@pytest.fixture(autouse=True)
def _no_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*GITHUB, *GITLAB):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("variables", "path", "address"),
    [
        ({}, "de.json", None),
        (GITHUB, "l/de.json", f"https://github.com/octo/app/blob/{COMMIT}/l/de.json#L3"),
        (GITHUB, "de/a b(1).md", f"https://github.com/octo/app/blob/{COMMIT}/de/a%20b%281%29.md?plain=1#L3"),
        (GITLAB, "l/de.json", f"https://gitlab.example.org/group/deep/app/-/blob/{COMMIT}/l/de.json#L3"),
        ({**GITHUB, "GITHUB_SHA": "x) [a](b"}, "de.json", None),
        ({**GITHUB, "GITHUB_REPOSITORY": "a b"}, "de.json", None),
        ({**GITLAB, "CI_PROJECT_URL": "javascript:alert(1)"}, "de.json", None),
    ],
)
def test_addresses_are_those_of_the_commit(
    variables: dict[str, str], path: str, address: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert line_address(path, 3) == address


def test_places_of_a_comment_are_links(checkout: object, assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in GITHUB.items():
        monkeypatch.setenv(name, value)
    write(checkout, en={"a": "Hello {name}"}, de={"a": "Hallo"})  # type: ignore[arg-type]
    _, out, _ = assay(["review", "--no-predict", "--format", "markdown"])
    assert f"[`locales/de.json:2`](https://github.com/octo/app/blob/{COMMIT}/locales/de.json#L2)" in out
