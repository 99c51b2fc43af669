"""Tags of words by the shipped cross-encoder beside word taggers, fitted on dev: ``python -m scripts.encoder.words DATA``.

The card of the cross-encoder gets the revisions and their accuracy; ``python -m scripts.mlqe_pe.marks DATA`` adds the marks.
"""

import argparse
from dataclasses import asdict
from pathlib import Path

from app.engine import Engine
from app.predictors.cross_encoder import CARD, read_cross_encoder_card
from app.settings import Settings
from scripts.encoder.revisions import dev_words, fit_revisions
from scripts.encoder.shipped import NAME
from scripts.encoder.source_words import fit_source_words
from scripts.mlqe_pe.everything import language_pairs
from scripts.mlqe_pe.provenance import TRAINING_TAGGER, write_fields
from scripts.mlqe_pe.words import read_tagged_text


def main() -> None:
    """Read the command line, fit and write."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.words", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    arguments = parser.parse_args()
    data, pairs = language_pairs(arguments.data)
    models = settings.models_dir
    engine = Engine.open(settings.resources_dir, models, tagging=TRAINING_TAGGER, encoder="auto")
    words_of = {
        pair: dev_words(read_tagged_text(data / str(pair), pair, "dev").batch, data, pair, engine.pair_resources(pair))
        for pair in pairs
    }
    revisions, words = fit_revisions(engine, models, data, words_of)
    source_revisions, source_words = fit_source_words(engine, models, data, words_of, revisions)
    card = asdict(read_cross_encoder_card(models / NAME))
    card["accuracy"] |= {"words": words, "source_words": source_words}
    card |= {
        "revisions": {name: asdict(revision) for name, revision in revisions.items()},
        "source_revisions": {name: revision.as_array().tolist() for name, revision in source_revisions.items()},
    }
    write_fields(models / NAME / CARD, card)
    for name, row in (*words.items(), *source_words.items()):
        print(name, row)


if __name__ == "__main__":
    main()
