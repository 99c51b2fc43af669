"""`assay features`: values of features, and what features there are."""

from pathlib import Path
from typing import Any

from app.errors import InputError
from app.features import exact_set, feature_set
from app.features.neural import NEURAL
from app.features.quest_files import read_quest_features
from app.operations.features import FeaturesRequest, operation
from app.operations.resources import features_catalogue
from app.resources.checkpoints import Checkpoints
from app.shell.commands.large_tables.columns import write_features
from app.shell.commands.large_tables.runs import writes_files
from app.shell.declaration.forms import Format
from app.shell.here import settings_here
from app.shell.inputs import read_file_bytes, read_lines
from app.shell.languages import languages_of
from app.shell.options.features import FeaturesOptions
from app.shell.output import print_json, print_rows, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.segments import decoder_columns, read_pairs, segments_of
from app.shell.there import calling

__all__ = ["features"]

USUAL = FeaturesRequest.model_fields["feature_set"].default


def features(options: FeaturesOptions) -> None:
    """Compute the features of every segment, or list the known features or sets."""
    if options.listing or options.sets:
        rows = (
            _set_rows(_catalogue(options.server)) if options.sets else _feature_rows(_catalogue(options.server), options.set_name)
        )
        if options.form is Format.JSON:
            print_json({"sets" if options.sets else "features": rows})
        else:
            print_rows(rows, options.form)
        return
    if writes_files(options):
        write_features(options)
        return
    if not options.files:
        raise InputError("invalid-request", "give files, or --list, or --sets")
    table = read_pairs(options.files, options.log_probs, options.tokens, options.header, options.pair)
    segments = segments_of(
        table,
        **decoder_columns(options),
        pseudo_references=_side_by_side(options.pseudo_references) if options.pseudo_references else None,
        back_translation=read_lines(options.back_translations) if options.back_translations else None,
    )
    about = {
        **languages_of(table, options.pair, options.server),
        **_feature_choice(options.set_name),
        "model": options.model,
        "distribution": options.distribution or None,
        "from_systems": options.from_systems,
    }
    request = make_request(FeaturesRequest, **about, segments=segments)
    _print(answer_to(operation, request, options.server), options.form)


def _side_by_side(paths: list[str]) -> list[list[str]]:
    """For each segment, its line in every file."""
    columns = [read_lines(path) for path in paths]
    for path, column in zip(paths, columns, strict=True):
        if len(column) != len(columns[0]):
            raise InputError("unequal-lengths", f"{path} has {len(column)} lines, {paths[0]} has {len(columns[0])}")
    return [list(row) for row in zip(*columns, strict=True)]


def _feature_choice(name: str | None) -> dict[str, Any]:
    """A feature set by name, or the features that a file of QuEst lists."""
    if name is None or not name.endswith(".xml"):
        return {"feature_set": name}
    features, unknown = read_quest_features(read_file_bytes(name))
    if unknown:
        say(f"not known here and left out: {', '.join(unknown)}")
    return {"features": [feature.id for feature in exact_set(Path(name).name, features).features]}


def _print(answer: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        print_json(answer)
        return
    names = [feature["id"] for feature in answer["features"]]
    if "distribution" in answer:
        print_rows(_places(answer), form)
        say(f"training distribution of {answer['model']}")
    else:
        print_rows([dict(zip(names, row, strict=True)) for row in answer["values"]], form)
    for reason in dict.fromkeys(entry["reason"] for entry in answer["left_out"]):
        ids = [entry["id"] for entry in answer["left_out"] if entry["reason"] == reason]
        say(f"left out, {reason}: {', '.join(ids)}")


def _places(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each value, with its place in the training distribution; empty cells for features that the predictor lacks."""
    rows = []
    for number, values in enumerate(zip(answer["values"], answer["percentiles"], answer["deviations"], strict=True), 1):
        for feature, value, percentile, deviation in zip(answer["features"], *values, strict=True):
            place = {name: "" if part is None else part for name, part in (("percentile", percentile), ("deviation", deviation))}
            rows.append({"segment": number, "feature": feature["id"], "name": feature["name"], "value": value, **place})
    return rows


def _catalogue(server: str | None) -> Any:
    """Features and their sets, those of this program or of a server, which may have others installed."""
    if server is None:
        return features_catalogue(Checkpoints(settings_here().checkpoints))
    with calling(server) as client:
        return client.features_catalogue()


def _feature_rows(catalogue: Any, set_name: str | None) -> list[dict[str, Any]]:
    features = catalogue["features"]
    if set_name is not None:
        feature_ids = _feature_choice(set_name).get("features") or next(
            (row["features"] for row in catalogue["sets"] if row["name"] == set_name), None
        )
        by_id = {row["id"]: row for row in features}
        if feature_ids is None and NEURAL in set_name:
            feature_ids = [feature.id for feature in feature_set(set_name).features]
        if feature_ids is None or not by_id.keys() >= set(feature_ids):
            names = ", ".join(row["name"] for row in catalogue["sets"])
            neural = ", ".join(name for name in by_id if name.startswith(NEURAL)) or "none"
            raise InputError(
                "unknown-feature-set", f"feature sets are {names}; of checkpoints there are {neural}", ("feature_set",)
            )
        features = [by_id[name] for name in feature_ids]
    return [
        {
            "id": row["id"],
            "name": row["name"],
            "level": row["level"],
            "family": row["family"],
            "needs": ", ".join(row["needs"]) or "-",
            "description": row["description"],
            "source": row["source"],
        }
        for row in features
    ]


def _set_rows(catalogue: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": row["name"],
            "features": len(row["features"]),
            "needs": ", ".join(row["needs"]) or "-",
            "description": row["description"],
        }
        for row in catalogue["sets"]
    ]
