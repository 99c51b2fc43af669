"""The `moses.ini` of a system that was trained here."""

from collections.abc import Sequence
from typing import Final

from app.smt.decoder.moses_ini import Limits
from app.smt.decoder.reordering import reordering_type

__all__ = ["configuration"]

# What Moses' own training writes: nothing was tuned.
REORDERING: Final = 0.3
TRANSLATION: Final = 0.2
SCORES: Final = 4


def configuration(
    table: str,
    reordering: dict[str, str],
    model: str,
    order: int,
    limits: Limits,
    table_limit: int,
    sparse: Sequence[str] = (),
) -> str:
    """A configuration with these files (`reordering` by the name of its model), limits of the search and Moses' weights.

    `sparse` are lines of features that have no weights yet.
    """
    features = [
        "UnknownWordPenalty",
        "WordPenalty",
        "PhrasePenalty",
        f"PhraseDictionaryMemory name=TranslationModel0 num-features={SCORES} path={table} input-factor=0 output-factor=0 "
        f"table-limit={table_limit}",
    ]
    weights = [
        "UnknownWordPenalty0= 1",
        "WordPenalty0= -1",
        "PhrasePenalty0= 0.2",
        f"TranslationModel0= {' '.join([str(TRANSLATION)] * SCORES)}",
    ]
    for number, (name, path) in enumerate(reordering.items()):
        scores = reordering_type(name).scores
        features.append(
            f"LexicalReordering name=LexicalReordering{number} num-features={scores} type={name}-allff input-factor=0 "
            f"output-factor=0 path={path}"
        )
        weights.append(f"LexicalReordering{number}= {' '.join([str(REORDERING)] * scores)}")
    features += ["Distortion", f"KENLM name=LM0 factor=0 order={order} path={model}", *sparse]
    weights += ["Distortion0= 0.3", "LM0= 0.5"]
    sections = {
        "input-factors": ["0"],
        "mapping": ["0 T 0"],
        "distortion-limit": [str(limits.distortion)],
        "stack": [str(limits.stack)],
        # The decoder would stop at what is usual, and never use longer phrases of the table.
        **({} if limits.phrase_length == Limits.phrase_length else {"max-phrase-length": [str(limits.phrase_length)]}),
        "feature": features,
        "weight": weights,
    }
    return "\n".join("\n".join([f"[{name}]", *lines, ""]) for name, lines in sections.items())
