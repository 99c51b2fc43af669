"""`assay search-weights`: weights of corpora and powers of scores by what they are worth in translation."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from app.building.writing import file_aside
from app.errors import InputError
from app.shell.output import check_file, json_text, say
from app.smt.corpus.weighting.columns import by_name
from app.smt.corpus.weighting.outer_loop import LARGEST_POWER, Trial, search_weights
from app.smt.corpus.weighting.sentence_weights import DEFAULT_POWER, read_table
from app.smt.decoder.weighting.weighted_system import WeightedSystem
from app.text.reading.lines import TextFile

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command("search-weights")
def search(
    extracted: Annotated[Path, typer.Argument(help="Folder that assay extract --numbered wrote.")],
    pair_scores: Annotated[Path, typer.Option(help="Table of assay weight --table; its weights are where the search begins.")],
    config: Annotated[Path, typer.Option(help="The system: a moses.ini with one phrase table, in whose place others are put.")],
    source: Annotated[Path, typer.Option(help="Text to translate, tokenised as the system's.")],
    reference: Annotated[Path, typer.Option(help="Its translation.")],
    out: Annotated[Path, typer.Option(help="Write the best weights, and all that were tried, as JSON.")],
    power: Annotated[
        list[str] | None, typer.Option(help=f"Power to begin with, as recency=0.5; {DEFAULT_POWER} for others.")
    ] = None,
    metric: Annotated[str, typer.Option(help="Metric of what weights are worth.")] = "bleu",
    trials: Annotated[int, typer.Option(min=1, help="Most weights to try.")] = 40,
    table: Annotated[Path | None, typer.Option(help="Write the table of scores with the best weights.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")] = False,
) -> None:
    """Search for weights of corpora and powers of scores that translate held-out text best."""
    for path, option in ((out, "--out"), (table, "--table")):
        if path is not None:
            check_file(path, option)
            if path.exists() and not replace:
                raise InputError("invalid-request", f"{path} is there already; --replace writes another in its place", (option,))
    pairs = read_table(pair_scores)
    system = WeightedSystem(extracted, pairs, config, _lines(source), _lines(reference), metric)
    begin = dict(zip(pairs.labels.names, pairs.corpora.tolist(), strict=True))
    powers = {**dict.fromkeys(pairs.scores, DEFAULT_POWER), **by_name(power or (), tuple(pairs.scores), "--power", LARGEST_POWER)}
    made = search_weights(system.worth, begin, powers, trials, on_trial=_say)
    with file_aside(out) as aside:
        answer = {"best": vars(made.best), "start": vars(made.trials[0]), "trials": [vars(trial) for trial in made.trials]}
        aside.write_text(json_text(answer) + "\n", "utf-8")
    if table is not None:
        system.weigher(made.best.corpora, made.best.powers).pairs.write(table)
    print(json.dumps({"best": vars(made.best), "start": vars(made.trials[0])}))


def _say(trial: Trial) -> None:
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in {**trial.corpora, **trial.powers}.items())
    say(f"{trial.worth:.3f}: {numbers}")


def _lines(path: Path) -> list[str]:
    with ExitStack() as stack:
        return list(TextFile(path.name, stack.enter_context(path.open("rb"))).lines())
