"""What a list holds beside what the decoder put first: oracles, their ranks, filters, movements, features that tell them apart."""
