"""Commands on a few made-up sentences that use the kernels of the wing which no start of a server uses.

The files `source`, `target` and `domains` are those of `app.shell.compiling.uses`.
"""

from typing import Final

__all__ = ["FIRST_USES"]

EXTRACT_OPTIONS: Final = "--orientation wbe-msd --orientation phrase-mslr --orientation hier-mslr --numbered"
TABLES: Final = "--reordering wbe-msd-bidirectional-fe --reordering phrase-mslr-bidirectional-fe --halves --compact"
FIRST_USES: Final = (
    "smt train source target --out system --dev source target --rounds 1 --list-length 5",
    "smt translate system source --n-best lists 3",
    "smt train source target --out likely --dev source target --rounds 1 --list-length 5 --method likelihood-decoder",
    "smt samplerank source target --config system/moses.ini --out sampled.ini --epochs 1 --samples 2 --burn-in 1",
    "smt decode source --config system/moses.ini --search-graph graph --segmentation",
    "smt decode source --config system/moses.ini --oracle target",
    "smt decode source --config system/moses.ini --mbr",
    "resources align source target --links links --save aligner --scores scores",
    f"smt extract source target links --out extracted {EXTRACT_OPTIONS}",
    "smt preorder train source target links --out preorder --iterations 1 --trees right",
    "smt preorder train source target links --out preorder --iterations 1",
    "smt preorder apply preorder source --samples 10 --to plf",
    "smt preorder train source target links --out preorder --iterations 1 --method bracketing",
    "smt preorder apply preorder source --to tree",
    "smt profile-reordering source target links",
    "resources align source target --pair ro-en --out lexical",
    f"smt phrase-table extracted --lexical system/phrases --out tables {TABLES} --good-turing",
    f"smt phrase-table extracted --lexical system/phrases --out divided {TABLES} --domain-indicator domains --kneser-ney",
    "smt prune-table tables/phrase-table.gz source target --out pruned.gz",
    "corpus select source target -m ibm1 --pairs 5 --scores ibm1",
    "corpus filter source target --max-repeats 2 --unique --out-source filtered --out-target filtered.target",
    "nbest rerank lists --features posteriors --weights system/tuning/weights.txt",
    "nbest tune lists -r target --method pro",
)
