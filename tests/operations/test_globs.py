"""Patterns of ignored findings, against `fnmatch`, and within a deadline."""

from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.errors import InputError
from app.operations.review import operation
from app.operations.review.globs import Glob
from app.running.deadline import Deadline, until

PATTERNS = st.text(alphabet="ab*?.[]!-\n\\", max_size=12)
HOSTILE = "*" + "a?" * 490 + "b"


@given(PATTERNS, st.text(alphabet="ab.]\n-!", max_size=14))
@example("a*a", "a")
@example("*[*]*", "a*b")
@example("***", "")
@example("[z-a]", "b")
@example("[!]]", "a")
def test_patterns_mean_those_of_fnmatch(pattern: str, text: str) -> None:
    assert Glob(pattern).matches(text) is fnmatchcase(text, pattern)


@given(st.lists(st.sampled_from("ab?*"), max_size=8).map("".join), st.text(alphabet="ab", max_size=30))
def test_stars_and_letters_mean_those_of_fnmatch(pattern: str, text: str) -> None:
    assert Glob(pattern).matches(text) is fnmatchcase(text, pattern)


def test_windows_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.operations.review.globs.WINDOW", 3)
    for place in range(12):
        text = "x" * place + "abc" + "x" * 5
        assert Glob("*a?c*x").matches(text) and not Glob("*a?d*").matches(text)


def test_a_pattern_ends_with_its_deadline() -> None:
    deadline = Deadline(0.05)
    with until(deadline), pytest.raises(InputError, match=r"longer than 0\.05 s"):
        Glob(f"{HOSTILE}*").matches("a" * 10_000_000)


def test_rules_of_a_review_end_with_its_deadline(engine: Any) -> None:
    key = "a" * 50_000
    files = [{"path": "en.json", "text": f'{{"{key}": "{{x}} b"}}'}, {"path": "de.json", "text": f'{{"{key}": "c"}}'}]
    rules = [{"key": f"{HOSTILE}{number}*", "reason": "x"} for number in range(1000)]
    request = operation.request.model_validate({"files": files, "predict": False, "ignore": rules})
    request.file_strings()
    assert operation.answer is not None
    with until(Deadline(1.0)), pytest.raises(InputError, match="longer than 1 s"):
        operation.answer(engine, request)
