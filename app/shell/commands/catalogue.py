"""The commands, in the order of the list that `assay --help` prints."""

from typing import Final

from app.wings import attached

__all__ = ["COMMANDS"]

# The module of each command, and its line in the list of commands, which is the first of its own help.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "serve": ("app.shell.commands.server.serving", "Start the server and its workers."),
    "models": ("app.shell.commands.server.serving", "List the predictors, or show the card of one."),
    "quality": ("app.shell.commands.quality", "Predict the quality of every segment, without a reference."),
    "words": ("app.shell.commands.quality", "Say of every word and every gap whether it is OK or BAD."),
    "rank": ("app.shell.commands.quality", "Rank several systems' translations of the same sources."),
    "annotate": (
        "app.shell.commands.documents",
        "Write the quality of every segment into the file it came in; every other byte stays.",
    ),
    "features": ("app.shell.commands.features", "Compute the features of every segment, or list what there is."),
    "encode": (
        "app.shell.commands.encoding",
        "Write the vectors of texts by the encoder of ASSAY_ENCODER, as NumPy's array of 32-bit numbers, a row a text.",
    ),
    "import-checkpoint": (
        "app.shell.commands.checkpoints",
        "Import a checkpoint of COMET, TransQuest, BLEURT or MetricX, whose scores are then the metric neural:NAME.",
    ),
    "score": ("app.shell.commands.scoring", "Score system outputs against references."),
    "compare": (
        "app.shell.commands.analysis",
        "Show where a system differs from a baseline: n-grams, lengths, word frequencies, segments.",
    ),
    "correlate": ("app.shell.commands.analysis", "Measure how well metrics' scores agree with people's."),
    "train": ("app.shell.commands.training", "Train a predictor on labelled segments, or a metric on judged translations."),
    "evaluate": (
        "app.shell.commands.measuring",
        "Measure predictors on labelled segments: Pearson, Spearman, MAE, RMSE, DeltaAvg.",
    ),
    "select": ("app.shell.commands.measuring", "Choose the segments of a pool without labels that are worth annotating next."),
    "select-features": ("app.shell.commands.measuring", "Rank features, and measure accuracy against their number."),
    "feedback": (
        "app.shell.commands.feedback",
        "Send post-edits or scores to a server; list, export, correct and delete what it keeps.",
    ),
    "promote": ("app.shell.commands.upkeep", "Let this model answer for its language pair and label."),
    "rollback": ("app.shell.commands.upkeep", "Return to what answered before this model was promoted."),
    "pair": ("app.shell.commands.pairs", "Make a language pair of one's own from what people have; list and remove such pairs."),
    "lm": ("app.shell.commands.resources.building", "Estimate a language model and count n-grams."),
    "tagger": (
        "app.shell.commands.resources.building",
        "Train taggers and parsers on a treebank, and a language model of its tags.",
    ),
    "keys": (
        "app.shell.commands.server.keys",
        "Make, list, limit, rotate and revoke the keys that callers of a server need; say what was used.",
    ),
    "audit": (
        "app.shell.commands.server.audit",
        "Show who did what on a server, see that nothing in it was changed, or let old rows expire.",
    ),
    "doctor": ("app.shell.commands.server.doctor", "Look at settings, folders, disks, resources, models, database, keys and port."),
    "backup": ("app.shell.commands.server.backups", "Save the database and the data folder in one file, while the server runs."),
    "restore": ("app.shell.commands.server.backups", "Put a backup into the data folder while no server uses it."),
    "owners": ("app.shell.commands.server.retention", "Delete all that belongs to a person."),
    "expire": (
        "app.shell.commands.server.retention",
        "Delete what has expired by the settings ASSAY_KEEP_..._DAYS, as a server does every hour.",
    ),
    "jobs": ("app.shell.commands.jobs", "List, follow, cancel and fetch jobs of a server."),
    "import-lm": (
        "app.shell.commands.resources.importing",
        "Import a language model and counts of n-grams that other programs made.",
    ),
    "import-lexical": ("app.shell.commands.resources.importing", "Import lexical tables of GIZA++ or Moses, in both directions."),
    **{name: (module, summary) for name, module, summary in attached("commands")},
}
