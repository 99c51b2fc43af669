# Examples of the page of commands, in an order in which they can run: later ones read what earlier ones have written.
assay serve
assay quality FILE --pair ro-en
assay review LOCALES --no-predict
assay words FILE --pair ro-en
assay annotate FILE -o SCORED
assay features FILE --pair ro-en
assay rank SOURCE A B --pair ro-en
assay choose SOURCE A B --pair ro-en --min-quality 0.5
assay score REFERENCE -i OUTPUT -m bleu
assay resources import-checkpoint CHECKPOINT --name my-comet --licence Apache-2.0 --encoder ENCODER
assay compare REFERENCE --baseline OLD --system NEW
assay correlate TABLE --human COLUMN -m COLUMN
assay mqm MQM --reference ref
assay mcp
assay nbest oracle NBEST -r REFERENCE
assay nbest mbr NBEST -m chrf
assay nbest mbr A B -m ter
assay nbest combine A B --paths 20
assay nbest rerank NBEST --weights FILE
assay train FILE --pair ro-en --label hter
assay nbest tune NBEST -r REFERENCE --out weights.json
assay nbest extract NBEST -r REFERENCE --features run1.features.dat --scores run1.scores.dat
assay nbest tune-local NBEST -r REFERENCE --source SOURCE --test NBEST --test-source SOURCE
assay models select-features FILE --pair ro-en --label hter
assay feedback send FILE --pair ro-en --model ID
assay feedback send FILE
assay feedback list
assay feedback export
assay feedback correct ID --post-edit TEXT
assay feedback delete ID
assay models promote MODEL
assay models rollback MODEL
assay evaluate FILE --pair ro-en --label-column hter
assay plan FILE --pair ro-en
assay campaign make source.txt old=prod.txt new=out.txt --pair ro-en --segments 10 --output campaign.json
assay campaign read annotations.jsonl
assay select FILE --pair ro-en --count 100
assay learn FILE --pair ro-en --label hter
assay models list
assay models show ro-en-hter-gp-17
assay pair add en-fr FILE
assay pair list
assay pair remove en-fr
assay resources lm FILE --language ro
assay corpus run recipe.yaml
assay resources import-lm lm.arpa --counts counts --language ro
assay resources import-lexical lex.f2e lex.e2f --pair ro-en
assay resources align SOURCE TARGET --links links --save aligner
assay resources align SOURCE TARGET --model aligner --links -
assay resources align --symmetrise FORWARD REVERSE --links both --heuristic union
assay resources align SOURCE TARGET --pair ro-en --topics
assay smt extract SOURCE TARGET LINKS --out extracted --orientation hier-mslr
assay smt extract SOURCE TARGET LINKS --out numbered --numbered
assay smt profile-reordering SOURCE TARGET LINKS --format json
assay smt phrase-table extracted --out phrase-tables --reordering hier-mslr-bidirectional-fe
assay smt phrase-table extracted --out bins --count-bins 1,2,5 --unaligned-penalty --phrase-count --min-score 2:0.0001 --halves
assay corpus filter SOURCE TARGET --max-words 50 --unique --out-source kept.source --out-target kept.target
assay corpus concatenate source.txt ref.txt --out both.txt
assay corpus slice source.txt ref.txt --stop 10 --out first.txt --out first.ref
assay corpus split source.txt ref.txt --lines 20 --out held.txt --out held.ref --rest others.txt --rest others.ref
assay corpus select SOURCE TARGET --method random --words 300 --out-source chosen.source --out-target chosen.target
assay corpus select SOURCE TARGET --method moore-lewis --in-source A --scores differences
assay corpus sort SOURCE TARGET --by differences --out sorted.source --out sorted.target
assay smt convert-trees FILE --to brackets --out bracketed
assay smt prune-table phrase-tables/phrase-table.gz SOURCE TARGET --out pruned.gz
assay corpus mine SOURCE OUTPUT TARGET --out mined
assay corpus take-translations SOURCE linked.nbest --out taken --most-cost 5
assay smt translate-unknown SOURCE OUTPUT --table four --language ro --lm first.arpa --out translated.txt
assay corpus weight SOURCE --corpora corpora --held-out FILE --out weights --table scores
assay corpus resample SOURCE TARGET LINKS --out resampled --factor 2
assay smt search-weights numbered --pair-scores scores --config tables.ini --source SOURCE --reference TARGET --trials 2 --out searched.json
assay resources mix-lm first.arpa second.arpa --held-out SOURCE --out mixed.arpa
assay smt compact-table phrase-tables/phrase-table.gz --out phrase-table.compact
assay smt extract-trees SOURCE_TREES TARGET_TREES WORD_LINKS --method dep --out chunks
assay smt merge-extracts d=chunks --out merged
assay smt consolidate bins/phrase-table.half.f2e.gz bins/phrase-table.half.e2f.gz --out consolidated.gz
assay smt combine-tables phrase-tables/phrase-table.gz pruned.gz --method fill-up --out filled.gz
assay smt align-trees SOURCE_TREES TARGET_TREES WORD_LINKS --method dep --out nodes
assay smt samplerank source.txt ref.txt --config system.ini --epochs 1 --out sampled.ini
assay smt decode source.txt --config system.ini
assay smt preorder train SOURCE TARGET LINKS --out grammar --iterations 3
assay smt preorder apply grammar source.txt --to plf
assay smt preorder train SOURCE TARGET LINKS --out bracketing --method bracketing --models 2
assay smt preorder evaluate ORDERS SOURCE TARGET LINKS
assay smt train SOURCE TARGET --out system --untuned
assay smt translate system source.txt --n-best lists 10
assay smt import system --pair de-en
assay smt translate-pair source.txt --pair de-en --n-best lists 10
assay resources word-lexicon SOURCE TARGET --out lexicon
assay resources translation-model SOURCE TARGET --out model
assay resources continuous-space-model TARGET --out model
assay resources tagger TREEBANK --language ro
assay smt preorder head-final source.txt --language ro --to tree
assay resources grammar trees.txt --language en
assay resources names entities.tsv --test test.tsv --language en
assay server audit
assay server compile
assay server doctor
assay server workers
assay server work
assay server backup FILE
assay server restore FILE
assay server expire
assay server owners delete NAME
assay jobs list
assay jobs submit FILE
assay jobs show ID
assay jobs wait ID
assay jobs cancel ID
assay jobs retry ID
assay jobs result ID
assay server keys create night-build --scopes score,jobs --expires 90d
assay server keys create cat-tool --scopes quality,feedback --pairs ro-en,et-en --owner translators
assay server keys create reseller --scopes quality,jobs --rate "10000 segments/minute" --rate "2000000 characters/day" --jobs-at-once 5 --stored 2GB
assay server keys limit reseller --rate "50000 segments/minute" --jobs-at-once settings
assay server keys usage reseller --by day --format tsv
assay server keys list
assay server keys rotate night-build
assay server keys revoke night-build
assay score ref.txt -i old=prod.txt new=candidate.txt -m bleu chrf --baseline old --fail-if-worse --fail-below bleu=30
assay quality memory.xlf --pair ro-en --fail-on copied-source,wrong-language,empty
assay quality memory.xlf --pair ro-en --fail-on any
assay score ref.txt -i old=prod.txt -m bleu chrf --save-scores prod.scores.json
assay score ref.txt -i new=candidate.txt -m bleu chrf --baseline prod.scores.json --fail-unless-better
assay pair add en-fr memory.tmx # or two texts: assay pair add en-fr a.en b.fr
assay pair add en-fr memory.tmx --labels judged.tsv --replace # with a predictor and a word tagger
assay resources lm train.tsv:source --language en
assay resources lm train.tsv:target --language fr
assay resources align train.tsv:source train.tsv:target --pair en-fr
assay train labelled.tsv --pair en-fr --label hter --label-column hter
