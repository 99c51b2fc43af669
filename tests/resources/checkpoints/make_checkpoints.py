"""Tiny random checkpoints of every architecture, their libraries' scores, and the folders of `assay resources import-checkpoint`.

Run once, by hand, in an environment with the extra `convert` and unbabel-comet (its pins are older than these packages: install it
with --no-deps beside entmax, pytorch-lightning, torchmetrics and jsonargparse; it needs transformers 4):

    PYTHONPATH=. python -m tests.resources.checkpoints.make_checkpoints WORK_FOLDER [NAME...]

Checkpoints go into WORK_FOLDER; imported folders, `expected.json` and `versions.json` go into `data/` for the tests. The BLEURT
and MetricX models need bleurt_pytorch (github.com/lucadiliello/bleurt-pytorch) and metricx24 (github.com/google-research/metricx)
on PYTHONPATH, and transquest-mono needs transquest (github.com/TharinduDR/TransQuest); without them their fixtures stay.
"""

import json
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from app.resources.checkpoints import Checkpoint
from app.resources.checkpoints.conversion import ImportRequest, import_checkpoint

HERE = Path(__file__).parent
DATA = HERE / "data"
WIDTH, LAYERS, HEADS, INNER, PLACES = 16, 2, 4, 24, 66
TEXTS = (
    "the house is small and the garden is large",
    "das Haus ist klein und der Garten ist groß",
    "Die Katze sitzt auf dem Dach .",
    "casa este mică , dar grădina este mare",
    "это маленький дом у реки",
    "我们 住在 一个 小 房子 里",
    "a cat sat on the roof of the old house by the river yesterday evening",
    "Preise : 12,50 € ( 2021 ) !",
)
ROWS = [
    {"src": TEXTS[1], "mt": TEXTS[0], "ref": "the house is little and the garden is big"},
    {"src": TEXTS[2], "mt": "The cat sits on the roof .", "ref": "A cat is sitting on the roof ."},
    {"src": TEXTS[3], "mt": "the house is small", "ref": TEXTS[0]},
    {"src": TEXTS[4], "mt": "it is a small house", "ref": "this is a small house by the river"},
    {"src": TEXTS[5], "mt": "we live", "ref": "we live in a small house"},
    {"src": TEXTS[7], "mt": "Prices: €12.50 (2021)!", "ref": "Prices : 12,50 € ( 2021 ) !"},
    {"src": "das", "mt": "", "ref": "the"},
    {"src": "Wörter, die niemand kennt: qxyz", "mt": "words 🙂 nobody knows: qxyz", "ref": "unknown words: qxyz"},
    {"src": " ".join(TEXTS * 3), "mt": TEXTS[6], "ref": TEXTS[6]},
    {"src": TEXTS[1], "mt": " ".join([TEXTS[6]] * 12), "ref": " ".join([TEXTS[0]] * 9)},
    {"src": "ein <pad> Zeichen", "mt": "a <pad> sign </s> here", "ref": "a sign"},
    {"src": "  zwei   Leerzeichen ", "mt": " two  blanks ", "ref": "two\tblanks"},
]


def unigram(end_alone: bool = False) -> Tokenizer:
    """A tokeniser like XLM-R's, or like T5's."""
    tokeniser = Tokenizer(models.Unigram())
    tokeniser.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(tokenizers.Regex(" {2,}"), " ")])
    tokeniser.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokeniser.decoder = decoders.Metaspace()
    special = ["<pad>", "</s>", "<unk>"] if end_alone else ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=190, special_tokens=special, unk_token="<unk>")
    tokeniser.train_from_iterator(TEXTS * 4, trainer)
    if end_alone:
        tokeniser.post_processor = processors.TemplateProcessing(
            single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
        )
    else:
        tokeniser.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False)
        tokeniser.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
        )
    return tokeniser


def word_pieces() -> Tokenizer:
    """A tokeniser like BERT's."""
    tokeniser = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokeniser.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokeniser.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokeniser.train_from_iterator(TEXTS * 4, trainers.WordPieceTrainer(vocab_size=190, special_tokens=special, show_progress=False))
    tokeniser.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokeniser


def sizes(tokeniser: Tokenizer) -> dict[str, Any]:
    return {
        "vocab_size": tokeniser.get_vocab_size() + 8, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "intermediate_size": INNER,
    }  # fmt: skip


def xlmr_folder(work: Path) -> Path:
    """An encoder as on a hub: configuration and tokeniser."""
    folder = work / "xlmr"
    folder.mkdir(parents=True, exist_ok=True)
    tokeniser = unigram()
    tokeniser.save(str(folder / "raw.json"))
    transformers.XLMRobertaTokenizerFast(tokenizer_file=str(folder / "raw.json")).save_pretrained(folder)
    config = transformers.XLMRobertaConfig(
        **sizes(tokeniser), max_position_embeddings=PLACES, type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1, bos_token_id=0, eos_token_id=2
    )  # fmt: skip
    config.save_pretrained(folder)
    return folder


def bert_folder(work: Path) -> Path:
    folder = work / "bert"
    folder.mkdir(parents=True, exist_ok=True)
    tokeniser = word_pieces()
    tokeniser.save(str(folder / "raw.json"))
    transformers.BertTokenizerFast(tokenizer_file=str(folder / "raw.json")).save_pretrained(folder)
    transformers.BertConfig(**sizes(tokeniser), max_position_embeddings=PLACES).save_pretrained(folder)
    return folder


def perturbed(model: Any) -> Any:
    """A model with large random weights, so that a lost layer changes scores."""
    torch.manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            scale = 0.6 if "embeddings" in name or "shared" in name else 0.35
            parameter.add_(torch.randn_like(parameter) * scale)
    return model.eval()


def comet(work: Path, name: str, kind: str, encoder: str, **options: Any) -> tuple[Path, Path, list[list[Any]]]:
    """A checkpoint as pytorch-lightning saves COMET's, and COMET's scores."""
    from comet.models import ReferencelessRegression, RegressionMetric, UnifiedMetric

    classes = {
        "regression_metric": RegressionMetric,
        "referenceless_regression_metric": ReferencelessRegression,
        "unified_metric": UnifiedMetric,
    }
    base = xlmr_folder(work) if encoder == "XLM-RoBERTa" else bert_folder(work)
    model = perturbed(
        classes[kind](
            encoder_model=encoder, pretrained_model=str(base), load_pretrained_weights=False, local_files_only=True, hidden_sizes=[20, 12],
            **options,
        )
    )  # fmt: skip
    folder = work / name
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    hparams = {**dict(model.hparams), "class_identifier": kind}
    content = {
        "state_dict": model.state_dict(),
        "hyper_parameters": dict(model.hparams),
        "pytorch-lightning_version": version("pytorch-lightning"),
    }
    torch.save(content, folder / "checkpoints" / "model.ckpt")
    import yaml

    (folder / "hparams.yaml").write_text(yaml.safe_dump(hparams), "utf-8")

    def scores(keys: tuple[str, ...], rows: list[dict[str, str]]) -> list[float]:
        batch = model.prepare_sample([{key: row[key] for key in keys} for row in rows], stage="predict")
        with torch.no_grad():
            if kind == "unified_metric":
                return model.predict_step(batch).scores.tolist()
            return model(**batch).score.tolist()

    segments = {
        "regression_metric": [("src", "mt", "ref")], "referenceless_regression_metric": [("src", "mt")],
        "unified_metric": [("src", "mt", "ref"), ("src", "mt")] if len(options.get("input_segments", "abc")) == 3 else [("mt", *options["input_segments"][1:])],
    }[kind]  # fmt: skip
    return folder, base, [[row.get("src") if "src" in keys else None, row["mt"], row["ref"] if "ref" in keys else None, score] for keys in segments for row, score in zip(ROWS, scores(keys, ROWS), strict=True)]  # fmt: skip


def save(model: Any, tokeniser: Any, folder: Path) -> None:
    """A model as transformers saves it."""
    model.save_pretrained(folder)
    tokeniser.save_pretrained(folder)


def mono(work: Path, name: str) -> tuple[Path, Path, list[list[Any]]]:
    """MonoTransQuest: transformers' classifier (TransQuest's is the same) behind TransQuest's own sequences."""
    from transquest.algo.sentence_level.monotransquest.utils import InputExample, convert_example_to_feature

    base = xlmr_folder(work)
    tokeniser = transformers.XLMRobertaTokenizerFast.from_pretrained(base)
    model = perturbed(
        transformers.XLMRobertaForSequenceClassification(transformers.XLMRobertaConfig.from_pretrained(base, num_labels=1))
    )
    folder = work / name
    save(model, tokeniser, folder)
    (folder / "model_args.json").write_text(json.dumps({"max_seq_length": 40, "regression": True}), "utf-8")
    rows = []
    for row in ROWS:
        example = InputExample(0, row["src"], row["mt"], 0)
        feature = convert_example_to_feature(
            (example, 40, tokeniser, "regression", False, "<s>", "</s>", 0, False, 0, True, False, 0.8, 1, True, True)
        )
        with torch.no_grad():
            logits = model(torch.tensor([feature.input_ids]), attention_mask=torch.tensor([feature.input_mask])).logits
        rows.append([row["src"], row["mt"], None, float(logits)])
    return folder, folder, rows


def bleurt(work: Path, name: str) -> tuple[Path, Path, list[list[Any]]]:
    """BLEURT's port to PyTorch with projected words, as in BLEURT-20; without texts that BLEURT itself would cut."""
    from bleurt_pytorch import BleurtConfig, BleurtForSequenceClassification

    tokeniser = transformers.BertTokenizerFast.from_pretrained(bert_folder(work))
    config = BleurtConfig(**sizes(tokeniser.backend_tokenizer), embedding_size=12, max_position_embeddings=PLACES)
    model = perturbed(BleurtForSequenceClassification(config))
    folder = work / name
    save(model, tokeniser, folder)
    rows = []
    for row in ROWS:
        inputs = tokeniser([row["ref"]], [row["mt"]], return_tensors="pt")
        if inputs["input_ids"].shape[1] <= PLACES:
            with torch.no_grad():
                rows.append([None, row["mt"], row["ref"], float(model(**inputs).logits)])
    return folder, folder, rows


def metricx(work: Path, name: str) -> tuple[Path, Path, list[list[Any]]]:
    """MetricX-24's own class; its output layer has all of mT5's rows, and one is read."""
    from metricx24.models import MT5ForRegression

    rules = unigram(end_alone=True)
    tokeniser = transformers.PreTrainedTokenizerFast(tokenizer_object=rules, eos_token="</s>", pad_token="<pad>", unk_token="<unk>")
    config = transformers.MT5Config(
        vocab_size=250112, d_model=WIDTH, d_kv=6, d_ff=INNER, num_layers=LAYERS, num_decoder_layers=LAYERS + 1, num_heads=HEADS,
        relative_attention_num_buckets=8, relative_attention_max_distance=20, tie_word_embeddings=False, use_cache=False,
    )  # fmt: skip
    model = perturbed(MT5ForRegression(config))
    with torch.no_grad():
        # Scores that are not clipped at 0.
        model.lm_head.weight[250089].mul_(3)
        if float(forward(model, tokeniser, "source: a candidate: b")) <= 0:
            model.lm_head.weight[250089].mul_(-1)
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    model.config.architectures = ["MT5ForRegression"]
    model.config.save_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    tokeniser.save_pretrained(folder)
    rows = []
    for row in ROWS:
        text = f"source: {row['src']} candidate: {row['mt']}"
        rows.append([row["src"], row["mt"], None, float(forward(model, tokeniser, text))])
        rows.append([row["src"], row["mt"], row["ref"], float(forward(model, tokeniser, f"{text} reference: {row['ref']}"))])
    return folder, folder, rows


def forward(model: Any, tokeniser: Any, text: str) -> Any:
    """The score by MetricX's predict.py: text cut at 64 tokens, then without the end token."""
    ids = tokeniser(text, max_length=64, truncation=True)["input_ids"][:-1]
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long)).predictions


MAKERS: dict[str, Callable[[Path, str], tuple[Path, Path, list[list[Any]]]]] = {
    "comet-estimator": lambda work, name: comet(
        work, name, "regression_metric", "XLM-RoBERTa", layer_norm=False, layer_transformation="sparsemax"
    ),
    "comet-normalised": lambda work, name: comet(
        work, name, "regression_metric", "XLM-RoBERTa", layer_norm=True, layer_transformation="softmax"
    ),
    "comet-bert": lambda work, name: comet(
        work, name, "regression_metric", "BERT", layer=1, pool="max", final_activation="Sigmoid"
    ),
    "comet-referenceless": lambda work, name: comet(work, name, "referenceless_regression_metric", "XLM-RoBERTa", layer_norm=False),
    "comet-unified": lambda work, name: comet(work, name, "unified_metric", "XLM-RoBERTa", layer_norm=False, word_layer=1),
    "comet-unified-bert": lambda work, name: comet(
        work, name, "unified_metric", "BERT", input_segments=["mt", "src"], word_layer=1, layer_norm=False
    ),
    "transquest-mono": mono,
    "bleurt": bleurt,
    "metricx-24": metricx,
}


def main() -> None:
    work = Path(sys.argv[1])
    torch.set_num_threads(1)
    torch.manual_seed(1)
    stored = DATA / "expected.json"
    expected = json.loads(stored.read_text("utf-8")) if stored.is_file() else {}
    for name, make in MAKERS.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        try:
            folder, encoder, rows = make(work, name)
        except ImportError as error:
            print(f"{name} is unchanged: {error}")
            continue
        shutil.rmtree(DATA / name, ignore_errors=True)
        version_of = {"metricx-24": "24", "metricx-23": "23", "metricx-23-qe": "23-qe"}.get(name)
        import_checkpoint(ImportRequest(folder, name, "CC-BY-NC-SA-4.0" if name == "comet-unified" else "Apache-2.0", encoder, version_of, 64 if version_of else None), DATA)  # fmt: skip
        checkpoint = Checkpoint(DATA / name)
        scores = [row_score.score for row_score in checkpoint.scores([tuple(row[:3]) for row in rows])]
        difference = np.abs(np.array(scores) - np.array([row[3] for row in rows]))
        spread = np.std([row[3] for row in rows])
        print(f"| `{name}` | {len(rows)} | {spread:.3f} | {difference.max():.1e} |", flush=True)
        expected[name] = [[*row[:3], round(row[3], 7)] for row in rows]
    stored.write_text(json.dumps(expected, ensure_ascii=False, indent=0) + "\n", "utf-8")
    packages = ("torch", "transformers", "unbabel-comet", "tokenizers", "onnx", "onnxruntime")
    (DATA / "versions.json").write_text(json.dumps({name: version(name) for name in packages}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
