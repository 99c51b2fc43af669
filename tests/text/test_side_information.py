"""Side information: every kind by the same rules."""

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError, create_model

from app.errors import InputError
from app.features import NEEDS, Resource, refusal
from app.text.side_information import (
    KINDS,
    Kind,
    SideInformation,
    check_side_information,
    kinds_in,
    kinds_of_files,
    read_side_information,
    segment_fields,
)
from app.text.side_information.kinds import N_BEST, TOKEN_LOG_PROBS, TOKENS

VALUES: dict[str, list[Any]] = {
    "tokens": [["a", "▁b"], ["c"], []],
    "token_log_probs": [[-0.5, -1.0], [-0.25], [-2.0]],
    "token_entropies": [[0.5, 1.0], [0.25], [2.0]],
    "passes": [[[-0.5], [-1.0]], [[-0.25]], []],
    "samples": [["a", "b"], [], ["c"]],
    "n_best": [[{"text": "a", "score": -1.0, "features": {"d": [1.0]}}], [], [{"text": "b", "score": 0.0, "features": {}}]],
    "search": [{"nodes": 4.0}, {}, {"pruned": 1.0}],
    "pseudo_references": [["a"], ["b"], ["c"]],
    "back_translations": ["a", "", "c"],
    "source_trees": ["(S (NP (PRP a)))", "()", "(X b)"],
    "translation_trees": ["(S (VP (VB a)))", "()", "(X b)"],
}


def test_every_kind_has_values_here_and_names_of_its_own() -> None:
    assert [kind.name for kind in KINDS] == list(VALUES)
    for names in ([kind.name for kind in KINDS], [kind.request_field for kind in KINDS], [kind.need for kind in KINDS]):
        assert len(set(names)) == len(KINDS)
    assert (*Resource, *KINDS) == NEEDS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_columns_are_written_cut_and_joined(kind: Kind[Any]) -> None:
    whole = SideInformation(**{kind.name: VALUES[kind.name]})
    written = json.loads(json.dumps(whole.as_json()))
    assert written == {kind.name: VALUES[kind.name]}
    assert SideInformation.from_json({**written, "sources": []}).as_json() == whole.as_json()
    parts = [whole.rows(slice(0, 1)), whole.rows(np.array([1, 2]))]
    assert SideInformation.joined(parts).as_json() == whole.as_json()
    assert whole.rows([2, 0]).as_json() == {kind.name: [whole.as_json()[kind.name][2], whole.as_json()[kind.name][0]]}
    assert whole.kinds == kinds_in(whole.columns()) == {kind}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_requests_hold_every_kind_for_all_segments_or_none(kind: Kind[Any]) -> None:
    body = create_model("Body", __config__=ConfigDict(extra="forbid", strict=True), **segment_fields())  # type: ignore[call-overload]
    rows = [body.model_validate_json(json.dumps({kind.request_field: value})) for value in VALUES[kind.name]]
    assert check_side_information(rows, 100).as_json() == SideInformation(**{kind.name: VALUES[kind.name]}).as_json()
    assert not check_side_information([body(), body()], 100)
    with pytest.raises(InputError) as caught:
        check_side_information([rows[0], body()], 100)
    assert (caught.value.code, caught.value.where) == (kind.code, ("segments", 1, kind.request_field))
    assert refusal(kind).code == kind.code
    with pytest.raises(ValidationError):
        body.model_validate({kind.request_field: object()})


def test_entries_of_lists_are_strict() -> None:
    entry: TypeAdapter[Any] = TypeAdapter(N_BEST.annotation)
    assert entry.validate_json('[{"text": "a", "score": 1}]') == [{"text": "a", "score": 1.0}]
    for wrong in (
        '[{"text": "a"}]',
        '[{"text": "a", "score": "1"}]',
        '[{"text": "a", "score": 1, "more": 1}]',
        '[{"text": 1, "score": 1}]',
    ):
        with pytest.raises(ValidationError):
            entry.validate_json(wrong)


def test_tables_hold_numbers_and_tokens() -> None:
    columns = {"source": ["x", "y"], "token_log_probs": ["-1 -2.5", "-3"], "tokens": ["a b", "c"]}
    read = read_side_information(columns, 100)
    assert read.get(TOKEN_LOG_PROBS) == ((-1.0, -2.5), (-3.0,))
    assert read.get(TOKENS) == (("a", "b"), ("c",))
    assert read.names == ("tokens", "token_log_probs")
    assert kinds_of_files() == {"tokens": TOKENS, "log_probs": TOKEN_LOG_PROBS}
    for cell, code, place in (("x", "invalid-table", ()), ("1", "log-prob-mismatch", (0,)), ("", "log-prob-mismatch", ())):
        with pytest.raises(InputError) as caught:
            read_side_information({"token_log_probs": ["-1", cell]}, 100, first=5)
        assert (caught.value.code, caught.value.where) == (code, ("segments", 6, "token_log_probs", *place))


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(TypeError, match="hope"):
        SideInformation(hope=[1])
    assert not SideInformation(tokens=None)
    assert check_side_information([SimpleNamespace()], 10).kinds == frozenset()
