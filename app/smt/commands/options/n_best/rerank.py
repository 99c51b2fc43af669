"""Options of `assay nbest rerank`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LANGUAGE_MODELS, LEXICAL_TABLES, LOCAL_MACHINE, PLAIN_TEXT, InFile, OutFile
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Profile, Server, number
from app.smt.commands.options.n_best.tuning import Missing, MissingWeights

__all__ = ["RerankOptions"]

resource = partial(option, panel="Resources of features")


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class RerankOptions:
    """Options of `assay nbest rerank`."""

    files: Annotated[list[str], argument(help="N-best lists (- is stdin); several are merged."), InFile()]
    weights: Annotated[
        list[str] | None, option("--weights", "-w", help="Weights (JSON, Moses, tune-local); several vote."), InFile()
    ] = None
    missing_weights: MissingWeights = Missing.REFUSED
    features: Annotated[
        list[str] | None, option(help="Feature or set to compute, as np or posteriors. Repeatable."), PLAIN_TEXT
    ] = None
    source: Annotated[str | None, option("--source", "-s", help="Source texts, one per line."), InFile()] = None
    pair: Annotated[str | None, resource(help="Language pair of loaded resources, as en-de."), LOCAL_MACHINE] = None
    model: Annotated[str | None, resource(help="Model id, for features of quality."), LOCAL_MACHINE] = None
    label: Annotated[str | None, resource(help="Label of features of quality, as hter."), LOCAL_MACHINE] = None
    profile: Annotated[Profile, LOCAL_MACHINE] = None
    lm: Annotated[list[Path] | None, resource(help="Language model. Repeat for other orders."), InFile(makers=LANGUAGE_MODELS)] = (
        None
    )
    tag_lm: Annotated[
        list[Path] | None, resource(help="Language model of parts of speech. Repeatable."), InFile(makers=LANGUAGE_MODELS)
    ] = None
    tagger: Annotated[Path | None, resource(help="UDPipe model that tags hypotheses."), InFile(), LOCAL_MACHINE] = None
    table: Annotated[Path | None, resource(help="Lexical table p(target / source)."), InFile(makers=LEXICAL_TABLES)] = None
    reverse_table: Annotated[Path | None, resource(help="Lexical table p(source / target)."), InFile(makers=LEXICAL_TABLES)] = None
    lexicon: Annotated[
        Path | None, resource(help="Word lexicon, for the feature dwl."), InFile(makers=frozenset({"resources word-lexicon"}))
    ] = None
    neural: Annotated[
        Path | None,
        resource(help="Translation model, for the feature neural."),
        InFile(makers=frozenset({"resources translation-model"})),
    ] = None
    continuous_space: Annotated[
        Path | None,
        resource(help="Continuous-space model, for the feature cslm."),
        InFile(makers=frozenset({"resources continuous-space-model"})),
    ] = None
    cased: Annotated[bool, resource("--cased", help="Resources have capital letters.")] = False
    distinct: Annotated[bool, option(help="Keep only the first hypothesis of each text.")] = False
    mbr: Annotated[str | None, option(help="Metric: choose by its expected score."), PLAIN_TEXT] = None
    scale: Annotated[float, number(about="Scale of weighted sums to log-probabilities.", low=0, high=1000)] = 1.0
    top: Annotated[int, option(min=1, max=1000, help="Hypotheses of each list in the answer.")] = 1
    references: Annotated[
        list[str] | None, option("--reference", "-r", help="Reference file, or NAME=FILE, for measuring. Repeatable."), InFile()
    ] = None
    metric: Annotated[str | None, option("--metric", "-m", help="Metric against references; default bleu."), PLAIN_TEXT] = None
    changes: Annotated[bool, option(help="Print a row per changed list, with the reasons.")] = False
    write_features: Annotated[Path | None, option(help="Output: the lists with all features."), OutFile()] = None
    server: Annotated[Server, LOCAL_MACHINE] = None
    form: Annotated[Format, option("--format", "-f", help="Form of the answer.")] = Format.TEXT
