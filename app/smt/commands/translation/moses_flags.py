"""Moses' own flags for `assay smt decode`: each becomes the option that means the same, or is refused by name."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from app.errors import InputError
from app.running.processors import available_processors
from app.shell.declaration.command import Command
from app.smt.commands.options.translation.decoding import DecodeOptions

__all__ = ["MosesCommand", "options_from_flags"]

# Flags with their number of values and the option in their place; "" for flags that do not change translations.
FLAGS: Final[Mapping[str, tuple[int, str]]] = {
    flag: (count, option)
    for flags, count, option in (
        ("f config", 1, "--config"),
        ("s stack", 1, "--stack"),
        ("dl distortion-limit", 1, "--distortion-limit"),
        ("b beam-threshold", 1, "--beam-threshold"),
        ("t report-segmentation", 0, "--segmentation"),
        ("i input-file", 1, "text"),
        ("osg output-search-graph", 1, "--search-graph"),
        ("mbr minimum-bayes-risk", 0, "--mbr"),
        ("mbr-size", 1, "--mbr-size"),
        ("mbr-scale", 1, "--mbr-scale"),
        ("lmbr lminimum-bayes-risk", 0, "--lattice-mbr"),
        ("lmbr-p", 1, "--mbr-precision"),
        ("lmbr-r", 1, "--mbr-ratio"),
        ("xi xml-input", 1, "--xml-input"),
        ("wf weight-file", 1, "--weight-file"),
        ("th threads", 1, "--threads"),
        ("v verbose", 1, ""),
    )
    for flag in flags.split()
}
N_BEST: Final = "n-best-list"
INPUT_TYPE: Final = "inputtype"
# Flags without an equal option, with their remedies.
REMEDIES: Final[Mapping[str, str]] = {
    N_BEST: "takes FILE N",
    "alignment-output-file": "is not done here; --n-best and --trace write links of words",
    "T": "is not done here; --trace FILE writes the phrases of each translation",
    "translation-details": "is not done here; --trace FILE writes the phrases of each translation",
    INPUT_TYPE: "takes 0 for text, or 2 for lattices; write confusion networks as lattices whose arcs end at the next node",
    "lmbr-thetas": "is not done here; -lmbr-p and -lmbr-r make the factors of n-grams",
    "lmbr-map-weight": "is not done here; its default is 0, which is what -lmbr does here",
    "lmbr-pruning-factor": "is not done here; -lmbr takes all derivations within the beam",
    "drop-unknown": "is not done here; give [drop-unknown] in the configuration",
    "weight-overwrite": "is not done here; change [weight] in a copy of the configuration",
}
WITH_VALUES: Final = frozenset(f"--{field.name.replace('_', '-')}" for field in fields(DecodeOptions) if field.default is not False)


class MosesCommand(Command):
    """A command that takes Moses' flags beside its own options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, with options in the place of flags."""
        return super().parse_args(ctx, options_from_flags(args))


def options_from_flags(arguments: Sequence[str]) -> list[str]:
    """Arguments with options in the place of Moses' flags; InputError names an unknown flag."""
    rest, options = list(arguments), []
    while rest:
        word = rest.pop(0)
        flag = word[1:]
        if not word.startswith("-") or word.startswith("--") or not flag or flag.lstrip("-.").replace(".", "").isdigit():
            options.append(word)
            # Values of an option may look like flags.
            if word in WITH_VALUES:
                options += [rest.pop(0) for _ in range(min(len(rest), 2 if word == "--n-best" else 1))]
        elif flag == N_BEST and len(rest) > 1:
            options += ["--n-best", rest.pop(0), rest.pop(0)]
            if rest and rest[0] == "distinct":
                rest.pop(0)
                options.append("--distinct")
        elif flag == INPUT_TYPE and rest[:1] in (["0"], ["2"]):
            options += ["--lattice"] if rest.pop(0) == "2" else []
        elif flag in FLAGS and len(rest) >= FLAGS[flag][0]:
            count, option = FLAGS[flag]
            values = [rest.pop(0) for _ in range(count)]
            if option == "--threads" and values == ["all"]:
                values = [str(available_processors())]
            options += [*([option] if option.startswith("--") else []), *(values if option else [])]
        elif flag in REMEDIES:
            raise InputError("invalid-request", f"Moses' {word} {REMEDIES[flag]}")
        else:
            names = [f"-{name}" for name in (*FLAGS, N_BEST, INPUT_TYPE)]
            raise InputError("invalid-request", f"Moses' {word} is not done here; {', '.join(names)} are")
    return options
