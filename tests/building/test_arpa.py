"""ARPA files that are damaged: refused by the file and the line, whoever reads them."""

import gzip
from pathlib import Path

import pytest

from app.building.arpa import read_arpa, write_arpa
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.text.batch import pack_lines
from tests.commands import assay

LISTED = "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1\t<unk>\n0\t<s>\t-0.5\n-1\t</s>\n-0.5\ta\t-0.3\n\n\\2-grams:\n"
ARPA = LISTED + "-0.4\t<s> a\n-0.2\ta </s>\n\n\\end\\\n"


def test_a_good_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "lm.arpa").write_text(ARPA)
    model = read_arpa(tmp_path / "lm.arpa")
    assert model.vocabulary == ("<unk>", "<s>", "</s>", "a")
    assert model.orders[1].log_prob.tolist() == [-0.4, -0.2]
    # Blanks of IRSTLM's counts, Windows' ends of lines, text before the counts.
    (tmp_path / "lm.arpa").write_bytes(b"made by us\n" + ARPA.replace("1=4", " 1=     4").replace("\n", "\r\n").encode())
    assert read_arpa(tmp_path / "lm.arpa").vocabulary == model.vocabulary


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("-0.5\ta", "nan\ta", "line 9 has a log-probability that is no finite number of at most 0"),
        ("-0.5\ta", "5\ta", "line 9 has a log-probability"),
        ("-0.5\ta", "-inf\ta", "line 9 has a log-probability"),
        ("a\t-0.3", "a\tnan", "line 9 has a back-off that is no finite number"),
        ("a\t-0.3", "a\tx", "line 9 has a text in place"),
        ("-0.4\t<s> a", "-0.4 <s> a", "line 12 is no 2-gram"),
        ("-0.4\t<s> a", "-0.4\t<s> a a", "line 12 is no 2-gram"),
        ("-0.4\t<s> a", "-0.4\t<s> b", "line 12 has a word that is not among the 1-grams"),
        ("<s> a\n", "a </s>\n", "line 13 repeats a 2-gram"),
        ("\n\\end\\\n", "", "cut short after line 13"),
        ("-0.2\ta </s>\n\n\\end\\\n", "", "cut short after line 12"),
        ("-0.2\ta </s>\n", "", "announces 2 2-grams but lists 1"),
        ("\\2-grams:", "\\3-grams:", "line 11 is the heading of another section"),
        ("ngram 2=2", "ngram 2=x", "line 3 is no count of 2-grams"),
        ("ngram 2=2", f"ngram 2={'2' * 5000}", "line 3 is no count of 2-grams"),
        (ARPA, "a text\n", "this is no ARPA file"),
        ("-1\t</s>\n", "-1\tb\n", "lacks <s> or </s>"),
    ],
)
def test_a_bad_file_is_refused_by_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    (tmp_path / "lm.arpa").write_text(ARPA.replace(old, new))
    with pytest.raises(InputError) as refused:
        read_arpa(tmp_path / "lm.arpa")
    assert str(refused.value).startswith(f"{tmp_path}/lm.arpa: ") and message in str(refused.value)


def test_an_n_gram_without_its_beginning_is_refused_by_its_line(tmp_path: Path) -> None:
    text = ARPA.replace("ngram 2=2\n", "ngram 2=2\nngram 3=1\n").replace("\\end\\", "\\3-grams:\n-1\ta a </s>\n\n\\end\\")
    (tmp_path / "lm.arpa").write_text(text)
    with pytest.raises(InputError, match="line 17 has a 3-gram without the 2-gram of all its words but the last"):
        read_arpa(tmp_path / "lm.arpa")


def test_mixing_names_what_is_damaged_and_writes_nothing(tmp_path: Path) -> None:
    text = [f"w{number * number % 97} w{number % 89} w{number * 7 % 83}" for number in range(500)]
    good, bad, cut = (tmp_path / name for name in ("good.arpa", "bad.arpa", "cut.arpa.gz"))
    write_arpa(estimate_language_model(pack_lines(text), 2), good)
    bad.write_text(ARPA.replace("-0.5\ta", "nan\ta"))
    packed = gzip.compress(good.read_bytes())
    cut.write_bytes(packed[: len(packed) // 2])
    for path, message in ((bad, "line 9 has a log-probability"), (cut, "is a damaged gzip file, after line ")):
        done = assay("resources", "mix-lm", str(good), str(path), "--weights", "0.5,0.5", "--out", str(tmp_path / "mixed"))
        assert done.returncode == 2 and str(path) in done.stderr and message in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.arpa", "cut.arpa.gz", "good.arpa"]


@pytest.mark.parametrize("weights", ["0.7,0.7", "0.5", "1.5,-0.5", "nan,1", "a,b"])
def test_weights_of_a_mixture_sum_to_one(tmp_path: Path, weights: str) -> None:
    (tmp_path / "lm.arpa").write_text(ARPA)
    done = assay("resources", "mix-lm", *[str(tmp_path / "lm.arpa")] * 2, "--weights", weights)
    assert done.returncode == 2 and done.stderr == "assay: --weights: these are 2 numbers from 0 that sum to 1, as 0.7,0.3\n"
