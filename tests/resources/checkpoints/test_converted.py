"""Graphs that `assay resources import-checkpoint` exports. The tests need the extra `convert`, which CI lacks, and are skipped without it."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from app.resources.checkpoints import Checkpoint

DATA = Path(__file__).parent / "data"


def test_exported_graph_scores_as_transformers_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    pytest.importorskip("onnx")
    from app.errors import InputError
    from app.resources.checkpoints.conversion import ImportRequest, graph, import_checkpoint

    torch.manual_seed(1)
    config = transformers.XLMRobertaConfig(
        vocab_size=200, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24, max_position_embeddings=66,
        type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2, num_labels=1,
    )  # fmt: skip
    model = transformers.XLMRobertaForSequenceClassification(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.35)
    model.save_pretrained(tmp_path / "model")
    shutil.copy(DATA / "transquest-mono" / "tokenizer.json", tmp_path / "model")
    import_checkpoint(ImportRequest(tmp_path / "model", "first", "MIT", longest=60), tmp_path)
    import_checkpoint(ImportRequest(tmp_path / "model", "second", "MIT", longest=60), tmp_path)
    assert (tmp_path / "first" / "encoder.onnx").read_bytes() == (tmp_path / "second" / "encoder.onnx").read_bytes()
    tokeniser = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "model" / "tokenizer.json"))
    rows = [("das Haus", "the house", None), ("a", "b", None), ("die Katze sitzt auf dem Dach", "a cat sat on the roof", None)]
    expected = []
    for source, translation, _ in rows:
        first, second = (tokeniser.encode(text, add_special_tokens=False) for text in (source, translation))
        with torch.no_grad():
            expected.append(float(model(torch.tensor([[0, *first, 2, 2, *second, 2]])).logits))
    scores = [row.score for row in Checkpoint(tmp_path / "first").scores(rows)]
    assert np.abs(np.array(scores) - expected).max() < 1e-5 and np.std(scores) > 1e-3
    monkeypatch.setattr(graph, "LARGEST", 1000)
    with pytest.raises(InputError, match="more than 2 GB of weights"):
        import_checkpoint(ImportRequest(tmp_path / "model", "third", "MIT", longest=60), tmp_path)
