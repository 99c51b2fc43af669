"""The commands of the program, in the order of help."""

from typing import Final

from app.shell.declaration.entries import Entry, entries
from app.wings import attached

__all__ = ["COMMANDS", "EVERYDAY"]

# Commands and groups of the first panel of `assay --help`; other groups are in the second.
EVERYDAY: Final = (
    "serve", "quality", "review", "words", "annotate", "rank", "score", "compare", "correlate", "mqm", "plan", "features",
    "train", "evaluate", "select", "learn", "campaign", "feedback", "models", "pair", "jobs",
)  # fmt: skip
# Name and summary; of a command also its module below `options` and `commands`, its declaration and its function. A command without
# a function has one module, below `commands`, and its declaration has a method `run`.
CORE: Final = entries("app.shell.options", "app.shell.commands", (
    ("serve", "Start the server and its workers.", "server.serving", "ServeOptions", "serve"),
    ("quality", "Predict the quality of segments, without references.", "quality", "QualityOptions", "print_quality"),
    ("review", "Review translated files: of a pull request, or all.", "review", "ReviewOptions"),
    ("words", "Tag every word and gap as OK or BAD.", "quality", "WordsOptions", "print_words"),
    ("annotate", "Write the quality of segments into their own file.", "documents", "AnnotateOptions", "annotate"),
    ("rank", "Rank several systems' translations of the same sources.", "ranking", "RankOptions", "print_ranks"),
    ("score", "Score system outputs against references.", "scoring", "ScoreOptions", "score"),
    ("compare", "Show where a system differs from a baseline.", "analysis", "CompareOptions", "compare"),
    ("correlate", "Measure the agreement of metrics with human scores.", "analysis", "CorrelateOptions", "correlate"),
    ("mqm", "Print MQM judgements as a table of scores and error spans.", "mqm", "MqmOptions"),
    ("plan", "Estimate time, memory and price of a run over large tables.", "large_tables.plan", "PlanOptions"),
    ("features", "Compute the features of segments, or list features.", "features", "FeaturesOptions", "features"),
    ("train", "Train a predictor on labelled segments, or a metric.", "training", "TrainOptions", "train"),
    ("evaluate", "Measure predictors on labelled segments, or word taggers on tagged ones.", "measuring", "EvaluateOptions", "evaluate"),
    ("select", "Choose segments of a pool to annotate next.", "measuring", "SelectOptions", "select"),
    ("learn", "Choose segments to label next in rounds, up to a plateau.", "learning", "LearnOptions", "learn"),
    ("campaign", "Have people judge translations in Pearmut, and read their judgements."),
    ("campaign make", "Write a campaign of Pearmut from translations of systems.", "campaigns.making", "CampaignMakeOptions"),
    ("campaign read", "Print the judgements of Pearmut's logs as a table.", "campaigns.reading", "CampaignReadOptions"),
    ("feedback", "Send post-edits or scores to a server; list, export, correct and delete them."),
    ("feedback send", "Send post-edits or scores to a server.", "feedback", "FeedbackSendOptions", "send"),
    ("feedback list", "List judgements, newest first.", "feedback", "FeedbackListOptions", "list_feedback"),
    ("feedback export", "Print judgements with their texts, newest first.", "feedback", "FeedbackExportOptions", "export"),
    ("feedback correct", "Replace the post-edit or score of a judgement.", "feedback", "FeedbackCorrectOptions", "correct"),
    ("feedback delete", "Delete a judgement for good.", "feedback", "FeedbackDeleteOptions", "delete"),
    ("models", "List, promote and roll back models; rank features."),
    ("models select-features", "Rank features, and measure accuracy by their number.", "measuring", "ModelsSelectFeaturesOptions", "select_features"),
    ("models list", "List the models.", "server.serving", "ModelsListOptions", "list_models"),
    ("models show", "Print the card of a model.", "server.serving", "ModelsShowOptions", "show_model"),
    ("models promote", "Make a model the default of its language pair.", "upkeep", "ModelsPromoteOptions", "promote"),
    ("models rollback", "Undo promote.", "upkeep", "ModelsRollbackOptions", "rollback"),
    ("pair", "Add a language pair from your own texts; list and remove such pairs."),
    ("pair add", "Add a language pair: resources, and with labels models.", "pairs", "PairAddOptions", "add"),
    ("pair list", "List the pairs that were added here.", "pairs", "PairListOptions", "list_pairs"),
    ("pair remove", "Remove an added pair with its models.", "pairs", "PairRemoveOptions", "remove"),
    ("jobs", "List, follow, cancel and fetch the jobs of a server."),
    ("jobs list", "List jobs, newest first.", "jobs", "JobsListOptions", "list_jobs"),
    ("jobs submit", "Queue a job and print its id.", "jobs", "JobsSubmitOptions", "submit"),
    ("jobs show", "Print a job as JSON.", "jobs", "JobsShowOptions", "show"),
    ("jobs wait", "Wait for the end of a job; exit 2 unless it succeeds.", "jobs", "JobsWaitOptions", "wait"),
    ("jobs cancel", "Cancel an unfinished job.", "jobs", "JobsCancelOptions", "cancel"),
    ("jobs retry", "Queue a failed or cancelled job again.", "jobs", "JobsRetryOptions", "retry"),
    ("jobs result", "Print the result of a job.", "jobs", "JobsResultOptions", "result"),
    ("resources", "Language models, alignments, taggers, lexicons, checkpoints."),
    ("resources import-checkpoint", "Import COMET, TransQuest, BLEURT or MetricX.", "checkpoints", "ImportCheckpointOptions", "import_checkpoint"),
    ("resources align", "Align words: links, an aligner, lexical tables.", "resources.alignment", "AlignOptions", "align"),
    ("resources lm", "Estimate a language model and count n-grams.", "resources.building", "LmOptions", "lm"),
    ("resources tagger", "Train taggers and parsers on a treebank.", "resources.building", "TaggerOptions", "tagger"),
    ("resources grammar", "Induce a grammar from trees in brackets.", "resources.building", "GrammarOptions", "grammar"),
    ("resources names", "Train a tagger of named entities.", "resources.building", "NamesOptions", "names"),
    ("resources import-lm", "Import a language model and n-gram counts.", "resources.importing", "ImportLmOptions", "import_lm"),
    ("resources import-lexical", "Import lexical tables of GIZA++ or Moses.", "resources.importing", "ImportLexicalOptions", "import_lexical"),
    ("server", "Keys, audit log, backup, health check and retention of a server."),
    ("server keys", "Create, list, limit, rotate and revoke the keys of callers."),
    ("server owners", "Delete everything that belongs to a person."),
    ("server audit", "Show, verify or expire the audit log.", "server.audit", "AuditOptions", "audit"),
    ("server backup", "Save database and data folder in one file.", "server.backups", "BackupOptions", "backup"),
    ("server restore", "Put a backup into an unused data folder.", "server.backups", "RestoreOptions", "restore"),
    ("server compile", "Compile kernels, as installing does; quick where all are fresh.", "server.compiling", "CompileOptions"),
    ("server doctor", "Check settings, disks, resources, models and keys.", "server.doctor", "DoctorOptions", "doctor"),
    ("server keys create", "Create a key and print its token once.", "server.keys", "KeysCreateOptions", "create"),
    ("server keys list", "List the keys, without tokens.", "server.keys", "KeysListOptions", "list_keys"),
    ("server keys rotate", "Give a key a new token.", "server.keys", "KeysRotateOptions", "rotate"),
    ("server keys revoke", "Revoke a key; it stays on record.", "server.keys", "KeysRevokeOptions", "revoke"),
    ("server keys limit", "Change the limits of a key.", "server.keys", "KeysLimitOptions", "limit_key"),
    ("server keys usage", "Show the use of keys by month or day (UTC).", "server.keys", "KeysUsageOptions", "usage"),
    ("server work", "Run workers of a server on a further machine.", "server.workers", "WorkOptions"),
    ("server workers", "List the workers of all machines.", "server.workers", "WorkersOptions"),
    ("server expire", "Delete expired jobs, files and feedback.", "server.retention", "ExpireOptions", "expire"),
    ("server owners delete", "Delete keys, jobs, files and feedback of a person.", "server.retention", "OwnersDeleteOptions", "delete_owner"),
))  # fmt: skip
COMMANDS: Final[dict[str, Entry]] = {entry.name: entry for entry in (*CORE, *attached("commands"))}
