"""What a plug-in of an editor does: ask for the segment at hand, show a bar, and send what the translator made of it.

    python examples/editor/quality_bar.py http://localhost:8000 ro en

Reads ``source<TAB>translation`` lines, prints a bar for each; a third cell is the translator's own version, sent as feedback.
Only the standard library is used, so that it can be carried into any tool.
"""

import json
import sys
import urllib.error
import urllib.request

WIDTH = 20


def call(address: str, body: dict[str, object]) -> dict[str, object]:
    """The server's answer; a SystemExit with its own words where it refuses."""
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise SystemExit(json.load(error)["detail"]) from None


def main() -> None:
    server, source_language, target_language = sys.argv[1:4]
    languages = {"source_language": source_language, "target_language": target_language}
    for line in sys.stdin:
        source, translation, *edited = line.rstrip("\n").split("\t")
        segment = {"source": source, "translation": translation}
        answer = call(f"{server}/v1/quality", {**languages, "warnings": True, "segments": [segment]})
        found = answer["segments"][0]
        bar = "█" * round(WIDTH * found["confidence"])
        checks = ", ".join(each["code"] for each in found["warnings"])
        print(f"{bar:<{WIDTH}} {found['confidence']:.2f}  {checks}")
        if edited:
            call(f"{server}/v1/feedback", {"model": answer["model"], "origin": "quality_bar", **segment, "post_edit": edited[0]})


if __name__ == "__main__":
    main()
