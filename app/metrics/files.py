"""Files that metrics read: models of SentencePiece and tables of METEOR of the operator, and parsers of the resources."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.settings import ROOT

__all__ = ["MetricFiles", "metric_files", "use_metric_files"]

RESOURCES: Final = (ROOT / "resources",)


@dataclass(frozen=True)
class MetricFiles:
    """The model of the tokeniser `spm`, the folder of all other files, None without them, and folders of language resources."""

    sentencepiece_model: Path | None = None
    folder: Path | None = None
    resources: tuple[Path, ...] = RESOURCES

    def path(self, name: str) -> Path | None:
        """A file or folder of the folder; None if it is not there."""
        path = None if self.folder is None else self.folder / name
        return path if path is not None and path.exists() else None


# The caller reads the settings, since metrics also run without settings.
_files = MetricFiles()


def metric_files() -> MetricFiles:
    """The files that metrics read now."""
    return _files


def use_metric_files(
    sentencepiece_model: Path | None = None, folder: Path | None = None, resources: tuple[Path, ...] = RESOURCES
) -> None:
    """Set the files of metrics; None disables them. Among `resources`, the first folder with a language's parser wins."""
    global _files
    _files = MetricFiles(sentencepiece_model, folder, resources)
