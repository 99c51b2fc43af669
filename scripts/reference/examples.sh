# Examples of the page of commands, in an order in which they can run: later ones read what earlier ones have written.
assay serve
assay quality FILE --pair ro-en
assay words FILE --pair ro-en
assay annotate FILE -o SCORED
assay features FILE --pair ro-en
assay encode FILE -o VECTORS
assay rank SOURCE A B --pair ro-en
assay score REFERENCE -i OUTPUT -m bleu
assay import-checkpoint CHECKPOINT --name my-comet --licence Apache-2.0 --encoder ENCODER
assay compare REFERENCE --baseline OLD --system NEW
assay correlate TABLE --human COLUMN -m COLUMN
assay oracle NBEST -r REFERENCE
assay mbr NBEST -m chrf
assay mbr A B -m ter
assay combine A B --paths 20
assay rerank NBEST --weights FILE
assay train FILE --pair ro-en --label hter
assay tune NBEST -r REFERENCE --out weights.json
assay tune-local NBEST -r REFERENCE --source SOURCE --test NBEST --test-source SOURCE
assay select-features FILE --pair ro-en --label hter
assay feedback FILE --pair ro-en --model ID
assay feedback send FILE
assay feedback list
assay feedback export
assay feedback correct ID --post-edit TEXT
assay feedback delete ID
assay promote MODEL
assay rollback MODEL
assay evaluate FILE --pair ro-en --label-column hter
assay select FILE --pair ro-en --count 100
assay models
assay pair add en-fr FILE
assay pair list
assay pair remove en-fr
assay lm FILE --language ro
assay run recipe.yaml
assay import-lm lm.arpa --counts counts --language ro
assay import-lexical lex.f2e lex.e2f --pair ro-en
assay align SOURCE TARGET --links links --save aligner
assay align SOURCE TARGET --model aligner --links -
assay align --symmetrise FORWARD REVERSE --links both --heuristic union
assay align SOURCE TARGET --pair ro-en
assay extract SOURCE TARGET LINKS --out extracted --orientation hier-mslr
assay extract SOURCE TARGET LINKS --out numbered --numbered
assay phrase-table extracted --out phrase-tables --reordering hier-mslr-bidirectional-fe
assay phrase-table extracted --out bins --count-bins 1,2,5 --unaligned-penalty --phrase-count --min-score 2:0.0001 --halves
assay filter SOURCE TARGET --max-words 50 --unique --out-source kept.source --out-target kept.target
assay concatenate source.txt ref.txt --out both.txt
assay slice source.txt ref.txt --stop 10 --out first.txt --out first.ref
assay split source.txt ref.txt --lines 20 --out held.txt --out held.ref --rest others.txt --rest others.ref
assay select-data SOURCE TARGET --method random --words 300 --out-source chosen.source --out-target chosen.target
assay select-data SOURCE TARGET --method moore-lewis --in-source A --scores differences
assay sort SOURCE TARGET --by differences --out sorted.source --out sorted.target
assay convert-trees FILE --to brackets --out bracketed
assay prune-table phrase-tables/phrase-table.gz SOURCE TARGET --out pruned.gz
assay mine SOURCE OUTPUT TARGET --out mined
assay take-translations SOURCE linked.nbest --out taken --most-cost 5
assay translate-unknown SOURCE OUTPUT --table four --language ro --lm first.arpa --out translated.txt
assay weight SOURCE --corpora corpora --held-out FILE --out weights --table scores
assay resample SOURCE TARGET LINKS --out resampled --factor 2
assay search-weights numbered --pair-scores scores --config tables.ini --source SOURCE --reference TARGET --trials 2 --out searched.json
assay mix-lm first.arpa second.arpa --held-out SOURCE --out mixed.arpa
assay compact-table phrase-tables/phrase-table.gz --out phrase-table.compact
assay extract-trees SOURCE_TREES TARGET_TREES WORD_LINKS --method dep --out chunks
assay merge-extracts d=chunks --out merged
assay align-trees SOURCE_TREES TARGET_TREES --method dep --links WORD_LINKS --out nodes
assay samplerank source.txt ref.txt --config system.ini --epochs 1 --out sampled.ini
assay decode source.txt --config system.ini
assay smt train SOURCE TARGET --out system --untuned
assay smt translate system source.txt --n-best lists 10
assay import-system system --pair de-en
assay translate source.txt --pair de-en --n-best lists 10
assay word-lexicon SOURCE TARGET --out lexicon
assay translation-model SOURCE TARGET --out model
assay continuous-space-model TARGET --out model
assay tagger TREEBANK --language ro
assay audit
assay doctor
assay backup FILE
assay restore FILE
assay expire
assay owners delete NAME
assay jobs list
assay jobs submit FILE
assay jobs show ID
assay jobs wait ID
assay jobs cancel ID
assay jobs retry ID
assay jobs result ID
assay keys create night-build --scopes score,jobs --expires 90d
assay keys create cat-tool --scopes quality,feedback --pairs ro-en,et-en --owner translators
assay keys create reseller --scopes quality,jobs --rate "10000 segments/minute" --rate "2000000 characters/day" --jobs-at-once 5 --stored 2GB
assay keys limit reseller --rate "50000 segments/minute" --jobs-at-once settings
assay keys usage reseller --by day --format tsv
assay keys list
assay keys rotate night-build
assay keys revoke night-build
assay score ref.txt -i old=prod.txt new=candidate.txt -m bleu chrf --baseline old --fail-if-worse --fail-below bleu=30
assay quality memory.xlf --pair ro-en --fail-on copied-source,wrong-language,empty
assay quality memory.xlf --pair ro-en --fail-on any
assay score ref.txt -i old=prod.txt -m bleu chrf --save-scores prod.scores.json
assay score ref.txt -i new=candidate.txt -m bleu chrf --baseline prod.scores.json --fail-unless-better
assay pair add en-fr memory.tmx # or two texts: assay pair add en-fr a.en b.fr
assay pair add en-fr memory.tmx --labels judged.tsv --replace # with a predictor and a word tagger
assay lm train.tsv:source --language en
assay lm train.tsv:target --language fr
assay align train.tsv:source train.tsv:target --pair en-fr
assay train labelled.tsv --pair en-fr --label hter --label-column hter
