"""Predicted quality as scores of a selection: a number for each pair, in a file for the selector."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.operations.parts.fields import in_loaded_languages
from app.operations.quality import QualityRequest
from app.operations.quality import operation as quality_operation
from app.shell.here import engine_here, settings_here
from app.shell.languages import languages
from app.shell.output import say, say_cautions
from app.shell.requests import make_request
from app.smt.corpus.selection.pool import Pool
from app.text.reading.lines import decode_text

__all__ = ["write_predictions"]

# Pairs of a request.
BATCH: Final = 1000
LOWER: Final = "lower is better"


def write_predictions(pool: Pool, path: Path, pair: str, model: str | None, label: str | None) -> None:
    """Write the quality of each pair of a pool, higher is better; ``-inf`` for pairs with an empty or too long side.

    InputError as of `assay quality`, and for malformed text.
    """
    engine = engine_here()
    if not engine.resources.pairs:
        raise InputError("not-ready", f"nothing is loaded: there are no resources in {settings_here().resources_dir}")
    limit = settings_here().max_segment_characters
    first = True
    with path.open("w", encoding="utf-8") as file:
        for chunk in pool.chunks(BATCH):
            sides = [
                [decode_text(line, str(name), number).strip() for number, line in enumerate(side, chunk.first + 1)]
                for name, side in zip(chunk.paths[:2], chunk.lines[:2], strict=True)
            ]
            rows = [(source, target) for source, target in zip(*sides, strict=True)]
            usable = [all(0 < len(text) <= limit for text in row) for row in rows]
            segments = [
                {"source": source, "translation": target}
                for (source, target), is_usable in zip(rows, usable, strict=True)
                if is_usable
            ]
            scores: Iterator[float] = iter(())
            if segments:
                request = make_request(QualityRequest, **languages(pair), model=model, label=label, segments=segments)
                assert quality_operation.answer is not None
                answer: Any = quality_operation.answer(engine, in_loaded_languages(engine, request))
                if first:
                    say_cautions(answer)
                    say(f"scores are of {answer['model']}: {answer['label']}, {answer['direction']}")
                    first = False
                sign = -1.0 if answer["direction"] == LOWER else 1.0
                scores = iter([sign * segment["score"] for segment in answer["segments"]])
            file.writelines(f"{next(scores) if is_usable else '-inf'}\n" for is_usable in usable)
