"""Signs that Android refuses, and apostrophes that hide arguments of Java."""

import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from app.checks.gettext import java_message
from app.engine import Engine
from app.operations.review import review_files
from app.operations.review.request import ReviewRequest

ENGLISH = r"The user\'s \"file\""


def findings(source: str, translation: str, paths: tuple[str, str]) -> list[dict[str, Any]]:
    texts = dict(zip(paths, (source, translation), strict=True))
    files = [{"path": path, "text": text} for path, text in texts.items()]
    request = ReviewRequest.model_validate({"files": files, "predict": False})
    return [cast(dict[str, Any], row) for row in review_files(cast(Engine, None), request)["findings"]]


def android(source: str, translation: str, folder: str = "app/res") -> list[tuple[str, str, str]]:
    """Codes and severities, with the characters from their places on."""
    texts = [f'<resources>\n  <string name="a">{text}</string>\n</resources>\n' for text in (source, translation)]
    rows = findings(texts[0], texts[1], (f"{folder}/values/strings.xml", f"{folder}/values-fr/strings.xml"))
    lines = texts[1].split("\n")
    return [(row["code"], row["severity"], lines[row["line"] - 1][row["column"] - 1 :][:3]) for row in rows]


@pytest.mark.parametrize(
    ("translation", "expected"),
    [
        (r"L\'ami est là", []),
        ("L'ami est là", [("escapes", "error", "'am")]),
        ("L&apos;ami est <b>l'hôte</b>", [("escapes", "error", "&ap")]),
        ('"L\'ami est là"', []),
        ("L'ami \"est l'hôte\"", [("escapes", "error", "'am")]),
        ('Le "fichier là', [("escapes", "warning", '"fi')]),
        (r"Le \"fichier\" là", []),
        (r"Le \&quot;fichier là", []),
        (r"Le \&quot;fichier&quot; là", [("escapes", "warning", "&qu")]),
        ("<b x='1'>L’ami</b>", []),
        ("Le <!-- c'est --> fichier", []),
        ("<![CDATA[l'ami <i>est</i>]]>", []),
    ],
)
def test_android_needs_backslashes(translation: str, expected: list[tuple[str, str, str]]) -> None:
    assert [row for row in android("The friend is there", translation) if row[0] == "escapes"] == expected


def test_other_programs_have_other_rules() -> None:
    """Compose reads apostrophes as they are, and so does any program whose sources have them."""
    assert android("The friend", "L'ami", "shared/composeResources") == []
    assert android("The user's friend", "L'ami est là") == []


def properties(sources: dict[str, str], translations: dict[str, str]) -> list[tuple[str, str, str]]:
    texts = ["".join(f"{key}={text}\n" for key, text in side.items()) for side in (sources, translations)]
    rows = findings(texts[0], texts[1], ("m.properties", "m_fr.properties"))
    lines = texts[1].split("\n")
    return [
        (row["code"], row["severity"], lines[row["line"] - 1][row["column"] - 1 :][:4]) for row in rows if "Java" in row["message"]
    ]


@pytest.mark.parametrize(
    ("translation", "expected"),
    [
        ("Ouvrir l''{0}", []),
        ("Ouvrir l'{0}", [("placeholders", "error", "'{0}")]),
        ("L'ami ouvre {0}", [("placeholders", "warning", "'ami")]),
        ("Ouvrir {0} l'été", []),
        ("Ouvrir '{0}'", [("placeholders", "error", "'{0}")]),
        ("L’ami ouvre {0}", []),
    ],
)
def test_an_apostrophe_hides_an_argument(translation: str, expected: list[tuple[str, str, str]]) -> None:
    assert properties({"a": "Open {0}"}, {"a": translation}) == expected
    assert properties({"a": "Open it"}, {"a": translation.replace("{0}", "X")}) == []


def test_sources_show_the_reader_of_their_file() -> None:
    """Doubled apostrophes are of messages; an apostrophe in a word before an argument is of none."""
    french = {"a": "L'ami ouvre {0}", "b": "Ne peut ouvrir {0}"}
    assert properties({"a": "Open {0}", "b": "Can''t open {0}"}, french) == [("placeholders", "error", "'ami")]
    assert properties({"a": "Open {0}", "b": "Can't open {0}"}, french) == []


PROGRAM = """
import java.io.*;
import java.text.MessageFormat;
import java.util.Locale;

public class Shown {
    public static void main(String[] arguments) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                String text = new MessageFormat(line, Locale.ROOT).format(new Object[] {"\\u0001", "\\u0002"});
                System.out.println((text.contains("\\u0001") ? "0" : "") + (text.contains("\\u0002") ? "1" : "") + ".");
            } catch (IllegalArgumentException error) {
                System.out.println("!");
            }
        }
    }
}
"""


def test_java_shows_these_arguments(tmp_path: Path) -> None:
    program = shutil.which("java")
    if program is None:
        pytest.skip("Java is not installed")
    rng = random.Random(3)
    pieces = ["{0}", "{1}", "'", "''", "a", " ", "l'", "'{0}'", "{0,choice,0#a|1#b}", "'}'"]
    texts = ["".join(rng.choices(pieces, k=rng.randint(1, 6))) for _ in range(2000)]
    (tmp_path / "Shown.java").write_text(PROGRAM, "utf-8")
    command = [program, "-Xshare:auto", "-XX:TieredStopAtLevel=1", "Shown.java"]
    result = subprocess.run(command, cwd=tmp_path, input="\n".join(texts), capture_output=True, text=True, check=True)
    outputs = result.stdout.splitlines()
    valid = [(text, output) for text, output in zip(texts, outputs, strict=True) if output != "!"]
    # A choice formats numbers alone, so Java refuses its texts here.
    assert len(valid) > 1000 and all(
        re.search("choice", text) for text, output in zip(texts, outputs, strict=True) if output == "!"
    )
    for text, output in valid:
        message = java_message(text)
        if message.fault is None:
            assert {f"{number}" for number in message.types} == set(output[:-1]), text
