"""Rebuild ROSE and `beer:mqm`: ``python -m scripts.mqm MLQE-PE JUDGED``."""

import argparse
import sys
import time
from pathlib import Path

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
    parser.add_argument("--names", nargs="*", default=(), choices=[name for name, _, _ in RECIPES], help="recipes (default: all)")
    arguments = parser.parse_args()
    data, pairs = language_pairs(arguments.data)
    build_metrics(
        data,
        pairs,
        arguments.judged,
        settings.resources_dir,
        arguments.models,
        lambda text: print(f"{time.monotonic() - start_time:7.1f} s  {text}", file=sys.stderr),
        arguments.names,
    )


if __name__ == "__main__":
    main()
