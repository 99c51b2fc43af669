"""Folders of resources that are named for more than a language."""

from pathlib import Path

from app.resources.loading import open_resources
from app.settings import ROOT
from app.text import LanguagePair


def test_a_folder_for_the_fuller_tag_answers_before_its_language(tmp_path: Path) -> None:
    folders = {"ro": "ro", "en": "en", "ro-MD": "ro", "ro-en": "ro-en", "ro-MD-en": "ro-en", "en-zh-Hant": "en-zh", "zh": "zh"}
    for name, shipped in folders.items():
        (tmp_path / name).symlink_to(ROOT / "resources" / shipped)
    loaded = open_resources(tmp_path)
    assert not loaded.broken
    # zh-Hant has no model of its own: that of zh is what there is.
    assert [str(pair) for pair in loaded.pairs] == ["en:zh-Hant", "ro-en", "ro-MD:en"]
    assert loaded.sets(LanguagePair("ro-MD", "en"))[0].source is loaded.languages["ro-MD"]
    assert loaded.sets(LanguagePair("en", "zh-Hant"))[0].target is loaded.languages["zh"]
    answering = {
        wanted: LanguagePair.parse(wanted).nearest(loaded.pairs) for wanted in ("ro-MD:en-US", "ro-RO:en", "en-zh", "en:zh-TW")
    }
    assert {wanted: str(pair) for wanted, pair in answering.items()} == {
        "ro-MD:en-US": "ro-MD:en", "ro-RO:en": "ro-en", "en-zh": "None", "en:zh-TW": "en:zh-Hant",
    }  # fmt: skip
