#!/bin/sh
# Post two systems' outputs to an Assay server; exit 1 when the candidate is significantly worse than production.
# usage: ASSAY_URL=http://host:8000 sh score.sh REFERENCE PRODUCTION CANDIDATE
set -eu
[ $# -eq 3 ] || { echo "usage: score.sh REFERENCE PRODUCTION CANDIDATE" >&2; exit 2; }

# Lines of a file as a JSON list; a last line feed ends the last segment.
segments() { jq -Rs 'rtrimstr("\n") | split("\n")' "$1"; }

segments "$1" > .reference.json
segments "$2" > .production.json
segments "$3" > .candidate.json
jq -n --slurpfile r .reference.json --slurpfile p .production.json --slurpfile c .candidate.json '{
  metrics: ["bleu", "chrf", "ter"],
  systems: {production: $p[0], candidate: $c[0]},
  references: {reference: $r[0]},
  significance: {baseline: "production"}}' > .request.json

status=$(curl -sS -o assay-scores.json -w '%{http_code}' "$ASSAY_URL/v1/score" \
  -H 'Content-Type: application/json' --data-binary @.request.json)
rm -f .reference.json .production.json .candidate.json .request.json
if [ "$status" != 200 ]; then jq . assay-scores.json >&2; exit 2; fi

jq -r '.metrics[] | [.system, .metric, (.score * 100 | round / 100), .difference, .corrected_p_value] | @tsv' assay-scores.json
jq -r '.verdicts[].sentence' assay-scores.json
if jq -e 'any(.verdicts[]; .outcome == "worse")' assay-scores.json > /dev/null; then exit 1; fi
