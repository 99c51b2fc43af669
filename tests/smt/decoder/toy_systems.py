"""Two small systems, Romanian to English and back, as resources of one's own: a dictionary, a few phrases, and a language model."""

from collections.abc import Sequence
from pathlib import Path

from app.building.arpa import write_arpa
from app.building.kneser_ney import estimate_language_model
from app.smt.decoder.serving.packing import pack_system
from app.text import pack_tokens
from app.text.languages import LanguagePair

__all__ = ["EN_RO", "RO_EN", "add_toy_systems", "write_configuration"]

Phrases = Sequence[tuple[str, str, float]]
RO_EN: Phrases = (
    ("casa", "the house", 0.7), ("casa", "house", 0.3), ("casa mea", "my house", 0.9), ("este", "is", 0.9), ("este", "it is", 0.1),
    ("mare", "big", 0.5), ("mare", "large", 0.4), ("mare", "sea", 0.1), ("roșie", "red", 0.9), ("mea", "my", 0.9),
    ("un om", "a man", 0.8), ("om", "man", 0.9), ("doarme", "sleeps", 0.6), ("doarme", "is sleeping", 0.4), (".", ".", 1.0),
    ("aici", "here", 0.9), ("acolo", "there", 0.9), ("și", "and", 1.0), ("<b>", "<b>", 1.0),
)  # fmt: skip
EN_RO: Phrases = tuple((target, source, score) for source, target, score in RO_EN)
TEXT = {
    "en": ["the house is big .", "my house is red .", "a man sleeps here .", "the man is there .", "the house is large and red ."],
    "ro": ["casa este mare .", "casa mea este roșie .", "un om doarme aici .", "om este acolo .", "casa este mare și roșie ."],
}


def write_configuration(folder: Path, phrases: Phrases, language: str) -> Path:
    """A moses.ini with a text table, models of orientation and an ARPA file of `language`."""
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(phrases)
    table = [f"{source} ||| {target} ||| {score} {score / 2:g} ||| 0-0\n" for source, target, score in ordered]
    (folder / "table").write_text("".join(table), "utf-8")
    orders = [f"{source} ||| {target} ||| 0.6 0.2 0.2 0.5 0.3 0.2\n" for source, target, _ in ordered]
    (folder / "orders").write_text("".join(orders), "utf-8")
    write_arpa(estimate_language_model(pack_tokens([line.split() for line in TEXT[language]]), 3), folder / "lm.arpa")
    config = folder / "moses.ini"
    config.write_text(
        "# a comment\n[distortion-limit]\n4\n[stack]\n50\n[feature]\nUnknownWordPenalty\nWordPenalty\nPhrasePenalty\n"
        "PhraseDictionaryMemory name=T num-features=2 path=table table-limit=5\n"
        "LexicalReordering name=R type=phrase-msd-bidirectional-fe num-features=6 path=orders # of phrases\nDistortion\n"
        "KENLM name=LM factor=0 order=3 path=lm.arpa\n"
        "[weight]\nUnknownWordPenalty0= 1\nWordPenalty0= -0.3\nPhrasePenalty0= 0.1\nT= 0.4 0.2\nR= 0.1 0.1 0.1 0.1 0.1 0.1\n"
        "Distortion0= 0.2\nLM= 0.5\n",
        "utf-8",
    )
    return config


def add_toy_systems(resources: Path, scratch: Path) -> None:
    """Pack both into a folder of resources; the first takes text as people write it, the other one words between blanks."""
    for source, target, phrases in (("ro", "en", RO_EN), ("en", "ro", EN_RO)):
        config = write_configuration(scratch / f"{source}-{target}", phrases, target)
        pair = LanguagePair(source, target)
        pack_system(config, pair, resources / pair.file_name / "system", True, source == "ro", licence="CC0-1.0")
