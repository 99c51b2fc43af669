"""Metrics that count words and characters: BLEU, chrF, TER, WER, PER, NIST, SIMPBLEU."""
