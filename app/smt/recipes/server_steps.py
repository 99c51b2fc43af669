"""The steps that a server runs, with the arguments and options that it takes: an option that is not written here is refused.

What is left out of a command's options would name something on the server (its resources, models, taggers), or says what a step in
an empty folder cannot mean (`--replace`). What is left out of the steps asks the server's models or its encoder. Files that a
`moses.ini` names are held to those of the job (`configurations.py`).
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
        "align-trees": "source! target! --method! --out! --links --lexical --source-heads --target-heads --source-form"
        " --target-form",
        "compact-table": "table! --out!",
        "concatenate": "files!* --out!",
        "continuous-space-model": "text! --out! --order --passes --lines --seed --cased+",
        "convert-trees": "trees! --to! --out! --form --head-table",
        "decode": "text! --config! --weight-file --n-best/2 --distinct+ --stack --distortion-limit --beam-threshold --segmentation+"
        " --needed --needed-begin --oracle* --xml-input --trace --search-graph --mbr+ --mbr-size --mbr-scale",
        "extract": "source! target! links! --out! --max-length --orientation* --weights --numbered+",
        "extract-trees": "source! target! links! --method! --out! --source-heads --target-heads --lexical --max-length"
        " --consistent+ --orientation* --source-form --target-form",
        "filter": "source! target! --out-source --out-target --out-table --out-links"
        " --decisions --links --min-words --max-words --max-ratio"
        " --max-word-length --min-letters --no-copies+ --same-numbers+ --unique+ --min-characters --max-characters"
        " --source-script --target-script --min-script --source-language --target-language --no-markup+ --min-punctuation"
        " --max-repeats --not-in* --same",
        "import-lexical": "forward! backward! --pair! --given --vocabularies/2 --out! --licence",
        "import-lm": "model! --counts!* --language! --out! --licence",
        "lm": "texts!* --language! --out! --order --arpa+ --tokenised+ --lowercase+ --licence",
        "mbr": "files!* --metric --samples --model+ --scale --no-own+ --way --scores+ --format=form",
        "merge-extracts": "extractions!* --out --subsets+ --trace --text --memory --format=form",
        "mine": "source! translations! target! --out! --ter --candidates --ratio --numbers --dates/2 --days",
        "mix-lm": "models!* --held-out --weights --out!",
        "oracle": "files!* --reference!*=references --metrics* --oracle-metric --size*=sizes --shown --mix --share --difference"
        " --diversity --segments+ --format=form",
        "phrase-table": "extracted! --out! --lexical --good-turing+ --kneser-ney+ --reordering* --smoothing --memory --compact+"
        " --pair-scores --power* --domain-indicator --domain-ratio --domain-subset --sparse-domain-indicator --sparse-domain-ratio"
        " --sparse-domain-subset --unaligned-penalty+=unaligned --unaligned-function-words/2=unaligned_function --singleton+=once"
        " --phrase-count+=phrases --low-count+=low --count-bins=bins --sparse-count-bins=sparse_bins --min-count --min-score"
        " --only-direct+ --halves+",
        "prune-table": "table! source! target! --out! --threshold",
        "rerank": "files!* --weights* --missing-weights --features* --source --lm* --tag-lm* --table --reverse-table --lexicon"
        " --neural --continuous-space --cased+ --distinct+- --mbr --scale --top --reference*=references --metric --changes+-"
        " --write-features --format=form",
        "resample": "files!* --out! --factor --size --corpora --share* --scores --original+- --seed",
        "samplerank": "source! reference!* --config! --out! --metric --epochs --samples --burn-in --batch --chains --cap"
        " --temperature --operator*=operators --held-out --patience --seed",
        "score": "first!* --input!*=systems --source --num-refs --metrics* --lowercase+ --tokenize --language-pair --smooth-method"
        " --smooth-value --chrf-char-order --chrf-word-order --chrf-beta --chrf-whitespace+ --chrf-lowercase+ --chrf-eps-smoothing+"
        " --ter-case-sensitive+ --ter-asian-support+ --ter-no-punct+ --ter-normalized+ --sentence-level+=segments --confidence+"
        " --paired-bs+ --paired-ar+ --confidence-n=samples --paired-ar-n=trials --seed --letters+ --runs* --empty --score-only+"
        " --width --format=form",
        "search-weights": "extracted! --pair-scores! --config! --source! --reference! --out! --power* --metric --trials --table",
        "select-data": "source! target! --method! --pairs --words --share --at-least --strict+"
        " --out-source --out-target --out-table --out-links --scores --links --in-source --in-target --general-source"
        " --general-target --lm-source --lm-target"
        " --train-source --train-target --aligner --given --in-links --n-best --wanted-n-best --diversity --untranslated --window"
        " --decisions --features --best-first+",
        "slice": "files!* --out!* --start --stop --step",
        "smt train": "source! target! --out! --dev/2 --untuned+ --lowercase+ --method --metric --seed --rounds --list-length --step"
        " --order --lm-text* --max-length --max-words --reordering* --heuristic"
        " --distortion-limit --stack --tuning-stack --table-limit --memory --sparse*",
        "smt translate": "system! text! --n-best/2 --distinct+ --untuned+ --stack --distortion-limit --segmentation+",
        "sort": "files!* --by! --out!* --best-first+",
        "split": "files!* --out!* --rest* --lines --share --seed",
        "take-translations": "source! lists! --out! --most-cost!",
        "translate-unknown": "source! output! --table! --language! --lm! --out! --candidates",
        "translation-model": "source! target! --out! --passes --pairs --seed --cased+",
        "tune": "n_best!* --reference*=references --method --metric --seed --runs --take --start --missing-weights --source"
        " --held-out* --held-out-reference*=held_out_references --out --out-form --moses-ini --decoder --rounds --list-length"
        " --step --work --changes --format=form",
        "weight": "text! --out --table --corpora --corpus-weight* --held-out --order --by-share+ --lm --most-perplexity"
        " --decay*=rates --dates --span --spans --years --alignment --form --smoothing --power*",
        "word-lexicon": "source! target! --out! --passes --pairs --seed --cased+",
    }
)
# Files of numbers that are mapped into memory, or read into arrays, as they are: steps and options that take them, and which steps
# may have made them.
MODELS: Final = frozenset({"lm", "import-lm", "mix-lm"})
LEXICAL: Final = frozenset({"import-lexical"})
BINARY: Final[Mapping[tuple[str, str], frozenset[str]]] = MappingProxyType(
    {
        ("align", "model"): frozenset({"align"}),
        ("import-lm", "model"): MODELS,
        ("rerank", "continuous_space"): frozenset({"continuous-space-model"}),
        ("rerank", "lexicon"): frozenset({"word-lexicon"}),
        ("rerank", "lm"): MODELS,
        ("rerank", "neural"): frozenset({"translation-model"}),
        ("rerank", "reverse_table"): LEXICAL,
        ("rerank", "table"): LEXICAL,
        ("rerank", "tag_lm"): MODELS,
        ("select-data", "aligner"): frozenset({"align"}),
        ("select-data", "lm_source"): MODELS,
        ("select-data", "lm_target"): MODELS,
        ("translate-unknown", "lm"): MODELS,
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
