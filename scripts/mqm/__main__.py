"""Rebuild ROSE, `beer:mqm` and BEER 0.1 to 1.1: ``python -m scripts.mqm MLQE-PE JUDGED``."""

import argparse
import sys
import time
from pathlib import Path

from app.metrics import use_metric_files
from app.settings import Settings
from scripts.mlqe_pe.everything import language_pairs
from scripts.mqm.metrics import RECIPES, build_metrics

__all__ = ["main"]


def main() -> None:
    """Read the command line and build."""
    settings, start_time = Settings(), time.monotonic()
    parser = argparse.ArgumentParser(prog="python -m scripts.mqm", description="Rebuild the metrics trained on judged outputs.")
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("judged", type=Path, help="folder with wmt-mqm and bio-mqm")
    parser.add_argument("--models", type=Path, default=settings.models_dir, help="folder to write metrics/ to")
    parser.add_argument(
        "--names", nargs="*", default=(), choices=[recipe.name for recipe in RECIPES], help="recipes (default: all)"
    )
    parser.add_argument("--tables", help="METEOR's English tables, installed in ASSAY_METRIC_FILES; without them, two are left out")
    arguments = parser.parse_args()
    use_metric_files(None, settings.metric_files, (settings.resources_dir,))
    data, pairs = language_pairs(arguments.data)
    build_metrics(
        data,
        pairs,
        arguments.judged,
        settings.resources_dir,
        arguments.models,
        lambda text: print(f"{time.monotonic() - start_time:7.1f} s  {text}", file=sys.stderr),
        arguments.names,
        arguments.tables,
    )


if __name__ == "__main__":
    main()
