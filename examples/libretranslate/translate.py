"""Lines of a file, translated by a LibreTranslate server and scored by Assay, as a table."""

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay_client import AssayError, Client

USAGE = "usage: translate.py SOURCE_LANGUAGE TARGET_LANGUAGE FILE"
LIBRETRANSLATE = os.environ.get("LIBRETRANSLATE_URL", "http://127.0.0.1:5000")
# A server may allow fewer texts in a call (its --batch-limit).
TEXTS = int(os.environ.get("LIBRETRANSLATE_TEXTS", "25"))
SECONDS = 300


class RefusedError(Exception):
    """What LibreTranslate did not do, and why."""


def translated(texts: Sequence[str], source: str, target: str) -> list[str]:
    """One call of `POST /translate`."""
    body = {"q": list(texts), "source": source, "target": target, "format": "text"}
    if key := os.environ.get("LIBRETRANSLATE_KEY"):
        body["api_key"] = key
    address = f"{LIBRETRANSLATE}/translate"
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            texts_back = json.load(answer)["translatedText"]
    except urllib.error.HTTPError as error:
        raise RefusedError(f"{address} answers {error.code}: {_reason(error.read())}") from None
    except OSError as error:
        raise RefusedError(f"{address} does not answer: {error}") from None
    except (ValueError, KeyError, TypeError):
        raise RefusedError(f"{address} answers something else than translatedText") from None
    if not isinstance(texts_back, list) or len(texts_back) != len(texts):
        raise RefusedError(f"{address} answers something else than {len(texts)} texts")
    return texts_back


def _reason(body: bytes) -> str:
    """The sentence of LibreTranslate's own errors, or what else came."""
    try:
        return str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError):
        return body[:200].decode("utf-8", "replace")


def parts(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """As many lines at a time as a call takes."""
    return (lines[k : k + TEXTS] for k in range(0, len(lines), TEXTS))


def rows(assay: Client, lines: Sequence[str], source: str, target: str) -> Iterator[tuple[str, str, str, str]]:
    """Source, translation, score and confidence of each line; a line without a text is a row of nothing."""
    texts = [line for line in lines if line.strip()]
    answers = translated(texts, source, target) if texts else []
    segments = assay.quality(source, target, list(zip(texts, answers, strict=True)))["segments"] if texts else []
    scored = zip(texts, answers, segments, strict=True)
    for line in lines:
        if line.strip():
            text, answer, segment = next(scored)
            yield text, answer, f"{segment['score']:.4f}", f"{segment['confidence']:.4f}"
        else:
            yield "", "", "", ""


def main(source: str, target: str, path: str) -> None:
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    with Client(os.environ.get("ASSAY_SERVER", "http://127.0.0.1:8000"), api_key=os.environ.get("ASSAY_KEY") or None) as assay:
        print("source\ttranslation\tscore\tconfidence")
        for part in parts(lines):
            for row in rows(assay, part, source, target):
                print("\t".join(" ".join(cell.split()) for cell in row))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(USAGE)
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"{error.filename} cannot be read: {error.strerror}")
    except (RefusedError, AssayError, UnicodeDecodeError) as error:
        sys.exit(str(error))
