"""Write data/tiny-onnx: a network of one layer in ONNX with random weights, its tokeniser, and the weights for NumPy.

python -m tests.resources.encoders.make_onnx     with the packages onnx and tokenizers installed
"""

import json
from pathlib import Path

import numpy as np
import onnx
import tokenizers
from onnx import TensorProto, helper, numpy_helper

FOLDER = Path(__file__).parent / "data" / "tiny-onnx"
WIDTH, PLACES = 16, 12
WORDS = ["<s>", "<pad>", "</s>", "<unk>", "query", ":", "a", "cat", "sleeps", "the", "dog", "die", "katze", "schläft", "."]
NODES = [
    # Words, places and types.
    ("Gather", ["words", "input_ids"], "word"),
    ("Shape", ["input_ids"], "shape"),
    ("Gather", ["shape", "one"], "length"),
    ("Range", ["zero", "length", "one"], "numbers"),
    ("Gather", ["places", "numbers"], "place"),
    ("Gather", ["types", "token_type_ids"], "type"),
    ("Add", ["word", "place"], "both"),
    ("Add", ["both", "type"], "x"),
    # Every token sees those that the mask lets it.
    ("MatMul", ["x", "query"], "q"),
    ("MatMul", ["x", "key"], "k"),
    ("Transpose", ["k"], "turned", {"perm": [0, 2, 1]}),
    ("MatMul", ["q", "turned"], "products"),
    ("Cast", ["attention_mask"], "mask", {"to": TensorProto.FLOAT}),
    ("Sub", ["mask", "one_float"], "hidden_ones"),
    ("Mul", ["hidden_ones", "much"], "taken"),
    ("Unsqueeze", ["taken", "axis"], "for_all"),
    ("Add", ["products", "for_all"], "scores"),
    ("Softmax", ["scores"], "shares", {"axis": -1}),
    ("MatMul", ["x", "value"], "v"),
    ("MatMul", ["shares", "v"], "seen"),
    ("Add", ["x", "seen"], "sum"),
    ("Tanh", ["sum"], "last_hidden_state"),
]


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    shapes = {"words": (len(WORDS), WIDTH), "places": (PLACES, WIDTH), "types": (2, WIDTH)} | dict.fromkeys(
        ("query", "key", "value"), (WIDTH, WIDTH)
    )
    weights = {name: rng.normal(size=shape).astype(np.float32) / 2 for name, shape in shapes.items()}
    constants = {
        "zero": np.array(0, np.int64),
        "one": np.array(1, np.int64),
        "one_float": np.array(1, np.float32),
        "much": np.array(10_000, np.float32),
        "axis": np.array([1], np.int64),
    }
    nodes = [helper.make_node(kind, inputs, [output], **(rest[0] if rest else {})) for kind, inputs, output, *rest in NODES]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", WIDTH])
    tensors = [numpy_helper.from_array(value, name) for name, value in (weights | constants).items()]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    (FOLDER / "model.onnx").write_bytes(model.SerializeToString())
    np.savez(FOLDER / "weights.npz", **weights)
    tokeniser = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>")
    )
    tokeniser.normalizer = tokenizers.normalizers.Lowercase()
    tokeniser.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokeniser.add_special_tokens(["<s>", "<pad>", "</s>"])
    tokeniser.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokeniser.enable_padding(pad_id=1, pad_token="<pad>", length=10)
    tokeniser.save(str(FOLDER / "tokenizer.json"))
    (FOLDER / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": PLACES}) + "\n")
    (FOLDER / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "query: "}}) + "\n")


if __name__ == "__main__":
    main()
