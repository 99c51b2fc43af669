"""Bad words by vectors of tokens, beside the word taggers: ``python -m benchmarks.word_vectors DATA PAIR [--save FOLDER]``.

DATA is the folder of the MLQE-PE data. A word's vector is the mean of its pieces in the encoder's last layer, less the mean of all
tokens. Each word of a translation has the greatest cosine with a source word, its distance to the second, mutual nearness
of both words, and the shift between their places. Numbers of both neighbours and sums of the sentence join them. `vectors` adds
the first 48 principal components of the word's and of the nearest word's vector. Boosted trees learn them on the training split. On
dev, a second set of trees joins them with the shipped tagger's tags of the word, its neighbours and the sentence. Trees and a
threshold from the other segments judge each tenth of the segments. ``--save`` stores vectors and reads stored ones.
"""

import argparse
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import matthews_corrcoef, roc_auc_score

from app.engine import Engine
from app.features import View
from app.settings import Settings
from app.text import LanguagePair
from scripts.mlqe_pe.everything import language_pairs, split_of
from scripts.mlqe_pe.words import TaggedText, read_tagged_text

COMPONENTS = 48
FOLDS = 10
BATCH = 200


@dataclass(frozen=True)
class Tokens:
    """Vectors and pieces of the tokens of texts, one text after the other."""

    vectors: np.ndarray
    offsets: np.ndarray
    pieces: np.ndarray


def tokens_of(encoder, texts: list[str], path: Path | None) -> Tokens:
    if path is not None and path.exists():
        arrays = np.load(path)
        return Tokens(arrays["vectors"], arrays["offsets"], arrays["pieces"])
    parts = [encoder.encode_tokens(texts[begin : begin + BATCH]) for begin in range(0, len(texts), BATCH)]
    lengths = np.concatenate([[0], *(np.diff(part.offsets) for part in parts)])
    vectors = np.concatenate([part.vectors.astype(np.float16) for part in parts])
    tokens = Tokens(vectors, np.cumsum(lengths), np.array([piece for part in parts for piece in part.pieces]))
    if path is not None:
        np.savez(path, vectors=tokens.vectors, offsets=tokens.offsets, pieces=tokens.pieces)
    return tokens


def plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("▁", "").replace(" ", "").lower()


def owners(pieces: list[str], words: list[str]) -> np.ndarray:
    """Number of the word with most characters of each piece, -1 without one; shape (pieces,)."""
    plain_pieces, plain_words = [plain(piece) for piece in pieces], [plain(word) for word in words]
    left, right = "".join(plain_pieces), "".join(plain_words)
    word_of = np.repeat(np.arange(len(words)), [len(word) for word in plain_words])
    if left == right:
        place = np.arange(len(left))
    else:
        place = np.full(len(left), -1)
        for block in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
            place[block.a : block.a + block.size] = np.arange(block.b, block.b + block.size)
    result, begin = np.full(len(pieces), -1), 0
    for number, piece in enumerate(plain_pieces):
        places = place[begin : begin + len(piece)]
        begin += len(piece)
        places = places[places >= 0]
        if len(places):
            result[number] = np.bincount(word_of[places]).argmax()
    return result


def word_vectors(tokens: Tokens, row: int, words: list[str], centre: np.ndarray) -> np.ndarray:
    """Unit vectors of words (n, d); 0 for words without a piece."""
    begin, end = tokens.offsets[row], tokens.offsets[row + 1]
    owner = owners(tokens.pieces[begin:end].tolist(), words)
    vectors = np.zeros((len(words), tokens.vectors.shape[1]), np.float32)
    mask = owner >= 0
    np.add.at(vectors, owner[mask], tokens.vectors[begin:end][mask].astype(np.float32) - centre)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)


def columns(text: TaggedText, source: Tokens, target: Tokens, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers (words, k) of all words, their vectors and those of their nearest words of the source."""
    numbers, vectors, nearest = [], [], []
    for row in range(len(text.batch)):
        words_of_sides = [column.tokens(row) for column in (text.batch.cased_source, text.batch.cased_translation)]
        s, t = (word_vectors(tokens, row, words, centre) for tokens, words in zip((source, target), words_of_sides, strict=True))
        similar = t @ s.T
        best, n = similar.argmax(1), len(t)
        top = similar[np.arange(n), best]
        second = np.sort(similar, 1)[:, -2] if similar.shape[1] > 1 else np.zeros(n)
        mutual = similar.argmax(0)[best] == np.arange(n)
        shift = best / max(1, len(s) - 1) - np.arange(n) / max(1, n - 1)
        base = np.column_stack([top, top - second, mutual, shift, np.linalg.norm(t, axis=1) > 0])
        before, after = np.vstack([np.full((1, 5), np.nan), base[:-1]]), np.vstack([base[1:], np.full((1, 5), np.nan)])
        jump = np.column_stack([np.r_[np.nan, np.diff(best)], np.r_[np.diff(best), np.nan]])
        sentence = np.tile([top.mean(), top.min(), top.std(), similar.max(0).mean(), similar.max(0).min(), n, len(s)], (n, 1))
        rank = top.argsort().argsort() / max(1, n - 1)
        numbers.append(np.hstack([base, before, after, jump, sentence, rank[:, None], [[len(word)] for word in words_of_sides[1]]]))
        vectors.append(t)
        nearest.append(s[best])
    return np.concatenate(numbers), np.concatenate(vectors), np.concatenate(nearest)


def trees(rounds: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=rounds, learning_rate=0.06, max_leaf_nodes=31, min_samples_leaf=50, random_state=1
    )


def threshold(p: np.ndarray, bad: np.ndarray) -> float:
    thresholds = np.quantile(p, np.arange(0.3, 0.98, 0.02))
    return float(thresholds[np.argmax([matthews_corrcoef(bad, p > at) for at in thresholds])])


def with_neighbours(p: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Logits of words and of both neighbours, and the sentence's mean and maximum; shape (words, 5)."""
    logit, rows = np.log(p / (1 - p)), []
    for begin, end in pairwise(offsets):
        part = logit[begin:end]
        if len(part):
            before, after = np.r_[np.nan, part[:-1]], np.r_[part[1:], np.nan]
            rows.append(np.column_stack([part, before, after, np.full_like(part, part.mean()), np.full_like(part, part.max())]))
    return np.concatenate(rows)


def cross_fitted(values: np.ndarray, bad: np.ndarray, segment: np.ndarray) -> tuple[float, float]:
    """MCC and area under the curve of words, judged by trees of other segments."""
    fold = np.random.default_rng(1).permutation(segment.max() + 1)[segment] % FOLDS
    probabilities, tags = np.zeros(len(bad)), np.zeros(len(bad), bool)
    for number in range(FOLDS):
        test = fold == number
        head = trees(60).fit(values[~test], bad[~test])
        probabilities[test] = head.predict_proba(values[test])[:, 1]
        tags[test] = probabilities[test] > threshold(head.predict_proba(values[~test])[:, 1], bad[~test])
    return matthews_corrcoef(bad, tags), roc_auc_score(bad, probabilities)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("pair")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    pair, (folder, _) = LanguagePair.parse(options.pair), language_pairs(options.data)
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
    encoder = engine.encoder.encoder()
    parts, centre = {}, None
    for split in ("train", "dev"):
        rows = split_of(folder, pair, split)
        paths = [None if options.save is None else options.save / f"{pair}.{split}.{side}.npz" for side in ("source", "target")]
        tokens = [tokens_of(encoder, rows.column(name), path) for name, path in zip(("source", "translation"), paths, strict=True)]
        if centre is None:
            centre = np.mean([side.vectors.astype(np.float32).mean(0) for side in tokens], axis=0)
        text = read_tagged_text(folder / str(pair), pair, split)
        parts[split] = text, *columns(text, *tokens, centre)
    text, numbers = parts["dev"][:2]
    train = parts["train"]
    sample = np.random.default_rng(1).permutation(len(train[2]))[:20000]
    axes = np.linalg.svd(train[2][sample] - train[2][sample].mean(0), full_matrices=False)[2][:COMPONENTS].T
    wide = {name: np.hstack([part[1], part[2] @ axes, part[3] @ axes]) for name, part in parts.items()}
    bad, offsets = text.words.astype(bool), text.batch.translation.offsets
    segment = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    tagger = engine.registry.word_taggers[f"{pair}-words"]
    tags = tagger.tag(View(text.batch, engine.pair_resources(pair)))
    usual = with_neighbours(np.clip(tags.words, 1e-6, 1 - 1e-6), offsets)
    print(f"{pair}: {len(bad)} words of dev, {bad.mean():.1%} bad\n\n| What tags | MCC | AUC |\n| --- | --- | --- |")
    print(f"| the tagger | {matthews_corrcoef(bad, tags.words > tags.word_threshold):.3f} | {roc_auc_score(bad, tags.words):.3f} |")
    for name, (train_values, dev_values) in {
        "numbers": (train[1], numbers),
        "numbers and vectors": (wide["train"], wide["dev"]),
    }.items():
        head = trees(150).fit(train_values, train[0].words)
        p, before = head.predict_proba(dev_values)[:, 1], head.predict_proba(train_values)[:, 1]
        print(
            f"| {name} alone | {matthews_corrcoef(bad, p > threshold(before, train[0].words)):.3f} | {roc_auc_score(bad, p):.3f} |",
            flush=True,
        )
        own_logits = with_neighbours(np.clip(p, 1e-6, 1 - 1e-6), offsets)
        measures = cross_fitted(np.hstack([usual, own_logits, numbers]), bad, segment)
        print(f"| the tagger with {name} | {measures[0]:.3f} | {measures[1]:.3f} |", flush=True)
    baseline = cross_fitted(usual, bad, segment)
    print(f"| the tagger, put together with itself alone | {baseline[0]:.3f} | {baseline[1]:.3f} |")


if __name__ == "__main__":
    main()
