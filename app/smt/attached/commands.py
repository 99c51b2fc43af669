"""Commands of the wing."""

from typing import Final

from app.shell.declaration.entries import entries

__all__ = ["ATTACHED"]

ATTACHED: Final = entries("app.smt.commands.options", "app.smt.commands", (
    ("nbest", "Tune, rerank, combine and analyse n-best lists."),
    ("nbest combine", "Combine outputs of several systems word by word.", "n_best.consensus", "CombineOptions", "combine"),
    ("nbest tune-local", "Choose from lists by weights tuned per sentence.", "n_best.local", "TuneLocalOptions", "tune_local"),
    ("nbest extract", "Write features and scores of lists for Moses.", "n_best.extracting", "ExtractScoresOptions", "extract_scores"),
    ("nbest mbr", "Choose translations by minimum Bayes risk.", "n_best.consensus", "MbrOptions", "mbr"),
    ("nbest oracle", "Find oracles of lists and their differences.", "n_best.oracle", "OracleOptions", "oracle"),
    ("nbest rerank", "Reorder lists by weights, with further features.", "n_best.rerank", "RerankOptions", "rerank"),
    ("nbest tune", "Tune the weights of a log-linear model.", "n_best.tuning", "TuneOptions", "tune"),
    ("corpus", "Select, filter, weight, mine and arrange parallel text; run recipes."),
    ("corpus concatenate", "Join files line after line.", "corpus.arranging", "ConcatenateOptions", "concatenate_files"),
    ("corpus slice", "Take some lines of parallel files.", "corpus.arranging", "SliceOptions", "slice_files"),
    ("corpus split", "Divide parallel files in two, as train and test.", "corpus.arranging", "SplitOptions", "split_files"),
    ("corpus sort", "Sort lines of parallel files by scores.", "corpus.arranging", "SortOptions", "sort_files"),
    ("corpus filter", "Leave out pairs that break rules of length, script, copy ...", "corpus.filtering", "FilterOptions", "filter_text"),
    ("corpus mine", "Find sentence pairs in comparable texts.", "corpus.harvest", "MineOptions", "mine"),
    ("corpus take-translations", "Take confident automatic translations as text.", "corpus.harvest", "TakeTranslationsOptions", "take"),
    ("corpus select", "Choose the best pairs by a method, up to a size.", "corpus.selection", "CorpusSelectOptions", "select_data_command"),
    ("corpus weight", "Weight pairs by corpus, perplexity, date, alignment.", "corpus.weighting", "WeightOptions", "weight"),
    ("corpus resample", "Draw pairs with replacement, by shares and scores.", "corpus.weighting", "ResampleOptions", "resample"),
    ("corpus run", "Run a recipe: the steps with changed inputs or options.", "recipes", "RunOptions", "run_steps"),
    ("smt", "Train and run phrase-based translation systems."),
    ("smt compact-table", "Write a phrase table that maps into memory.", "corpus.phrase_tables", "CompactTableOptions", "compact_table"),
    ("smt combine-tables", "Interpolate tables, or fill one up.", "corpus.phrase_tables", "CombineTablesOptions", "combine"),
    ("smt consolidate", "Join half tables to a phrase table.", "corpus.phrase_tables", "ConsolidateOptions", "consolidate_halves"),
    ("smt extract", "Extract phrase pairs from word-aligned text.", "corpus.phrase_tables", "ExtractOptions", "extract"),
    ("smt translate-unknown", "Translate unknown words by their stems.", "corpus.harvest", "TranslateUnknownOptions", "unknown"),
    ("smt merge-extracts", "Join extractions, or report their overlap.", "corpus.trees", "MergeExtractsOptions", "merge"),
    ("smt phrase-table", "Make phrase and reordering tables.", "corpus.phrase_tables", "PhraseTableOptions", "phrase_table"),
    ("smt profile-reordering", "Count the reordering of word-aligned text.", "corpus.word_order", "ProfileReorderingOptions", "profile"),
    ("smt prune-table", "Prune a phrase table by Fisher's exact test.", "corpus.phrase_tables", "PruneTableOptions", "prune"),
    ("smt extract-trees", "Extract phrase pairs below linked tree nodes.", "corpus.trees", "ExtractTreesOptions", "extract"),
    ("smt align-trees", "Link nodes and words of parallel trees.", "corpus.trees", "AlignTreesOptions", "align"),
    ("smt convert-trees", "Convert trees, or write their words.", "corpus.trees", "ConvertTreesOptions", "convert"),
    ("smt search-weights", "Search weights of corpora by translating text.", "corpus.weight_search", "SearchWeightsOptions", "search"),
    ("smt decode", "Translate by a moses.ini.", "translation.decoding", "DecodeOptions", "decode"),
    ("smt samplerank", "Learn the weights of a system by SampleRank.", "translation.sampling", "SamplerankOptions", "samplerank"),
    ("smt import", "Pack a system for smt translate-pair and for quality.", "translation.served", "ImportOptions", "import_system"),
    ("smt translate-pair", "Translate with an imported system, here or on a server.", "translation.served", "TranslatePairOptions", "translate"),
    ("smt train", "Train a phrase-based system on parallel text.", "translation.systems", "SmtTrainOptions", "train_smt"),
    ("smt translate", "Translate by a system of assay smt train.", "translation.systems", "SmtTranslateOptions", "translate_smt"),
    ("resources mix-lm", "Mix language models by EM or given weights.", "corpus.weighting", "MixLmOptions", "mix_lm"),
    ("resources word-lexicon", "Train a word lexicon, for nbest rerank.", "n_best.resources", "WordLexiconOptions", "word_lexicon"),
    ("resources translation-model", "Train a small neural translation model.", "n_best.resources", "TranslationModelOptions", "translation_model"),
    ("resources continuous-space-model", "Train a continuous-space language model.", "n_best.resources", "ContinuousSpaceModelOptions", "continuous_space_model"),
))  # fmt: skip
