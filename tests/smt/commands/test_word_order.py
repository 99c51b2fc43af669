"""The profile of a word-aligned text, by its command."""

import json
from pathlib import Path

from tests.commands import assay


def test_profile_of_files(tmp_path: Path) -> None:
    for name, text in (("s", "a b c d\ne f\n"), ("t", "w x y z\nu v\n"), ("l", "0-1 1-3 2-0 3-2\n\n")):
        (tmp_path / name).write_text(text)
    call = ["smt", "profile-reordering", *(str(tmp_path / name) for name in "stl")]
    result = json.loads(assay(*call, "--format", "json").stdout)
    assert result["arities"] == {"4": 1} and result["operators"] == {"P2413": 1}
    assert (result["sentences"], result["linked_sentences"], result["itg_coverage"]) == (2, 1, 0)
    assert "operators: P2413" in assay(*call).stdout
    (tmp_path / "l").write_text("0-1\n0-2\n")
    failure = assay(*call)
    assert failure.returncode != 0 and "line 2" in failure.stderr
