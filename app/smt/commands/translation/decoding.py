"""`assay decode`: translate by a phrase-based system that a moses.ini describes."""

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from app.building.writing import text_aside
from app.errors import InputError
from app.shell.output import say
from app.smt.commands.translation.decoder_input import phrases_of_text, sentences
from app.smt.commands.translation.decoder_outputs import check_list_length, check_outputs, files_of
from app.smt.commands.translation.moses_flags import options_from_flags
from app.smt.decoder.decoder import Decoder, Translations
from app.smt.decoder.derivation import Derivation
from app.smt.decoder.graphs.agreement import Agreement
from app.smt.decoder.graphs.oracle import Oracle, find_oracle
from app.smt.decoder.graphs.reach import Reach
from app.smt.decoder.graphs.search_graph import search_graph as graph_of
from app.smt.decoder.graphs.search_graph import search_graph_lines
from app.smt.decoder.markup.marks import Use
from app.smt.decoder.moses_ini import read_moses_ini
from app.smt.decoder.n_best_lines import n_best_lines, trace_of
from app.smt.decoder.system import load_system

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


class _MosesCommand(TyperCommand):
    """Takes Moses' flags too."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, options_from_flags(args))


@commands.command(cls=_MosesCommand)
def decode(
    config: Annotated[Path, typer.Option(help="The system: a moses.ini.")],
    text: Annotated[str, typer.Argument(help="Tokenised text, a sentence a line; - is stdin.")] = "-",
    n_best: Annotated[
        tuple[Path, int] | None,
        typer.Option(metavar="FILE N", help="Write the N best derivations of each sentence."),
    ] = None,
    distinct: Annotated[bool, typer.Option("--distinct", help="N best translations, each by its best derivation.")] = False,
    stack: Annotated[int | None, typer.Option(help="Hypotheses a stack; as the configuration says otherwise.")] = None,
    distortion_limit: Annotated[int | None, typer.Option(help="Longest jump in words, -1 for any.")] = None,
    beam_threshold: Annotated[float | None, typer.Option(help="Share of the best hypothesis's probability; 0 for none.")] = None,
    segmentation: Annotated[bool, typer.Option("--segmentation", help="Print the source span behind each phrase.")] = False,
    needed: Annotated[
        Path | None,
        typer.Option(help="Translations to reach, a line a sentence (forced decoding)."),
    ] = None,
    needed_begin: Annotated[Path | None, typer.Option(help="How translations are to begin, a line a sentence.")] = None,
    oracle: Annotated[
        list[Path] | None,
        typer.Option(help="Print the derivation that is closest to these references in place of the best; repeat for more."),
    ] = None,
    xml_input: Annotated[Use, typer.Option(help="What translations in markup are to those of tables, as in Moses.")] = Use.THROUGH,
    weight_file: Annotated[
        Path | None, typer.Option(help="Weights of sparse features, name weight a line, in the place of the configuration's file.")
    ] = None,
    trace: Annotated[Path | None, typer.Option(help="Write the phrases of each translation as JSON lines.")] = None,
    search_graph: Annotated[
        Path | None, typer.Option(help="Write all hypotheses that lead to a translation, as Moses does.")
    ] = None,
    mbr: Annotated[bool, typer.Option("--mbr", help="Print what the likely translations agree with most, by BLEU.")] = False,
    mbr_size: Annotated[int | None, typer.Option(help="So many translations, 200 otherwise.")] = None,
    mbr_scale: Annotated[float | None, typer.Option(help="What scores are multiplied by for probabilities, 1 otherwise.")] = None,
) -> None:
    """Translate by a phrase-based system: a tool for measuring, no rival of neural translation."""
    if n_best is not None:
        check_list_length(n_best[1])
    if not mbr and (mbr_size is not None or mbr_scale is not None):
        raise InputError("invalid-request", "--mbr-size and --mbr-scale are options of --mbr")
    if sum(map(bool, (oracle, mbr))) > 1 or (needed and needed_begin):
        raise InputError("invalid-request", "take one of --oracle and --mbr, and one of --needed and --needed-begin")
    numbers = {"size": mbr_size, "scale": mbr_scale}
    agreement = Agreement(**{name: value for name, value in numbers.items() if value is not None}) if mbr else None  # type: ignore[arg-type]
    outputs = {"--n-best": n_best[0] if n_best else None, "--trace": trace, "--search-graph": search_graph}
    inputs = [
        config,
        Path(text),
        needed,
        needed_begin,
        *(oracle or ()),
        *(files_of(read_moses_ini(config, weight_file)) if any(outputs.values()) else ()),
    ]
    check_outputs(outputs, [path for path in inputs if path is not None])
    with ExitStack() as files:
        system = load_system(config, phrases_of_text(text, files, xml_input), weight_file)
    chosen = {"stack": stack, "distortion": distortion_limit, "threshold": beam_threshold}
    limits = replace(system.ini.limits, **{name: value for name, value in chosen.items() if value is not None})  # type: ignore[arg-type]
    decoder = Decoder(system, limits)
    with ExitStack() as files:
        lists = files.enter_context(text_aside(n_best[0])) if n_best else None
        traces = files.enter_context(text_aside(trace)) if trace else None
        graphs = files.enter_context(text_aside(search_graph)) if search_graph else None
        alternatives = any((n_best, agreement, search_graph, oracle))
        goals, reach = needed or needed_begin, Reach()
        for segment, sentence in enumerate(sentences(text, [*([goals] if goals else []), *(oracle or [])], files, xml_input)):
            goal = sentence.beside[0] if goals else None
            result = decoder.translate(sentence.text, alternatives, goal, sentence.marks, needed_begin is not None)
            best = _best(result, segment, goal)
            if oracle and best is not None:
                references = sentence.beside[-len(oracle) :]
                closest = find_oracle(result, references) or Oracle(best, 0.0, True)
                reach.add(best, closest, references)
                best = closest.derivation
            if agreement is not None and best is not None:
                best = agreement.best(result.n_best(agreement.size, distinct=True))
            print("" if best is None else best.segmented if segmentation else best.text, flush=lists is None)
            if lists is not None and n_best is not None:
                lists.writelines(f"{row}\n" for row in n_best_lines(system, segment, result.n_best(n_best[1], distinct)))
            if graphs is not None:
                graphs.writelines(f"{row}\n" for row in search_graph_lines(segment, graph_of(result)))
            if traces is not None and best is not None:
                traces.write(json.dumps({"segment": segment, **trace_of(system, best)}, ensure_ascii=False) + "\n")
        if oracle:
            say(reach.report())


def _best(result: Translations, segment: int, goal: str | None) -> Derivation | None:
    best = result.best()
    if best is None and goal is None:
        raise InputError("invalid-request", f"nothing translates line {segment + 1} within these limits")
    return best
