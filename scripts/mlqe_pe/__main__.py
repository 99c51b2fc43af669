"""Rebuild all shipped resources and predictors: ``python -m scripts.mlqe_pe DATA``."""

import argparse
import sys
import time
from pathlib import Path

from app.settings import Settings
from scripts.mlqe_pe.everything import build_everything

__all__ = ["main"]


def main() -> None:
    """Read the command line and build."""
    settings, start_time = Settings(), time.monotonic()
    parser = argparse.ArgumentParser(prog="python -m scripts.mlqe_pe", description="Rebuild all shipped resources and predictors.")
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("--resources", type=Path, default=settings.resources_dir, help="folder to write resources to")
    parser.add_argument("--models", type=Path, default=settings.models_dir, help="folder to write predictors to")
    parser.add_argument(
        "--processes", type=int, default=2, choices=range(1, 65), metavar="N", help="number of processes (default 2)"
    )
    parser.add_argument("--treebanks", type=Path, help="folder of LANGUAGE/{train,test}.conllu.gz: taggers, function words")
    parser.add_argument("--beer", type=Path, help="model folder of the released BEER 2.0, to import")
    parser.add_argument("--features", type=Path, help="folder to store the features of training rows in")
    arguments = parser.parse_args()
    build_everything(
        arguments.data,
        arguments.resources,
        arguments.models,
        lambda text: print(f"{time.monotonic() - start_time:7.1f} s  {text}", file=sys.stderr),
        arguments.processes,
        arguments.treebanks,
        arguments.beer,
        arguments.features,
    )


if __name__ == "__main__":
    main()
