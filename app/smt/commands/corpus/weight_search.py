"""`assay smt search-weights`: weights of corpora and powers of scores by what they are worth in translation."""

import json
from contextlib import ExitStack
from pathlib import Path

from app.building.writing import file_aside
from app.shell.output import json_text, say
from app.smt.commands.options.corpus.weight_search import SearchWeightsOptions
from app.smt.corpus.weighting.columns import by_name
from app.smt.corpus.weighting.outer_loop import LARGEST_POWER, Trial, search_weights
from app.smt.corpus.weighting.sentence_weights import DEFAULT_POWER, read_table
from app.smt.decoder.weighting.weighted_system import WeightedSystem
from app.text.reading.lines import TextFile

__all__ = ["search"]


def search(options: SearchWeightsOptions) -> None:
    """Search for weights of corpora and powers of scores that translate held-out text best."""
    pairs = read_table(options.pair_scores)
    system = WeightedSystem(
        options.extracted, pairs, options.config, _lines(options.source), _lines(options.reference), options.metric
    )
    begin = dict(zip(pairs.labels.names, pairs.corpora.tolist(), strict=True))
    powers = {
        **dict.fromkeys(pairs.scores, DEFAULT_POWER),
        **by_name(options.power or (), tuple(pairs.scores), "--power", LARGEST_POWER),
    }
    search_result = search_weights(system.worth, begin, powers, options.trials, on_trial=_say)
    with file_aside(options.out) as temporary:
        answer = {
            "best": vars(search_result.best),
            "start": vars(search_result.trials[0]),
            "trials": [vars(trial) for trial in search_result.trials],
        }
        temporary.write_text(json_text(answer) + "\n", "utf-8")
    if options.table is not None:
        system.weigher(search_result.best.corpora, search_result.best.powers).pairs.write(options.table)
    print(json.dumps({"best": vars(search_result.best), "start": vars(search_result.trials[0])}))


def _say(trial: Trial) -> None:
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in {**trial.corpora, **trial.powers}.items())
    say(f"{trial.worth:.3f}: {numbers}")


def _lines(path: Path) -> list[str]:
    with ExitStack() as stack:
        return list(TextFile(path.name, stack.enter_context(path.open("rb"))).lines())
