"""Statistical machine translation: n-best lists, tuning, corpora, decoding. The core never imports this package."""
