"""KenLM binaries whose bytes were changed: each is refused by name, or answers; none ends the process or keeps it for ever."""

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import InputError
from app.resources.language_models import LanguageModel, open_language_model
from app.text import pack_tokens

DATA = Path(__file__).parent / "data"
KINDS = ("probing", "rest-probing", "trie", "array", "quantised", "quantised-array")
# Of 8 bytes: nothing, everything, the largest below a sign, a count that is too large, one that is small.
WRITTEN = (b"\0" * 8, b"\xff" * 8, b"\xff" * 7 + b"\x7f", b"\xff\xff\xff\xff\0\0\0\0", b"\x01" + b"\0" * 7)
# Bytes between two changes: each file is changed in some hundred places.
STEP = 80
# Of one changed file; all that is asked takes milliseconds.
SECONDS = 20


def damaged(raw: bytes, seed: int) -> Iterator[bytes]:
    """Files with a bit turned, and with eight bytes in the place of others, in about every eightieth byte."""
    rng = random.Random(seed)
    for at in range(0, len(raw) - 8, STEP):
        place = at + rng.randrange(STEP) if at + STEP + 8 < len(raw) else at
        yield raw[:place] + bytes([raw[place] ^ (1 << rng.randrange(8))]) + raw[place + 1 :]
        yield raw[:place] + rng.choice([*WRITTEN, rng.randbytes(8)]) + raw[place + 8 :]


def ask(model: LanguageModel) -> None:
    text = (DATA / "model.arpa").read_text("utf-8").split("\\4-grams:")[1]
    lines = [line.split("\t")[1].split() for line in text.split("\n") if "\t" in line]
    model.score(pack_tokens([*lines, ["zebra", "the", "zebra"], []]))


def main(path: Path) -> None:
    """Open and ask every damaged file; what this process survives is the test."""
    import signal

    for name in KINDS:
        counts = {"refused": 0, "answered": 0}
        print(name, end=" ", flush=True)
        for raw in damaged((DATA / f"{name}.binary").read_bytes(), 1):
            # Another file each time: one that is mapped must not change below the mapping.
            path.unlink(missing_ok=True)
            path.write_bytes(raw)
            signal.alarm(SECONDS)
            try:
                ask(open_language_model(path))
            except InputError as error:
                assert error.detail.startswith(path.name), error.detail
                counts["refused"] += 1
            else:
                counts["answered"] += 1
        print(counts["refused"], counts["answered"], flush=True)


def test_damaged_binaries_are_refused_or_answer(tmp_path: Path) -> None:
    """A process that ends early names the kind of file last."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.resources.test_damaged_binaries", str(tmp_path / "damaged.binary")]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, (process.returncode, process.stdout, process.stderr[-2000:])
    rows = [line.split(" ") for line in process.stdout.splitlines()]
    assert [name for name, *_ in rows] == list(KINDS)
    assert all(int(refused) and int(answered) for _, refused, answered in rows)


@pytest.mark.parametrize("name", KINDS)
def test_a_sound_binary_of_every_kind_answers(name: str) -> None:
    ask(open_language_model(DATA / f"{name}.binary"))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("rest", [0, 1, 60, 600])
def test_a_binary_that_is_cut_short_is_refused(name: str, rest: int, tmp_path: Path) -> None:
    path = tmp_path / "cut.binary"
    raw = (DATA / f"{name}.binary").read_bytes()
    path.write_bytes(raw[: len(raw) - 700] if rest == 600 else raw[:rest])
    with pytest.raises(InputError, match=r"cut\.binary "):
        open_language_model(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
