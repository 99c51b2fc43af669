"""Record the resources of training on the cards of shipped models; the models stay unchanged.

``python -m scripts.mlqe_pe.provenance`` updates existing models; a rebuild ends with this step.
"""

import json
from dataclasses import asdict, replace
from pathlib import Path

from app.engine import Engine
from app.predictors.artifact import read_card
from app.predictors.word_tags import read_word_card
from app.registry.provenance import files_used
from app.resources.tagger import TaggerChoice
from app.settings import Settings
from app.text.languages import ANY_PAIR, LanguagePair

__all__ = ["record_resources", "write_fields"]

# Shipped models learn from UDPipe's tags, so that a rebuild gives equal bytes; linear taggers replace UDPipe in answers.
TRAINING_TAGGER = TaggerChoice.of("none")


def record_resources(resources: Path, models: Path) -> int:
    """Write the checksums of resources on the cards of all predictors and word taggers, and return the number of changed cards."""
    engine, count = Engine.open(resources, models, tagging=TRAINING_TAGGER, encoder="auto"), 0
    for folder in sorted(models.iterdir()):
        if (folder / "card.json").is_file():
            card = read_card(folder)
            pair = engine.resources.pairs[0] if card.pair == ANY_PAIR else LanguagePair.parse(card.pair)
            files = files_used(card.features, engine.pair_resources(pair), engine.registry)
            count += write_fields(folder / "card.json", replace(card, resources=files).as_json())
        elif (folder / "word-tags.json").is_file():
            tags = read_word_card(folder)
            pair_resources = engine.pair_resources(LanguagePair.parse(tags.pair))
            files = files_used([*tags.word_features, *tags.gap_features], pair_resources, engine.registry)
            count += write_fields(folder / "word-tags.json", asdict(replace(tags, resources=files)))
    return count


def write_fields(path: Path, fields: dict[str, object]) -> bool:
    """Write a card as JSON, and return True if the file changed."""
    text = json.dumps(fields, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    if path.read_text("utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


if __name__ == "__main__":
    print(f"{record_resources(Settings().resources_dir, Settings().models_dir)} cards")
