"""The steps that a server runs, with the arguments and options that it takes: an option that is not written here is refused.

What is left out of a command's options would name something on the server (its resources, models, taggers), or says what a step in
an empty folder cannot mean (`--replace`). What is left out of the steps reads paths out of files (`decode`: a `moses.ini` names
tables), asks the server's models, or reads formats that nobody has looked at with a stranger's files in mind.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

__all__ = ["BINARY", "MODELS", "SERVER_STEPS", "Parameter", "ServerStep"]


@dataclass(frozen=True)
class Parameter:
    """An argument or option of a step, with what `command_lines` asks of it; the same as the command's own has, which a test holds.

    A step may need (`required`) what its command does not: where the command would write into the server's own folder.
    """

    name: str
    opts: tuple[str, ...]
    secondary_opts: tuple[str, ...]
    param_type_name: str
    required: bool
    nargs: int
    multiple: bool
    is_flag: bool


@dataclass(frozen=True)
class ServerStep:
    """What a step takes."""

    params: tuple[Parameter, ...]


# Arguments and options in the order of the command. `!` is needed, `*` may be there several times, `+` is a flag, `+-` one with a
# `--no-`, `/2` takes two values, and `=name` is what the command calls an option.
TAKEN: Final = MappingProxyType(
    {
        "align": "source! target! --links --forward --reverse --scores --heuristic --save --model",
        "compact-table": "table! --out!",
        "extract": "source! target! links! --out! --max-length --orientation* --weights --numbered+",
        "filter": "source! target! --out-source --out-target --out-table --out-links"
        " --decisions --links --min-words --max-words --max-ratio"
        " --max-word-length --min-letters --no-copies+ --same-numbers+ --unique+",
        "import-lexical": "forward! backward! --pair! --given --vocabularies/2 --out! --licence",
        "import-lm": "model! --counts!* --language! --out! --licence",
        "lm": "texts!* --language! --out! --order --arpa+ --tokenised+ --lowercase+ --licence",
        "mix-lm": "models!* --held-out --weights --out!",
        "phrase-table": "extracted! --out! --lexical --good-turing+ --kneser-ney+ --reordering* --smoothing --memory --compact+"
        " --pair-scores --power* --domain-indicator --domain-ratio --domain-subset",
        "prune-table": "table! source! target! --out! --threshold",
        "resample": "files!* --out! --factor --size --corpora --share* --scores --original+- --seed",
        "select-data": "source! target! --method! --pairs --words --share --at-least --strict+"
        " --out-source --out-target --out-table --out-links --scores --links --in-source --in-target --general-source"
        " --general-target --lm-source --lm-target"
        " --train-source --train-target --aligner --given --in-links --n-best --wanted-n-best --diversity --untranslated --window"
        " --decisions --features --best-first+",
        "smt train": "source! target! --out! --dev/2 --untuned+ --lowercase+ --method --metric --seed --rounds --list-length --step"
        " --order --lm-text* --max-length --max-words --reordering* --heuristic"
        " --distortion-limit --stack --tuning-stack --table-limit --memory",
        "take-translations": "source! lists! --out! --most-cost!",
        "weight": "text! --out --table --corpora --corpus-weight* --held-out --order --by-share+ --lm --most-perplexity"
        " --decay=decay_rate --dates --span --spans --years --alignment --form --smoothing --power*",
    }
)
# Files of numbers that are mapped into memory, or read into arrays, as they are: steps and options that take them, and which steps
# may have made them.
MODELS: Final = frozenset({"lm", "import-lm", "mix-lm"})
BINARY: Final[Mapping[tuple[str, str], frozenset[str]]] = MappingProxyType(
    {
        ("align", "model"): frozenset({"align"}),
        ("import-lm", "model"): MODELS,
        ("select-data", "aligner"): frozenset({"align"}),
        ("select-data", "lm_source"): MODELS,
        ("select-data", "lm_target"): MODELS,
        ("weight", "lm"): MODELS,
    }
)


def _parameter(text: str) -> Parameter:
    word, _, called = text.partition("=")
    plain = word.rstrip("!*+-").partition("/")[0]
    marks = word[len(plain) :]
    name = called or plain.removeprefix("--").replace("-", "_")
    several = "*" in marks
    if not plain.startswith("--"):
        return Parameter(name, (name,), (), "argument", "!" in marks, -1 if several else 1, False, False)
    opposite = (f"--no-{plain[2:]}",) if marks.endswith("+-") else ()
    values = 2 if marks.startswith("/2") else 1
    return Parameter(name, (plain,), opposite, "option", "!" in marks, values, several, "+" in marks)


def _steps() -> Iterator[tuple[str, ServerStep]]:
    for name, taken in TAKEN.items():
        yield name, ServerStep(tuple(map(_parameter, taken.split())))


SERVER_STEPS: Final[Mapping[str, ServerStep]] = MappingProxyType(dict(_steps()))
