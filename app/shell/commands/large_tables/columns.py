"""Columns of quality, ranks, words and features beside those of files."""

from collections.abc import Sequence
from typing import Any, Final

from app.errors import InputError
from app.shell.commands.large_tables.runs import named_columns, refuse_others, run_shards, say_summary
from app.shell.options.features import FeaturesOptions
from app.shell.options.large_tables import LargeTableOptions
from app.shell.options.quality import QualityOptions, WordsOptions
from app.shell.options.ranking import RankOptions
from app.text.reading.column_names import SOURCE, TRANSLATION

__all__ = ["check_pair", "text_columns", "write_features", "write_quality", "write_ranks", "write_words"]

TEXTS: Final = (SOURCE, TRANSLATION)
RESULT: Final = "result"


def write_quality(options: QualityOptions) -> None:
    """Write columns of quality beside those of the files."""
    from app.scale import Scorer

    refuse_others(options, {"files", "pair", "model", "label", "profile", "interval", "quiet"})
    interval = {} if options.interval is None else {"interval": options.interval}
    about = {"label": options.label, "profile": options.profile, **interval}
    _write_pairs(Scorer, options, options.files, "assay_quality", about)


def write_features(options: FeaturesOptions) -> None:
    """Write columns of features beside those of the files."""
    from app.scale import Features

    refuse_others(options, {"files", "pair", "model", "set_name"})
    about = {} if options.set_name is None else {"feature_set": options.set_name}
    _write_pairs(Features, options, options.files or [], "assay", about)


def write_words(options: WordsOptions) -> None:
    """Write columns of words with their tags beside those of the files."""
    from app.scale import Words

    refuse_others(options, {"files", "pair", "model"})
    _write_pairs(Words, options, options.files, "assay", {})


def write_ranks(options: RankOptions) -> None:
    """Write a column of scores for each system, and the best system of each row."""
    from app.scale import Ranking
    from app.scale.files.shards import shards_of

    refuse_others(options, {"source", "systems", "pair", "model", "label", "profile", "quiet"})
    if options.model is not None and len(options.model) > 1:
        raise InputError("invalid-request", "one model compares the systems of a table", ("--model",))
    columns = named_columns(options.columns)
    systems = {role: name for role, name in columns if role not in ("source", RESULT)}
    sources = [name for role, name in columns if role == "source"]
    if not sources or len(systems) < 2:
        detail = "name the columns of the source and of systems, as --columns source=src,A=mt_a,B=mt_b"
        raise InputError("invalid-request", detail, ("--columns",))
    check_pair(options)
    shards = shards_of([options.source, *(options.systems or [])])
    work = Ranking(
        model=options.model[0] if options.model else None,
        pair=options.pair,
        label=options.label,
        profile=options.profile,
        src=sources[0],
        systems=systems,
        out=dict(columns).get(RESULT, "assay"),
    )
    _write(work, shards, options)


def check_pair(options: Any) -> None:
    """InputError without a pair and a model: a table of any size is not read for its languages."""
    if options.pair is None and not options.model:
        raise InputError("invalid-request", "name the language pair, as --pair ro-en, or a model of one with --model", ("--pair",))


def text_columns(shards: Sequence[Any], spec: str | None) -> tuple[str, str, str | None]:
    """Columns of source, translation and result: as in --columns, else texts by the usual names in the first file with them."""

    columns = dict(named_columns(spec))
    unknown = next((role for role in columns if role not in (*TEXTS, RESULT)), None)
    if unknown is not None:
        raise InputError(
            "invalid-request", f"{unknown} is no role; roles are source, translation, result, as source=src", ("--columns",)
        )
    fault = None
    for shard in shards if _usual(spec) else ():
        # Files have many shards.
        if shard.number:
            continue
        try:
            texts = {**_usual_texts(shard, _usual(spec)), **columns}
        except InputError as error:
            fault = fault or error
        else:
            return texts[SOURCE], texts[TRANSLATION], columns.get(RESULT)
    if fault is not None:
        raise fault
    return columns[SOURCE], columns[TRANSLATION], columns.get(RESULT)


def _usual(spec: str | None) -> tuple[str, ...]:
    """Roles of texts that --columns does not name."""
    return tuple(role for role in TEXTS if role not in dict(named_columns(spec)))


def _usual_texts(shard: Any, roles: Sequence[str]) -> dict[str, str]:
    """Columns of roles by their usual names in the file of a shard; InputError if it has none, or cannot be read."""
    from app.scale.files.reading import columns_in
    from app.scale.pair_columns import usual_columns

    names = columns_in(shard)
    usual = usual_columns(names)
    missing = next((role for role in roles if role not in usual), None)
    if missing is not None:
        detail = f"no column is a {missing} by its name; columns are {', '.join(names)}; write --columns {missing}=COLUMN"
        raise InputError("invalid-table", detail, ("--columns",))
    return {role: usual[role] for role in roles}


def _write_pairs(kind: Any, options: Any, files: Sequence[str], out: str, about: dict[str, Any]) -> None:
    from app.scale.files.shards import shards_of

    check_pair(options)
    shards = shards_of(files)
    source, translation, result = text_columns(shards, options.columns)
    work = kind(model=options.model, pair=options.pair, src=source, mt=translation, out=result or out, **about)
    _write(work, shards, options, _usual(options.columns))


def _write(work: Any, shards: Sequence[Any], options: LargeTableOptions, usual: tuple[str, ...] = ()) -> None:
    from app.scale.runs import ColumnsTask

    out = str(options.out).rstrip("/")
    kind = f".{options.out_format}" if options.out_format else ""
    summary = run_shards(ColumnsTask(work, out, kind, usual), shards, options)
    say_summary(summary, options, f"; column {work.errors} has the reasons")
