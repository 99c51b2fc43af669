"""Moses' own flags for `assay smt decode`: each becomes the option that means the same, or is refused by name."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.errors import InputError
from app.shell.declaration.command import Command

__all__ = ["MosesCommand", "options_from_flags"]

# A flag with as many words behind it, and the option in its place; "" where it does not change what is translated.
FLAGS: Final[Mapping[str, tuple[int, str]]] = {
    "f": (1, "--config"),
    "config": (1, "--config"),
    "s": (1, "--stack"),
    "stack": (1, "--stack"),
    "dl": (1, "--distortion-limit"),
    "distortion-limit": (1, "--distortion-limit"),
    "b": (1, "--beam-threshold"),
    "beam-threshold": (1, "--beam-threshold"),
    "t": (0, "--segmentation"),
    "report-segmentation": (0, "--segmentation"),
    "i": (1, "text"),
    "input-file": (1, "text"),
    "osg": (1, "--search-graph"),
    "output-search-graph": (1, "--search-graph"),
    "mbr": (0, "--mbr"),
    "minimum-bayes-risk": (0, "--mbr"),
    "mbr-size": (1, "--mbr-size"),
    "mbr-scale": (1, "--mbr-scale"),
    "xi": (1, "--xml-input"),
    "xml-input": (1, "--xml-input"),
    "wf": (1, "--weight-file"),
    "weight-file": (1, "--weight-file"),
    "v": (1, ""),
    "verbose": (1, ""),
    "threads": (1, ""),
}
N_BEST: Final = "n-best-list"
# What is done here in another way.
OTHERWISE: Final[Mapping[str, str]] = {
    N_BEST: "takes FILE N",
    "alignment-output-file": "is not done here; --n-best and --trace write links of words",
    "T": "is not done here; --trace FILE writes the phrases of each translation",
    "translation-details": "is not done here; --trace FILE writes the phrases of each translation",
    "drop-unknown": "is not done here; give [drop-unknown] in the configuration",
    "weight-overwrite": "is not done here; change [weight] in a copy of the configuration",
}
WITH_VALUES: Final = frozenset(
    {
        "--config",
        "--stack",
        "--distortion-limit",
        "--beam-threshold",
        "--n-best",
        "--needed",
        "--trace",
        "--mbr-size",
        "--mbr-scale",
        "--search-graph",
        "--xml-input",
        "--oracle",
        "--needed-begin",
        "--weight-file",
    }
)


class MosesCommand(Command):
    """A command that takes Moses' flags beside its own options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, with options in the place of flags."""
        return super().parse_args(ctx, options_from_flags(args))


def options_from_flags(arguments: Sequence[str]) -> list[str]:
    """The same arguments with our options in the place of Moses' flags; InputError names one that is not done here."""
    rest, options = list(arguments), []
    while rest:
        word = rest.pop(0)
        flag = word[1:]
        if not word.startswith("-") or word.startswith("--") or not flag or flag.lstrip("-.").replace(".", "").isdigit():
            options.append(word)
            # What follows an option of ours is its own.
            if word in WITH_VALUES:
                options += [rest.pop(0) for _ in range(min(len(rest), 2 if word == "--n-best" else 1))]
        elif flag == N_BEST and len(rest) > 1:
            options += ["--n-best", rest.pop(0), rest.pop(0)]
            if rest and rest[0] == "distinct":
                rest.pop(0)
                options.append("--distinct")
        elif flag in FLAGS and len(rest) >= FLAGS[flag][0]:
            count, option = FLAGS[flag]
            values = [rest.pop(0) for _ in range(count)]
            options += [*([option] if option.startswith("--") else []), *(values if option else [])]
        elif flag in OTHERWISE:
            raise InputError("invalid-request", f"Moses' {word} {OTHERWISE[flag]}")
        else:
            raise InputError(
                "invalid-request", f"Moses' {word} is not done here; {', '.join(f'-{name}' for name in (*FLAGS, N_BEST))} are"
            )
    return options
