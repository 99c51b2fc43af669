"""Calls a server through the client that openapi-python-client generated, which lies on the path: `program.py ADDRESS`."""

import json
import sys

from generated_python import Client
from generated_python.api.models import get_model
from generated_python.api.score import score_outputs
from generated_python.models import Problem, ScoreAnswer, ScoreRequest

body = ScoreRequest.from_dict(
    {"systems": {"mine": ["The house is big"]}, "references": {"theirs": ["The house is small"]}, "metrics": ["ter"]}
)
with Client(base_url=sys.argv[1], raise_on_unexpected_status=True) as client:
    scored = score_outputs.sync(client=client, body=body)
    refused = get_model.sync(client=client, model="nowhere")
assert isinstance(scored, ScoreAnswer), scored
assert isinstance(refused, Problem), refused
print(json.dumps({"scored": scored.to_dict(), "refused": refused.to_dict()}))
