"""Methods that learn with the decoder itself, by name; methods on lists are those of `app.smt.tuning.methods`."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from app.errors import InputError
from app.smt.decoder.tuning.fixing import FIXING_OPTIONS, tune_by_fixing
from app.smt.decoder.tuning.likelihood import LIKELIHOOD_OPTIONS, tune_by_likelihood
from app.smt.decoder.tuning.passes import TuningPass, TuningPasses
from app.smt.decoder.tuning.rounds import refuse_sparse
from app.smt.tuning.methods import parse_method
from app.text.reading.options import Option, parse_options

__all__ = ["BY_CHAINS", "check_method", "parse_decoder_method"]

# SampleRank with a decoder's operators.
BY_CHAINS: Final = "samplerank-decoder"
LIKELIHOOD: Final = "likelihood-decoder"


class DecoderMethod(NamedTuple):
    """A method with its options, an example of them, and its function."""

    options: Mapping[str, Option]
    example: str
    tune: Callable[..., TuningPasses[TuningPass]]


METHODS: Final[Mapping[str, DecoderMethod]] = {
    "violations-decoder": DecoderMethod(FIXING_OPTIONS, "violations-decoder|update:early|rule:perceptron", tune_by_fixing),
    LIKELIHOOD: DecoderMethod(LIKELIHOOD_OPTIONS, "likelihood-decoder|gold:oracle|rate:0.003", tune_by_likelihood),
}


def parse_decoder_method(spec: str) -> tuple[DecoderMethod, dict[str, Any]] | None:
    """Parse ``likelihood-decoder|gold:oracle`` into a method and its option values; None for methods without a decoder.

    InputError for unknown options.
    """
    name, *pairs = spec.split("|")
    if name not in METHODS:
        return None
    return METHODS[name], parse_options(name, METHODS[name].options, pairs, "invalid-tuning", METHODS[name].example)


def check_method(spec: str, sparse: bool = False) -> None:
    """Raise InputError if the method cannot tune weights of a decoder, or of one with `sparse` features."""
    if spec != BY_CHAINS and parse_decoder_method(spec) is None:
        parse_method(spec)
    if sparse and spec.split("|")[0] == LIKELIHOOD:
        detail = f"{LIKELIHOOD} computes expectations of dense features alone; take mira or pro for sparse ones"
        raise InputError("invalid-tuning", detail, ("--method",))
    if sparse:
        refuse_sparse(spec)
