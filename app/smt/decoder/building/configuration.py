"""The `moses.ini` of a trained system."""

from collections.abc import Sequence
from typing import Final

from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.reordering import reordering_type

__all__ = ["configuration"]

# Weights before tuning, as Moses' training writes them.
REORDERING_WEIGHT: Final = 0.3
TRANSLATION_WEIGHT: Final = 0.2
TABLE_SCORES: Final = 4


def configuration(
    table: str,
    reordering: dict[str, str],
    model: str,
    order: int,
    limits: SearchLimits,
    table_limit: int,
    sparse: Sequence[str] = (),
) -> str:
    """Text of a configuration with these files, limits of the search, and Moses' weights.

    `reordering` gives the table of each reordering model by name. `sparse` lists lines of features without weights.
    """
    features = [
        "UnknownWordPenalty",
        "WordPenalty",
        "PhrasePenalty",
        f"PhraseDictionaryMemory name=TranslationModel0 num-features={TABLE_SCORES} path={table} input-factor=0 output-factor=0 "
        f"table-limit={table_limit}",
    ]
    weights = [
        "UnknownWordPenalty0= 1",
        "WordPenalty0= -1",
        "PhrasePenalty0= 0.2",
        f"TranslationModel0= {' '.join([str(TRANSLATION_WEIGHT)] * TABLE_SCORES)}",
    ]
    for number, (name, path) in enumerate(reordering.items()):
        scores = reordering_type(name).scores
        features.append(
            f"LexicalReordering name=LexicalReordering{number} num-features={scores} type={name}-allff input-factor=0 "
            f"output-factor=0 path={path}"
        )
        weights.append(f"LexicalReordering{number}= {' '.join([str(REORDERING_WEIGHT)] * scores)}")
    features += ["Distortion", f"KENLM name=LM0 factor=0 order={order} path={model}", *sparse]
    weights += ["Distortion0= 0.3", "LM0= 0.5"]
    sections = {
        "input-factors": ["0"],
        "mapping": ["0 T 0"],
        "distortion-limit": [str(limits.distortion)],
        "stack": [str(limits.stack)],
        # Without this section the decoder would use the default, and never the longer phrases of the table.
        **({} if limits.phrase_length == SearchLimits.phrase_length else {"max-phrase-length": [str(limits.phrase_length)]}),
        "feature": features,
        "weight": weights,
    }
    return "\n".join("\n".join([f"[{name}]", *lines, ""]) for name, lines in sections.items())
