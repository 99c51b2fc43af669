"""Use every kernel once: those of the engine by loading it, the rest by commands on a few invented sentences."""

import contextlib
import gzip
import os
import sys
from pathlib import Path
from typing import Final

from app.wings import attached

__all__ = ["FIRST_USES", "main"]

# Commands of the core, in a folder with the files of `_write_texts`.
FIRST_USES: Final = (
    "resources lm source --language ro --out model --tokenised --arpa",
    "resources lm target --language en --out english --order 4",
    "resources tagger treebank --language ro --out tagger --words 100",
    "resources grammar bank --language en --out grammar",
    "train rated.tsv --pair ro-en --label hter --learner trees --feature-set quest-baseline-17 --out trees",
)
WORDS: Final = ("a b c d e", "v w x y z")
TREE: Final = (
    "1\tO\to\tDET\tT\t_\t2\tdet\t_\t_\n2\tcasa{k}\tcas\tNOUN\tN\t_\t3\tnsubj\t_\t_\n3\tarde\tarde\tVERB\tV\t_\t0\troot\t_\t_\n\n"
)


def main() -> None:
    """Use the kernels of a part, in an empty working folder: `engine` with the core's commands, or `wings`."""
    part = sys.argv[1]
    _write_texts(Path())
    if part == "engine":
        from app.engine import Engine, load_engine
        from app.settings import Settings

        settings = Settings()
        load_engine(Engine.open(settings.resources_dir, settings.models_dir, encoder="auto"))
    for command in FIRST_USES if part == "engine" else attached("first_uses"):
        _run(command.split())


def _run(arguments: list[str]) -> None:
    """Run a command in this process, where earlier commands have loaded most modules."""
    from app.shell.program import program

    with contextlib.redirect_stdout(Path(os.devnull).open("w", encoding="utf-8")):
        program(arguments, standalone_mode=False)


def _write_texts(folder: Path) -> None:
    """Parallel text of two domains, treebanks and rated segments."""
    for name, words in zip(("source", "target"), WORDS, strict=True):
        lines = [f"{' '.join(words[2 * (k % 4) :: 2])} {words[k % 3]}\n" for k in range(30)]
        (folder / name).write_text("".join(lines), "utf-8")
    (folder / "bank").write_text("(S (NP (DT a) (NN b)) (VP (VB c) (NP (NN b))))\n", "utf-8")
    (folder / "domains").write_text("15 news\n30 web\n", "utf-8")
    (folder / "treebank").mkdir()
    for name in ("train", "test"):
        trees = "".join(TREE.format(k=k) for k in range(40))
        (folder / "treebank" / f"{name}.conllu.gz").write_bytes(gzip.compress(trees.encode()))
    rows = [f"a b c {k % 7}\tv w x {k % 5}\t{k % 10 / 10}\n" for k in range(150)]
    (folder / "rated.tsv").write_text("source\ttranslation\thter\n" + "".join(rows), "utf-8")


if __name__ == "__main__":
    main()
