"""Commands of the wing: name, module and line in the list of commands."""

from typing import Final

__all__ = ["ATTACHED"]

ATTACHED: Final = (
    ("tune", "app.smt.commands.n_best.tuning", "Tune the weights of a log-linear model on n-best lists."),
    (
        "tune-local",
        "app.smt.commands.n_best.local",
        "Choose from n-best lists by weights that are tuned for each sentence, on development sentences like it.",
    ),
    (
        "oracle",
        "app.smt.commands.n_best.oracle",
        "Find the oracles of n-best lists: how good they are, where they stand, and what tells them apart.",
    ),
    (
        "mbr",
        "app.smt.commands.n_best.mbr",
        "Choose of each segment's translations the one that the others agree with most, by any metric.",
    ),
    (
        "combine",
        "app.smt.commands.n_best.combine",
        "Combine outputs of several systems word by word, with equal votes or with weights that are tuned.",
    ),
    (
        "rerank",
        "app.smt.commands.n_best.rerank",
        "Put n-best lists into the order of weights, with features that the decoder did not have.",
    ),
    (
        "import-system",
        "app.smt.commands.translation.served",
        "Pack a phrase-based system into one folder, for translate and for features of quality estimation.",
    ),
    (
        "translate",
        "app.smt.commands.translation.served",
        "Translate by a phrase-based system that was imported: a tool for measuring, no rival of neural translation.",
    ),
    (
        "align",
        "app.shell.commands.resources.alignment",
        "Align words: write links, scores and a saved aligner, or lexical tables in both directions.",
    ),
    (
        "extract",
        "app.smt.commands.corpus.extraction",
        "Extract the pairs of phrases that agree with links of words, as Moses' extract does.",
    ),
    (
        "phrase-table",
        "app.smt.commands.corpus.phrase_tables",
        "Make a phrase table and tables of orientations of extracted pairs of phrases, as Moses does.",
    ),
    (
        "select-data",
        "app.smt.commands.corpus.selection",
        "Choose the best pairs of parallel text by a method, up to a number of pairs or words.",
    ),
    (
        "convert-trees",
        "app.smt.commands.corpus.tree_forms",
        "Write the words of a treebank, or its trees in another form: brackets, Moses' XML, governors of words.",
    ),
    (
        "prune-table",
        "app.smt.commands.corpus.pruning",
        "Leave out pairs of phrases that share no more sentences than by chance, by Fisher's exact test.",
    ),
    ("weight", "app.smt.commands.corpus.weighting", "Weigh sentence pairs by corpus, in-domain perplexity, recency and alignment."),
    (
        "resample",
        "app.smt.commands.corpus.weighting",
        "Resample sentence pairs and their links with replacement, by shares of corpora and scores.",
    ),
    (
        "mine",
        "app.smt.commands.corpus.harvest",
        "Find pairs of sentences in comparable texts: retrieval by automatic translations, then TER.",
    ),
    (
        "take-translations",
        "app.smt.commands.corpus.harvest",
        "Take automatic translations that a decoder was sure of as parallel text, with its links of words.",
    ),
    (
        "translate-unknown",
        "app.smt.commands.corpus.harvest",
        "Translate words that a system left as they are, by their stems and a dictionary of the phrase table.",
    ),
    (
        "search-weights",
        "app.smt.commands.corpus.weight_search",
        "Search for weights of corpora and powers of scores that translate held-out text best.",
    ),
    (
        "mix-lm",
        "app.smt.commands.corpus.weighting",
        "Mix language models: weights by EM on held-out text, and the mixture as one ARPA file.",
    ),
    (
        "compact-table",
        "app.smt.commands.corpus.compact_table",
        "Write a table of Moses' text format as one that assay decode maps into memory.",
    ),
    (
        "extract-trees",
        "app.smt.commands.corpus.tree_extraction",
        "Extract the pairs of chunks that linked nodes of parallel trees have below them, as assay extract does of phrases.",
    ),
    (
        "merge-extracts",
        "app.smt.commands.corpus.merging",
        "Join extracted pairs of phrases for one table or for those of all subsets, and tell what extractions share.",
    ),
    (
        "align-trees",
        "app.smt.commands.corpus.tree_extraction",
        "Link the nodes and words of parallel trees, greedily by lexical tables.",
    ),
    (
        "filter",
        "app.smt.commands.corpus.filtering",
        "Leave out of parallel text the pairs that break rules: lengths, scripts, languages, copies, numbers, repetitions, ...",
    ),
    ("concatenate", "app.smt.commands.corpus.arranging", "Write the lines of several files one after the other."),
    (
        "slice",
        "app.smt.commands.corpus.arranging",
        "Write some lines of files side by side: the first, the last, those between, each tenth.",
    ),
    (
        "split",
        "app.smt.commands.corpus.arranging",
        "Divide files side by side in two, as into text to train on and text to measure on.",
    ),
    ("sort", "app.smt.commands.corpus.arranging", "Sort lines of files side by side by their scores."),
    (
        "word-lexicon",
        "app.smt.commands.n_best.resources",
        "Train a word lexicon on parallel text, for the feature dwl of assay rerank.",
    ),
    (
        "translation-model",
        "app.smt.commands.n_best.resources",
        "Train a small neural translation model on parallel text, for the feature neural of assay rerank.",
    ),
    (
        "continuous-space-model",
        "app.smt.commands.n_best.resources",
        "Train a continuous-space language model on text, for the feature cslm of assay rerank.",
    ),
    ("run", "app.smt.commands.recipes", "Run the steps of a recipe, those alone whose inputs or options have changed."),
    (
        "samplerank",
        "app.smt.commands.translation.sampling",
        "Learn weights of a phrase-based system by SampleRank with operators on derivations.",
    ),
    (
        "decode",
        "app.smt.commands.translation.decoding",
        "Translate by a phrase-based system: a tool for measuring, no rival of neural translation.",
    ),
    (
        "smt",
        "app.smt.commands.translation.systems",
        "Build and tune a phrase-based system of parallel text, and translate by it: a tool for measuring.",
    ),
)
