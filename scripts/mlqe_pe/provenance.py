"""Writing down on the cards of what ships which resources it was trained with; numbers of models stay as they are.

``python -m scripts.mlqe_pe.provenance`` does it for models that are there; a rebuild ends with it.
"""

import json
from dataclasses import asdict, replace
from pathlib import Path

from app.engine import Engine
from app.predictors.artifact import read_card
from app.predictors.word_tags import read_word_card
from app.registry.provenance import files_used
from app.resources.encoders.choosing import AUTO
from app.resources.tagger import TaggerChoice
from app.settings import Settings
from app.text.languages import ANY_PAIR, LanguagePair

__all__ = ["record_resources", "write_fields"]

# What ships learned from UDPipe's tags, and a rebuild gives the same bytes; our own taggers stand for it when they answer.
TAGGED_BY = TaggerChoice.of("none")


def record_resources(resources: Path, models: Path, encoder: str = AUTO) -> int:
    """Write the checksums of their resources on the cards of all predictors and word taggers; how many cards that changed."""
    engine, changed = Engine.open(resources, models, tagging=TAGGED_BY, encoder=encoder), 0
    for folder in sorted(models.iterdir()):
        if (folder / "card.json").is_file():
            card = read_card(folder)
            pair = engine.resources.pairs[0] if card.pair == ANY_PAIR else LanguagePair.parse(card.pair)
            used = files_used(card.features, engine.pair_resources(pair), engine.registry)
            changed += write_fields(folder / "card.json", replace(card, resources=used).as_json())
        elif (folder / "word-tags.json").is_file():
            tags = read_word_card(folder)
            loaded = engine.pair_resources(LanguagePair.parse(tags.pair))
            used = files_used([*tags.word_features, *tags.gap_features], loaded, engine.registry)
            changed += write_fields(folder / "word-tags.json", asdict(replace(tags, resources=used)))
    return changed


def write_fields(path: Path, fields: dict[str, object]) -> bool:
    """Write a card as models have theirs; whether that changed it."""
    text = json.dumps(fields, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    if path.read_text("utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


if __name__ == "__main__":
    print(f"{record_resources(Settings().resources_dir, Settings().models_dir)} cards")
