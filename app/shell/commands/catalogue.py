"""The commands there are, in the order of the list that `assay --help` prints."""

from typing import Final

__all__ = ["COMMANDS"]

# The module of each command, and its line in the list of commands, which is the first of its own help.
COMMANDS: Final = {
    "serve": ("server.serving", "Start the server and its workers."),
    "models": ("server.serving", "List the predictors, or show the card of one."),
    "quality": ("quality", "Predict the quality of every segment, without a reference."),
    "words": ("quality", "Say of every word and every gap whether it is OK or BAD."),
    "rank": ("quality", "Rank several systems' translations of the same sources."),
    "annotate": ("documents", "Write the quality of every segment into the file it came in; every other byte stays."),
    "features": ("features", "Compute the features of every segment, or list what there is."),
    "encode": (
        "encoding",
        "Write the vectors of texts by the encoder of ASSAY_ENCODER, as NumPy's array of 32-bit numbers, a row a text.",
    ),
    "import-checkpoint": (
        "checkpoints",
        "Import a checkpoint of COMET, TransQuest, BLEURT or MetricX, whose scores are then the metric neural:NAME.",
    ),
    "score": ("scoring", "Score system outputs against references."),
    "compare": ("analysis", "Show where a system differs from a baseline: n-grams, lengths, word frequencies, segments."),
    "correlate": ("analysis", "Measure how well metrics' scores agree with people's."),
    "tune": ("n_best.tuning", "Tune the weights of a log-linear model on n-best lists."),
    "tune-local": (
        "n_best.local",
        "Choose from n-best lists by weights that are tuned for each sentence, on development sentences like it.",
    ),
    "oracle": (
        "n_best.oracle",
        "Find the oracles of n-best lists: how good they are, where they stand, and what tells them apart.",
    ),
    "rescore-grid": ("n_best.grid", "Rescore n-best lists of several sizes towards their oracles, as a grid of tables."),
    "mbr": ("n_best.mbr", "Choose of each segment's translations the one that the others agree with most, by any metric."),
    "combine": (
        "n_best.combine",
        "Combine outputs of several systems word by word, with equal votes or with weights that are tuned.",
    ),
    "tune-report": ("n_best.report", "Report what methods of tuning are worth: runs, systems, learning curves, metrics."),
    "rerank": ("n_best.rerank", "Put n-best lists into the order of weights, with features that the decoder did not have."),
    "train": ("training", "Train a predictor on labelled segments, or a metric on judged translations."),
    "evaluate": ("measuring", "Measure predictors on labelled segments: Pearson, Spearman, MAE, RMSE, DeltaAvg."),
    "select": ("measuring", "Choose the segments of a pool without labels that are worth annotating next."),
    "select-features": ("measuring", "Rank features, and measure accuracy against their number."),
    "feedback": ("feedback", "Send post-edits or scores to a server; list, export, correct and delete what it keeps."),
    "promote": ("upkeep", "Let this model answer for its language pair and label."),
    "rollback": ("upkeep", "Return to what answered before this model was promoted."),
    "pair": ("pairs", "Make a language pair of one's own from what people have; list and remove such pairs."),
    "lm": ("building", "Estimate a language model and count n-grams."),
    "import-lm": ("corpus.importing", "Import a language model and counts of n-grams that other programs made."),
    "import-lexical": ("corpus.importing", "Import lexical tables of GIZA++ or Moses, in both directions."),
    "import-system": (
        "translation.served",
        "Pack a phrase-based system into one folder, for translate and for features of quality estimation.",
    ),
    "translate": (
        "translation.served",
        "Translate by a phrase-based system that was imported: a tool for measuring, no rival of neural translation.",
    ),
    "align": ("corpus.alignment", "Align words: write links, scores and a saved aligner, or lexical tables in both directions."),
    "extract": ("corpus.extraction", "Extract the pairs of phrases that agree with links of words, as Moses' extract does."),
    "phrase-table": (
        "corpus.phrase_tables",
        "Make a phrase table and tables of orientations of extracted pairs of phrases, as Moses does.",
    ),
    "select-data": ("corpus.selection", "Choose the best pairs of parallel text by a method, up to a number of pairs or words."),
    "select-study": (
        "corpus.selection_study",
        "Tune on what methods choose of development text, in several sizes, and tell mean and deviation of what it is worth.",
    ),
    "convert-trees": (
        "corpus.tree_forms",
        "Write the words of a treebank, or its trees in another form: brackets, Moses' XML, governors of words.",
    ),
    "prune-table": (
        "corpus.pruning",
        "Leave out pairs of phrases that share no more sentences than by chance, by Fisher's exact test.",
    ),
    "weight": ("corpus.weighting", "Weigh sentence pairs by corpus, in-domain perplexity, recency and alignment."),
    "resample": ("corpus.weighting", "Resample sentence pairs and their links with replacement, by shares of corpora and scores."),
    "mine": ("corpus.harvest", "Find pairs of sentences in comparable texts: retrieval by automatic translations, then TER."),
    "take-translations": (
        "corpus.harvest",
        "Take automatic translations that a decoder was sure of as parallel text, with its links of words.",
    ),
    "translate-unknown": (
        "corpus.harvest",
        "Translate words that a system left as they are, by their stems and a dictionary of the phrase table.",
    ),
    "search-weights": (
        "corpus.weight_search",
        "Search for weights of corpora and powers of scores that translate held-out text best.",
    ),
    "mix-lm": ("corpus.weighting", "Mix language models: weights by EM on held-out text, and the mixture as one ARPA file."),
    "compact-table": ("corpus.compact_table", "Write a table of Moses' text format as one that assay decode maps into memory."),
    "extract-trees": (
        "corpus.tree_extraction",
        "Extract the pairs of chunks that linked nodes of parallel trees have below them, as assay extract does of phrases.",
    ),
    "merge-extracts": (
        "corpus.merging",
        "Join extracted pairs of phrases for one table or for those of all subsets, and tell what extractions share.",
    ),
    "align-trees": ("corpus.tree_extraction", "Link the nodes and words of parallel trees, greedily by lexical tables."),
    "filter": (
        "corpus.filtering",
        "Leave out of parallel text the pairs that break rules: lengths, scripts, languages, copies, numbers, repetitions, ...",
    ),
    "concatenate": ("lines.arranging", "Write the lines of several files one after the other."),
    "slice": ("lines.arranging", "Write some lines of files side by side: the first, the last, those between, each tenth."),
    "split": ("lines.arranging", "Divide files side by side in two, as into text to train on and text to measure on."),
    "sort": ("lines.arranging", "Sort lines of files side by side by their scores."),
    "word-lexicon": ("n_best.resources", "Train a word lexicon on parallel text, for the feature dwl of assay rerank."),
    "translation-model": (
        "n_best.resources",
        "Train a small neural translation model on parallel text, for the feature neural of assay rerank.",
    ),
    "continuous-space-model": (
        "n_best.resources",
        "Train a continuous-space language model on text, for the feature cslm of assay rerank.",
    ),
    "tagger": ("building", "Train taggers and parsers on a treebank, and a language model of its tags."),
    "run": ("recipes", "Run the steps of a recipe, those alone whose inputs or options have changed."),
    "samplerank": ("translation.sampling", "Learn weights of a phrase-based system by SampleRank with operators on derivations."),
    "decode": ("translation.decoding", "Translate by a phrase-based system: a tool for measuring, no rival of neural translation."),
    "smt": (
        "translation.systems",
        "Build and tune a phrase-based system of parallel text, and translate by it: a tool for measuring.",
    ),
    "keys": ("server.keys", "Make, list, limit, rotate and revoke the keys that callers of a server need; say what was used."),
    "audit": ("server.audit", "Show who did what on a server, see that nothing in it was changed, or let old rows expire."),
    "doctor": ("server.doctor", "Look at settings, folders, disks, resources, models, database, keys and port."),
    "backup": ("server.backups", "Save the database and the data folder in one file, while the server runs."),
    "restore": ("server.backups", "Put a backup into the data folder while no server uses it."),
    "owners": ("server.retention", "Delete all that belongs to a person."),
    "expire": ("server.retention", "Delete what has expired by the settings ASSAY_KEEP_..._DAYS, as a server does every hour."),
    "jobs": ("jobs", "List, follow, cancel and fetch jobs of a server."),
}
