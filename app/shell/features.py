"""`assay features`: values of features, and what features there are."""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.answers import features_answer
from app.errors import InputError
from app.features import CATALOGUE, FeatureSet, exact_set, feature_set, feature_sets
from app.features.quest_files import read_quest_features
from app.shell.inputs import read_pairs
from app.shell.output import Format, print_json, print_rows, say
from app.shell.segments import (
    PAIR_FILES,
    BackTranslations,
    LogProbs,
    NBest,
    PseudoReferences,
    Tokens,
    request_body,
    segments_of,
    with_side_information,
)
from app.shell.serving import Form, Server
from app.shell.session import call_server, engine_here, settings_here

__all__ = ["register"]

DEFAULT = "quest-baseline-17"


def features(
    files: Annotated[list[str] | None, typer.Argument(help=PAIR_FILES)] = None,
    pair: Annotated[str | None, typer.Option(help="Language pair, as ro-en.")] = None,
    set_name: Annotated[
        str | None,
        typer.Option("--feature-set", help=f"Name of a feature set, or a feature file of QuEst (.xml); {DEFAULT} otherwise."),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the features, of all or of the named set, and end.")] = False,
    sets: Annotated[bool, typer.Option("--sets", help="List the feature sets and end.")] = False,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    n_best: NBest = None,
    pseudo_references: PseudoReferences = None,
    back_translations: BackTranslations = None,
    server: Server = None,
    form: Form = Format.TSV,
) -> None:
    """Compute the features of every segment, or list what there is."""
    if listing or sets:
        print_rows(_set_rows() if sets else _feature_rows(set_name), form)
        return
    if pair is None or not files:
        raise InputError("invalid-request", "give files and --pair, or --list, or --sets")
    sent = segments_of(pair, read_pairs(files, log_probs, settings_here().max_segment_characters, tokens))
    sent = with_side_information(sent, n_best, pseudo_references, back_translations)
    wanted = _wanted(set_name or DEFAULT)
    if server:
        asked: dict[str, Any] = {"feature_set": wanted.name}
        if wanted.name not in feature_sets():
            asked = {"features": [feature.id for feature in wanted.features]}
        answer = call_server(server, "POST", "/v1/features", request_body(sent, **asked))
    else:
        answer = features_answer(engine_here().features(sent, wanted))
    _print(answer, form)


def _wanted(name: str) -> FeatureSet:
    if not name.endswith(".xml"):
        return feature_set(name)
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        raise InputError("invalid-request", f"{name}: {error.strerror or 'cannot be read'}") from None
    known, unknown = read_quest_features(content)
    if unknown:
        say(f"not known here and left out: {', '.join(unknown)}")
    return exact_set(Path(name).name, known)


def _print(answer: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        print_json(answer)
        return
    names = [feature["id"] for feature in answer["features"]]
    print_rows([dict(zip(names, row, strict=True)) for row in answer["values"]], form)
    for reason in dict.fromkeys(each["reason"] for each in answer["left_out"]):
        left_out = [each["id"] for each in answer["left_out"] if each["reason"] == reason]
        say(f"left out, {reason}: {', '.join(left_out)}")


def _feature_rows(set_name: str | None) -> list[dict[str, Any]]:
    listed = CATALOGUE.values() if set_name is None else _wanted(set_name).features
    return [
        {
            "id": each.id,
            "name": each.name,
            "level": each.level.value,
            "family": each.family.value,
            "needs": ", ".join(map(str, each.needs)) or "-",
            "description": each.description,
            "source": each.source,
        }
        for each in listed
    ]


def _set_rows() -> list[dict[str, Any]]:
    return [
        {
            "name": each.name,
            "features": len(each.features),
            "needs": ", ".join(map(str, each.needs)) or "-",
            "description": each.description,
        }
        for each in feature_sets().values()
    ]


def register(program: typer.Typer) -> None:
    """Add the command."""
    program.command()(features)
