"""Rebuild the shipped linear taggers beside the UDPipe models: ``python -m scripts.linear_taggers TREEBANKS``.

`make resources` builds them with all other resources. This script takes minutes only, since it does not train UDPipe.
"""

import argparse
import sys
from pathlib import Path

from app.building.tagging import add_linear_tagger
from app.settings import Settings

__all__ = ["main"]


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(prog="python -m scripts.linear_taggers", description="Rebuild the shipped linear taggers.")
    parser.add_argument("treebanks", type=Path, help="folder of LANGUAGE/{train,test}.conllu.gz")
    parser.add_argument("--resources", type=Path, default=Settings().resources_dir, help="folder that holds LANGUAGE/tagger")
    parser.add_argument(
        "--languages", default="", help="language codes separated by commas, such as de,ro; all languages with a tagger by default"
    )
    arguments = parser.parse_args()
    for treebank in sorted(path.parent for path in arguments.treebanks.glob("*/train.conllu.gz")):
        folder = arguments.resources / treebank.name / "tagger"
        if (folder / "manifest.json").is_file() and treebank.name in (arguments.languages or treebank.name).split(","):
            add_linear_tagger(treebank.name, treebank, folder)
            print(folder, file=sys.stderr)


if __name__ == "__main__":
    main()
