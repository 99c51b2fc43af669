"""Files that the operator gives to metrics: models of SentencePiece, and tables of METEOR."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["MetricFiles", "metric_files", "use_metric_files"]


@dataclass(frozen=True)
class MetricFiles:
    """The model of the tokeniser `spm`, and the folder of all other files; None without them."""

    sentencepiece_model: Path | None = None
    folder: Path | None = None

    def path(self, name: str) -> Path | None:
        """A file or folder of the folder; None if it is not there."""
        path = None if self.folder is None else self.folder / name
        return path if path is not None and path.exists() else None


# The caller reads the settings, since metrics also run without settings.
_files = MetricFiles()


def metric_files() -> MetricFiles:
    """The files that metrics read now."""
    return _files


def use_metric_files(sentencepiece_model: Path | None = None, folder: Path | None = None) -> None:
    """Set the files of metrics; None disables them."""
    global _files
    _files = MetricFiles(sentencepiece_model, folder)
