"""`assay smt decode`: translate by a phrase-based system that a moses.ini describes."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.building.writing import text_aside
from app.errors import InputError
from app.shell.declaration.parameters import refuse
from app.shell.output import say
from app.smt.commands.options.translation.decoding import DecodeOptions
from app.smt.commands.translation.decoder_input import Sentence, lattices, phrases_of_text, read_sentence_weights, sentences
from app.smt.commands.translation.decoder_outputs import agreement_of, check_list_length, check_outputs, files_of, limits_of
from app.smt.decoder.decoder import Decoder, SearchResult
from app.smt.decoder.derivation import Derivation
from app.smt.decoder.graphs.agreement import SentenceMbr
from app.smt.decoder.graphs.lattice_agreement import LatticeMbr
from app.smt.decoder.graphs.oracle import Oracle, find_oracle
from app.smt.decoder.graphs.reach import Reach
from app.smt.decoder.graphs.search_graph import search_graph as graph_of
from app.smt.decoder.graphs.search_graph import search_graph_lines
from app.smt.decoder.markup.marks import MarkupUse
from app.smt.decoder.moses_ini import read_moses_ini
from app.smt.decoder.n_best_lines import n_best_lines, trace_of
from app.smt.decoder.system import load_parts, load_system
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.translating import decoders_of, in_order
from app.smt.decoder.weighting.sentence_decoders import SentenceDecoders
from app.smt.decoder.word_lattices.options import input_scores, translate_lattice
from app.smt.decoder.word_lattices.reading import WordLattice
from app.text.tokenisation import tokens_of

__all__ = ["decode"]


def decode(options: DecodeOptions) -> None:
    """Translate by a phrase-based system: a tool for measuring, no rival of neural translation."""
    if options.n_best is not None:
        check_list_length(options.n_best[1])
    agreement = agreement_of(options)
    if (options.oracle and agreement is not None) or (options.needed and options.needed_begin):
        raise InputError("invalid-request", "take one of --oracle and --mbr, and one of --needed and --needed-begin")
    if options.lattice:
        text_options = {"--needed": options.needed, "--needed-begin": options.needed_begin, "--oracle": options.oracle}
        text_options["--sentence-weights"] = options.sentence_weights
        markup = options.xml_input != "pass-through"
        refuse({**text_options, "--xml-input": markup}, "it is of texts, and --lattice reads lattices")
    outputs = {
        "--n-best": options.n_best[0] if options.n_best else None,
        "--trace": options.trace,
        "--search-graph": options.search_graph,
    }
    inputs = [
        options.config,
        Path(options.text),
        options.needed,
        options.needed_begin,
        options.sentence_weights,
        *(options.oracle or ()),
        *(files_of(read_moses_ini(options.config, options.weight_file)) if any(outputs.values()) else ()),
    ]
    check_outputs(outputs, [path for path in inputs if path is not None])
    with ExitStack() as files:
        # Paths of lattices have too many phrases to list.
        phrases = None if options.lattice else phrases_of_text(options.text, files, MarkupUse(options.xml_input))
        decoders = _decoders(options, phrases)
    with ExitStack() as files:
        lists = files.enter_context(text_aside(options.n_best[0])) if options.n_best else None
        traces = files.enter_context(text_aside(options.trace)) if options.trace else None
        graphs = files.enter_context(text_aside(options.search_graph)) if options.search_graph else None
        reach = Reach()
        for result in in_order(partial(_translate, options, agreement), _inputs(options, decoders[0], files), decoders):
            print(result.text, flush=lists is None)
            if lists is not None:
                lists.writelines(result.hypotheses)
            if graphs is not None:
                graphs.writelines(result.graph)
            if traces is not None:
                traces.write(result.trace)
            if result.closest is not None:
                reach.add(*result.closest)
        if options.oracle:
            say(reach.report())


@dataclass(frozen=True)
class _Translation:
    """Outputs of a sentence as lines, and for oracles its best derivation, its oracle, and its references."""

    text: str
    hypotheses: list[str]
    graph: list[str]
    trace: str
    closest: tuple[Derivation, Oracle, Sequence[str]] | None


def _decoders(options: DecodeOptions, phrases: TextPhrases | None) -> list[Decoder] | list[SentenceDecoders]:
    """A decoder for each thread: one for all sentences, or one that has weights by sentence."""
    if options.sentence_weights is None:
        system = load_system(options.config, phrases, options.weight_file)
        return decoders_of(system, limits_of(system.ini.limits, options, options.beam_threshold), options.threads)
    weights = read_sentence_weights(options.sentence_weights, options.text)
    parts = load_parts(options.config, phrases, weight_file=options.weight_file)
    return [SentenceDecoders(parts, weights, limits_of(parts.ini.limits, options, options.beam_threshold))] * options.threads


def _inputs(
    options: DecodeOptions, decoder: Decoder | SentenceDecoders, files: ExitStack
) -> Iterator[tuple[int, Sentence | WordLattice]]:
    """Each sentence or lattice of the text with its number, from 0."""
    if options.lattice and isinstance(decoder, Decoder):
        return enumerate(lattices(options.text, input_scores(decoder.system.ini), files))
    goals = options.needed or options.needed_begin
    beside = [*([goals] if goals else []), *(options.oracle or [])]
    return enumerate(sentences(options.text, beside, files, MarkupUse(options.xml_input)))


def _translate(
    options: DecodeOptions,
    agreement: SentenceMbr | LatticeMbr | None,
    decoders: Decoder | SentenceDecoders,
    item: tuple[int, Sentence | WordLattice],
) -> _Translation:
    """Translate a sentence or a lattice."""
    segment, source = item
    alternatives = any((options.n_best, agreement, options.search_graph, options.oracle))
    goal, closest = None, None
    if isinstance(source, Sentence):
        decoder = decoders if isinstance(decoders, Decoder) else decoders.decoder(segment, tokens_of(source.text))
        goal = source.beside[0] if options.needed or options.needed_begin else None
        result = decoder.translate(source.text, alternatives, goal, source.marks, options.needed_begin is not None)
    else:
        assert isinstance(decoders, Decoder)
        decoder = decoders
        try:
            result = translate_lattice(decoder, source, alternatives)
        except InputError as error:
            place = f"line {segment + 1} of {options.text}"
            raise InputError(error.code, f"{place}: {error.detail}", (options.text, segment + 1)) from None
    best = _best(result, segment, goal)
    if options.oracle and best is not None and isinstance(source, Sentence):
        references = source.beside[-len(options.oracle) :]
        oracle = find_oracle(result, references) or Oracle(best, 0.0, True)
        closest, best = (best, oracle, references), oracle.derivation
    if agreement is not None and best is not None:
        best = agreement.best(result)
    text, trace = "", ""
    if best is not None:
        text = best.span_text if options.segmentation else best.text
        if options.trace:
            trace = json.dumps({"segment": segment, **trace_of(decoder.system, best)}, ensure_ascii=False) + "\n"
    derivations = result.n_best(options.n_best[1], options.distinct) if options.n_best else []
    hypotheses = [f"{row}\n" for row in n_best_lines(decoder.system, segment, derivations)] if derivations else []
    graph = [f"{row}\n" for row in search_graph_lines(segment, graph_of(result))] if options.search_graph else []
    return _Translation(text, hypotheses, graph, trace, closest)


def _best(result: SearchResult, segment: int, goal: str | None) -> Derivation | None:
    best = result.best()
    if best is None and goal is None:
        raise InputError("invalid-request", f"nothing translates line {segment + 1} within these limits")
    return best
