"""Options of `assay resources import-checkpoint`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.fields import argument, option

__all__ = ["ImportCheckpointOptions"]


@dataclass(frozen=True, kw_only=True)
class ImportCheckpointOptions:
    """Options of `assay resources import-checkpoint`."""

    checkpoint: Annotated[Path, argument(help="Folder or file of the checkpoint: safetensors or PyTorch.")]
    name: Annotated[str, option(help="Name; its metric is neural:NAME.")]
    licence: Annotated[str, option(help="Licence of the checkpoint, as CC-BY-NC-SA-4.0.")]
    encoder: Annotated[Path | None, option(help="Folder of the encoder's config.json and tokenizer.json.")] = None
    metricx: Annotated[str | None, option(help="Texts that MetricX takes: 23, 23-qe or 24.")] = None
    longest: Annotated[int | None, option(help="Most tokens of a sequence.")] = None
    out: Annotated[Path | None, option(help="Parent folder of NAME; default: ASSAY_CHECKPOINTS.")] = None
