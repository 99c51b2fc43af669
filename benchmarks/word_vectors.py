"""Whether vectors of tokens tell bad words that the word taggers do not: ``python -m benchmarks.word_vectors DATA PAIR [--save FOLDER]``.

DATA is the folder of the MLQE-PE data. A word's vector is the mean of those of its pieces in the encoder's last layer, less the mean of
all. Of each word of a translation: the greatest cosine with a word of the source, how far it is above the second, whether each is
the other's nearest, how far that one is from where it would be, and the same of both neighbours and of the sentence; with `vectors`
the first 48 principal components of its own and of the nearest word's vector too. Boosted trees learn these on the training
split. On dev they are put together with what the shipped tagger says of the word, its neighbours and the sentence by a second set
of trees, each tenth of the segments judged by trees, and with a threshold, of the others. ``--save`` keeps vectors, and reads them where they are there.
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
from app.text import LanguagePair, TokenColumn
from scripts.mlqe_pe.everything import language_pairs, split_of
from scripts.mlqe_pe.words import TaggedText, read_tagged_text

COMPONENTS = 48
FOLDS = 10
TOGETHER = 200


@dataclass(frozen=True)
class Tokens:
    """Vectors and pieces of the tokens of texts, one text after the other."""

    vectors: np.ndarray
    offsets: np.ndarray
    pieces: np.ndarray


def encoded(encoder, texts: list[str], path: Path | None) -> Tokens:
    if path is not None and path.exists():
        kept = np.load(path)
        return Tokens(kept["vectors"], kept["offsets"], kept["pieces"])
    parts = [encoder.encode_tokens(texts[begin : begin + TOGETHER]) for begin in range(0, len(texts), TOGETHER)]
    lengths = np.concatenate([[0], *(np.diff(part.offsets) for part in parts)])
    vectors = np.concatenate([part.vectors.astype(np.float16) for part in parts])
    tokens = Tokens(vectors, np.cumsum(lengths), np.array([piece for part in parts for piece in part.pieces]))
    if path is not None:
        np.savez(path, vectors=tokens.vectors, offsets=tokens.offsets, pieces=tokens.pieces)
    return tokens


def plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("▁", "").replace(" ", "").lower()


def owners(pieces: list[str], words: list[str]) -> np.ndarray:
    """Of each piece the word that most of it stands in, -1 where that is none."""
    ours, theirs = [plain(piece) for piece in pieces], [plain(word) for word in words]
    left, right = "".join(ours), "".join(theirs)
    word_of = np.repeat(np.arange(len(words)), [len(word) for word in theirs])
    if left == right:
        place = np.arange(len(left))
    else:
        place = np.full(len(left), -1)
        for block in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
            place[block.a : block.a + block.size] = np.arange(block.b, block.b + block.size)
    found, begin = np.full(len(pieces), -1), 0
    for number, piece in enumerate(ours):
        there = place[begin : begin + len(piece)]
        begin += len(piece)
        there = there[there >= 0]
        if len(there):
            found[number] = np.bincount(word_of[there]).argmax()
    return found


def word_vectors(tokens: Tokens, row: int, words: list[str], centre: np.ndarray) -> np.ndarray:
    """Unit vectors of words (n, d); 0 for words without a piece."""
    begin, end = tokens.offsets[row], tokens.offsets[row + 1]
    owner = owners(tokens.pieces[begin:end].tolist(), words)
    vectors = np.zeros((len(words), tokens.vectors.shape[1]), np.float32)
    there = owner >= 0
    np.add.at(vectors, owner[there], tokens.vectors[begin:end][there].astype(np.float32) - centre)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)


def words_of(column: TokenColumn, row: int) -> list[str]:
    return [column.vocabulary[word] for word in column.ids[column.offsets[row] : column.offsets[row + 1]].tolist()]


def columns(text: TaggedText, source: Tokens, target: Tokens, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers (words, k) of all words, their vectors and those of their nearest words of the source."""
    numbers, own, nearest = [], [], []
    for row in range(len(text.batch)):
        there = [words_of(column, row) for column in (text.batch.cased_source, text.batch.cased_translation)]
        s, t = (word_vectors(tokens, row, words, centre) for tokens, words in zip((source, target), there, strict=True))
        similar = t @ s.T
        best, n = similar.argmax(1), len(t)
        top = similar[np.arange(n), best]
        second = np.sort(similar, 1)[:, -2] if similar.shape[1] > 1 else np.zeros(n)
        mutual = similar.argmax(0)[best] == np.arange(n)
        away = best / max(1, len(s) - 1) - np.arange(n) / max(1, n - 1)
        base = np.column_stack([top, top - second, mutual, away, np.linalg.norm(t, axis=1) > 0])
        before, after = np.vstack([np.full((1, 5), np.nan), base[:-1]]), np.vstack([base[1:], np.full((1, 5), np.nan)])
        jump = np.column_stack([np.r_[np.nan, np.diff(best)], np.r_[np.diff(best), np.nan]])
        whole = np.tile([top.mean(), top.min(), top.std(), similar.max(0).mean(), similar.max(0).min(), n, len(s)], (n, 1))
        rank = top.argsort().argsort() / max(1, n - 1)
        numbers.append(np.hstack([base, before, after, jump, whole, rank[:, None], [[len(word)] for word in there[1]]]))
        own.append(t)
        nearest.append(s[best])
    return np.concatenate(numbers), np.concatenate(own), np.concatenate(nearest)


def trees(rounds: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=rounds, learning_rate=0.06, max_leaf_nodes=31, min_samples_leaf=50, random_state=1
    )


def threshold(p: np.ndarray, bad: np.ndarray) -> float:
    tried = np.quantile(p, np.arange(0.3, 0.98, 0.02))
    return float(tried[np.argmax([matthews_corrcoef(bad, p > at) for at in tried])])


def with_neighbours(p: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Logits of words, of both neighbours, and their mean and greatest of the sentence."""
    logit, rows = np.log(p / (1 - p)), []
    for begin, end in pairwise(offsets):
        own = logit[begin:end]
        if len(own):
            rows.append(
                np.column_stack(
                    [
                        own,
                        np.r_[np.nan, own[:-1]],
                        np.r_[own[1:], np.nan],
                        np.full_like(own, own.mean()),
                        np.full_like(own, own.max()),
                    ]
                )
            )
    return np.concatenate(rows)


def crossed(values: np.ndarray, bad: np.ndarray, segment: np.ndarray) -> tuple[float, float]:
    """MCC and area under the curve of words judged by trees that have seen other segments."""
    fold = np.random.default_rng(1).permutation(segment.max() + 1)[segment] % FOLDS
    said, called = np.zeros(len(bad)), np.zeros(len(bad), bool)
    for number in range(FOLDS):
        test = fold == number
        head = trees(60).fit(values[~test], bad[~test])
        said[test] = head.predict_proba(values[test])[:, 1]
        called[test] = said[test] > threshold(head.predict_proba(values[~test])[:, 1], bad[~test])
    return matthews_corrcoef(bad, called), roc_auc_score(bad, said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("pair")
    parser.add_argument("--save", type=Path)
    asked = parser.parse_args()
    pair, (folder, _) = LanguagePair.parse(asked.pair), language_pairs(asked.data)
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
    encoder = engine.encoder.encoder()
    parts, centre = {}, None
    for split in ("train", "dev"):
        rows = split_of(folder, pair, split)
        paths = [None if asked.save is None else asked.save / f"{pair}.{split}.{side}.npz" for side in ("source", "target")]
        tokens = [encoded(encoder, rows.column(name), path) for name, path in zip(("source", "translation"), paths, strict=True)]
        if centre is None:
            centre = np.mean([one.vectors.astype(np.float32).mean(0) for one in tokens], axis=0)
        text = read_tagged_text(folder / str(pair), pair, split)
        parts[split] = text, *columns(text, *tokens, centre)
    text, numbers = parts["dev"][:2]
    train = parts["train"]
    drawn = np.random.default_rng(1).permutation(len(train[2]))[:20000]
    axes = np.linalg.svd(train[2][drawn] - train[2][drawn].mean(0), full_matrices=False)[2][:COMPONENTS].T
    wide = {name: np.hstack([part[1], part[2] @ axes, part[3] @ axes]) for name, part in parts.items()}
    bad, offsets = text.words.astype(bool), text.batch.translation.offsets
    segment = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    tagger = engine.registry.word_taggers[f"{pair}-words"]
    tags = tagger.tag(View(text.batch, engine.pair_resources(pair)))
    usual = with_neighbours(np.clip(tags.words, 1e-6, 1 - 1e-6), offsets)
    print(f"{pair}: {len(bad)} words of dev, {bad.mean():.1%} bad\n\n| What tags | MCC | AUC |\n| --- | --- | --- |")
    print(f"| the tagger | {matthews_corrcoef(bad, tags.words > tags.word_threshold):.3f} | {roc_auc_score(bad, tags.words):.3f} |")
    for name, (seen, asked_of) in {"numbers": (train[1], numbers), "numbers and vectors": (wide["train"], wide["dev"])}.items():
        head = trees(150).fit(seen, train[0].words)
        p, before = head.predict_proba(asked_of)[:, 1], head.predict_proba(seen)[:, 1]
        print(
            f"| {name} alone | {matthews_corrcoef(bad, p > threshold(before, train[0].words)):.3f} | {roc_auc_score(bad, p):.3f} |",
            flush=True,
        )
        apart = with_neighbours(np.clip(p, 1e-6, 1 - 1e-6), offsets)
        more = crossed(np.hstack([usual, apart, numbers]), bad, segment)
        print(f"| the tagger with {name} | {more[0]:.3f} | {more[1]:.3f} |", flush=True)
    only = crossed(usual, bad, segment)
    print(f"| the tagger, put together with itself alone | {only[0]:.3f} | {only[1]:.3f} |")


if __name__ == "__main__":
    main()
