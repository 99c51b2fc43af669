"""``python -m scripts.linear_taggers TREEBANKS`` builds our own taggers of what ships anew, beside the UDPipe models.

`make resources` builds them with all else; this takes minutes, since UDPipe is not trained.
"""

import argparse
import sys
from pathlib import Path

from app.building.tagging import add_linear_tagger
from app.settings import Settings

__all__ = ["main"]


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(prog="python -m scripts.linear_taggers", description="Build our own taggers anew.")
    parser.add_argument("treebanks", type=Path, help="folder of LANGUAGE/{train,test}.conllu.gz")
    parser.add_argument("--resources", type=Path, default=Settings().resources_dir, help="folder that holds LANGUAGE/tagger")
    parser.add_argument("--languages", default="", help="codes with commas between; all that have a tagger otherwise")
    asked = parser.parse_args()
    for treebank in sorted(path.parent for path in asked.treebanks.glob("*/train.conllu.gz")):
        folder = asked.resources / treebank.name / "tagger"
        if (folder / "manifest.json").is_file() and treebank.name in (asked.languages or treebank.name).split(","):
            add_linear_tagger(treebank.name, treebank, folder)
            print(folder, file=sys.stderr)


if __name__ == "__main__":
    main()
