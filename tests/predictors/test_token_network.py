"""The network that reads tokens, against PyTorch's layers; what it holds for all texts; files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.arrays import Float32s, Float64s
from app.errors import InputError
from app.features.encoded import NUMBERS, READ, EncodedSides
from app.predictors.sentences import Judge, JudgeCard, load_judge, save_judge
from app.predictors.sentences.kernel import Inputs
from app.predictors.sentences.network import TokenNetwork
from app.resources.encoders import EncodedTokens
from app.text import LanguagePair
from scripts.mlqe_pe.judge_fitting import JudgeFitting, JudgeRows

# Numbers of a token vector, of alignments, and pairs; hidden ones, those of a pair, of sentences and of the last layer.
D, A, P = 6, len(NUMBERS), 2
H, E, S, LAST = 4, 2, 3, 5
# What `scripts.mlqe_pe.reading.Reader` of PyTorch 2.13 says with the same arrays, of segments of so many tokens and a pair.
BY_TORCH = {
    (5, 7, 0): [50.587585, -50.874969, 4.2e-05, 0.048982],
    (1, 1, 1): [53.935741, -54.366226, 0.0, 3.7e-05],
    (12, 3, -1): [14.932003, -16.09837, 0.0, 0.007075],
}


def arrays_of(seed: int) -> dict[str, Float32s]:
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "norm.w": (D,), "norm.b": (D,), "centre": (D,), "numbers.middle": (A,), "pair.w": (P + 1, E),
        "project.w": (H, D), "project.b": (H,), "sentence.w": (S, 2 * D), "sentence.b": (S,),
        "join.w": (LAST, 2 * (2 * H + 2) + A + E + S), "join.b": (LAST,), "label.w": (2, LAST), "label.b": (2,),
    }  # fmt: skip
    for side in "01":
        shapes |= {f"compare.{side}.w": (H, 4 * H + 2), f"compare.{side}.b": (H,), f"context.{side}.w": (H, H, 3)}
        shapes |= {f"context.{side}.b": (H,), f"tag.{side}.w": (1, H), f"tag.{side}.b": (1,)}
        shapes |= {f"attend.{side}.w": (1, H), f"attend.{side}.b": (1,)}
    arrays = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return arrays | {"numbers.scale": np.exp(rng.normal(size=A)).astype(np.float32), "sharpness": np.array([5], np.float32)}


def segment(seed: int, source: int, target: int) -> tuple[Float32s, Float32s, Float32s, Float64s]:
    rng = np.random.default_rng(100 + seed)
    sides = [rng.normal(size=(length, D)).astype(np.float32) for length in (source, target)]
    return sides[0], sides[1], rng.normal(size=2 * D).astype(np.float32), rng.normal(size=A)


def network(seed: int = 1) -> TokenNetwork:
    return TokenNetwork.from_arrays(arrays_of(seed), D, A, P)


@pytest.mark.parametrize(("number", "asked"), list(enumerate(BY_TORCH)))
def test_it_says_what_pytorchs_layers_say(number: int, asked: tuple[int, int, int]) -> None:
    source, target, pair = asked
    read = network().read(*segment(number, source, target), pair)
    assert read.source.shape == read.nearest.shape == (source,) and read.target.shape == (target,)
    assert [read.source.mean(), read.target.mean()] == pytest.approx(read.labels[2:])
    assert read.labels.tolist() == pytest.approx(BY_TORCH[asked], rel=1e-5, abs=1e-5)


def test_the_nearest_token_is_the_one_of_the_highest_cosine() -> None:
    source, target, sentences, numbers = segment(4, 6, 9)
    read, centre = network().read(source, target, sentences, numbers, 0), arrays_of(1)["centre"]
    for token, nearest, likeness in zip(source - centre, read.nearest, read.likeness, strict=True):
        cosines = [token @ other / np.linalg.norm(token) / np.linalg.norm(other) for other in target - centre]
        assert nearest == np.argmax(cosines) and likeness == pytest.approx(max(cosines), rel=1e-4)


def test_an_empty_side_is_zeros() -> None:
    source, target, sentences, numbers = segment(1, 4, 4)
    for some, others in ((source[:0], target), (source, target[:0])):
        read = network().read(some, others, sentences, numbers, 0)
        assert not read.labels.any() and read.target.tolist() == [0] * len(others)
        assert read.source.tolist() == read.likeness.tolist() == [0] * len(some) and read.nearest.tolist() == [-1] * len(some)


def test_arrays_that_do_not_fit_are_refused() -> None:
    arrays = arrays_of(1)
    for name in arrays:
        for broken in ({**arrays, name: arrays[name][..., None]}, {key: value for key, value in arrays.items() if key != name}):
            with pytest.raises((ValueError, KeyError)):
                TokenNetwork.from_arrays(broken, D, A, P)
    for name, value in (("norm.w", np.nan), ("numbers.scale", 0.0)):
        with pytest.raises(ValueError, match="finite"):
            TokenNetwork.from_arrays({**arrays, name: np.full_like(arrays[name], value)}, D, A, P)


@pytest.fixture(scope="module")
def judge() -> Judge:
    rng = np.random.default_rng(2)
    u, v = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in rng.normal(size=(2, 60, D)))
    inputs = Inputs(u.astype(np.float32), v.astype(np.float32), rng.normal(size=(60, A)))
    rows = JudgeRows(inputs, rng.normal(size=(60, 2)), rng.integers(0, 3, 60))
    fitting = JudgeFitting([rows, rows], 1, dimensions=4, inducing=20)
    card = JudgeCard(1, "j", "e", "0" * 64, ("ro-en", "en-de"), {"inducing": 40}, {}, {"pearson": {}}, "2026-11-21", "CC0-1.0")
    weights = fitting.weights(lambda pair, fold: True)
    inducing = fitting.inducing.astype(np.float64)
    return Judge(card, np.zeros(D, np.float32), fitting.kernel, inducing, fitting.pairs, weights, network())


def sides(*lengths: tuple[int, int]) -> EncodedSides:
    rng = np.random.default_rng(3)

    def side(counts: list[int]) -> EncodedTokens:
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        vectors = rng.normal(size=(sum(counts), D)).astype(np.float32)
        return EncodedTokens(vectors, offsets, ("x",) * sum(counts), np.zeros((sum(counts), 2), np.int64))

    return EncodedSides(side([a for a, _ in lengths]), side([b for _, b in lengths]))


def test_a_judge_with_a_network_is_read_as_it_was_written(judge: Judge, tmp_path: Path) -> None:
    save_judge(judge, tmp_path)
    read = load_judge(tmp_path)
    assert read.network is not None and judge.network is not None
    for name, array in judge.network.arrays.items():
        assert read.network.arrays[name] == pytest.approx(array, rel=1e-3, abs=1e-6)
    save_judge(read, tmp_path / "again")
    assert (tmp_path / "again" / "arrays.safetensors").read_bytes() == (tmp_path / "arrays.safetensors").read_bytes()
    columns = read.judge(LanguagePair("ro", "en"), sides((3, 4), (0, 2), (5, 1)))
    assert all(columns[name].shape == (3,) for name, _ in READ) and columns["read.da"][1] == 0
    save_judge(replace(judge, network=None), tmp_path)
    without = load_judge(tmp_path)
    assert without.network is None and "read.da" not in without.judge(LanguagePair("ro", "en"), sides((3, 4)))


def test_a_segment_is_read_alike_in_any_company(judge: Judge) -> None:
    both = sides((7, 5), (3, 9))
    alone = EncodedSides(*(next(iter(side.single_texts())) for side in (both.source, both.target)))
    pair = LanguagePair("en", "de")
    together, single = judge.judge(pair, both), judge.judge(pair, alone)
    assert [together[name][0] for name, _ in READ] == [single[name][0] for name, _ in READ]
    never = judge.judge(LanguagePair("en", "fr"), alone)
    assert never["read.da"][0] != single["read.da"][0] and np.isfinite(never["read.da"][0])


def test_a_damaged_network_is_refused(judge: Judge, tmp_path: Path) -> None:
    arrays = {name: array for name, array in network().arrays.items() if name != "join.b"}
    save_judge(replace(judge, network=TokenNetwork(arrays)), tmp_path)
    with pytest.raises(InputError, match="damaged, or arrays are missing"):
        load_judge(tmp_path)
