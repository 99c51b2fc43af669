"""Explanations of all errors: the cause, an example and the remedy of each code."""

from types import MappingProxyType
from typing import Final, NamedTuple

from app.server.translation.problems import TEXTS

__all__ = ["EXPLANATIONS", "Explanation"]


class Explanation(NamedTuple):
    """Texts about an error; `example` is a request, a setting or a detail that goes with it."""

    cause: str
    example: str
    remedy: str


# Three lines for each code: cause, example, remedy.
_TEXTS: Final = """
invalid-request
A field is missing, unknown, or of another type or range.
"segments": [{"source": "Casa."}] lacks "translation".
Correct the places in `errors`; /docs lists the fields of every call.

invalid-json
The body is no JSON, repeats a name in one object, or is nested too deeply.
{"segments": [},
Write the body with a JSON library; send large inputs as files.

invalid-encoding
A text or a file has bytes that are not UTF-8, or a gzip file is damaged.
A table that a spreadsheet saved as "CSV (Windows)".
Save the file as UTF-8, or pack it again.

invalid-character
A text has a character that no text may hold: NUL, a lone surrogate, or a line end inside a segment.
{"source": "Casa.\\u0000"}
Remove the character at the place in `where`.

invalid-table
The columns of a table are unclear, or a row has another number of cells than the heading.
line 3 of file has 5 columns, expected 2 (source, translation)
Name the columns source and translation, and give each row all cells.

unknown-format
The file is none that people translate in, or a picture, a PDF or an office document.
A PDF in the field `file`.
Export XLIFF from your CAT tool, or save a spreadsheet as CSV UTF-8.

invalid-glossary
A glossary lacks a column or has no terms, or a term has no translation, no letter, or too many characters.
line 2: this term has no translation; write one, or a forbidden one
Correct the line or the term; docs/use/glossaries.md lists columns and limits.

invalid-document
The file ends too early, or breaks the rules of its format.
line 7, column 3: this is not JSON
Repair the file at the place in `detail`, or export it again.

unsafe-document
The file has something that could harm a reader: external entities, very deep nesting, or links in an archive.
<!DOCTYPE xliff [<!ENTITY a SYSTEM "file:///etc/passwd">]>
Export the file without it.

document-too-large
The file, or its unpacked content, is larger than a document may be.
An archive of 2 MB that unpacks to 500 MB.
Split the file.

empty-input
The request or the file has no segment to work on.
"segments": []
Send at least one segment, and no request for an empty text.

segment-too-long
A segment has more characters than ASSAY_MAX_SEGMENT_CHARACTERS allows.
A whole document in one "source".
Send one sentence or paragraph per segment.

too-many-segments
A call has more segments than ASSAY_MAX_SEGMENTS, or a job more than ASSAY_MAX_JOB_SEGMENTS.
5,000 segments in POST /v1/quality.
Send fewer segments, or a job if the verb has jobs: POST /v1/jobs takes far more segments.

too-much-work
The estimated work of a call, or the time, memory or files of a step exceed a limit.
POST /v1/mbr with TER and 2,000 hypotheses.
Send a part of the input, or a job if the verb has jobs; ASSAY_MAX_CALL_WORK and ASSAY_MAX_STEP_SECONDS are the limits.

body-too-large
The request has more bytes than ASSAY_MAX_BODY_BYTES, or a form more than ASSAY_MAX_UPLOAD_BYTES.
A JSON body of 20 MB.
Send files in a form of POST /v1/jobs, or split the input.

unequal-lengths
Texts that belong together have different numbers of segments.
A reference of 99 lines for a system of 100 lines.
Give both one line per segment; an empty line is an empty segment.

log-prob-mismatch
Log-probabilities are missing for some segments, are positive, or do not fit the tokens.
{"translation": "The house.", "token_log_probs": [0.3]}
Send one finite number of at most 0 per token, for all segments or for none.

missing-evidence
Some segments lack side information that others have or that the model needs.
An n-best list without its sources.
Send the field named in `where` for every segment, or for none.

missing-resource
A language model, a table or a tagger of this pair is not loaded.
the target tagger is not loaded
Build the resource with `assay resources`, or choose other features.

missing-encoder
The profile `accurate` needs a cross-encoder, and none is loaded.
"profile": "accurate" with ASSAY_ENCODER=none
Ask for the profile `fast`, or set ASSAY_ENCODER=auto.

missing-checkpoint
No usable checkpoint has this name.
"metrics": ["neural:comet"] without ASSAY_CHECKPOINTS
Import one with `assay resources import-checkpoint`, and set ASSAY_CHECKPOINTS.

missing-system
No translation system is loaded for these languages.
POST /v1/translate for ro-en on a new server.
Train a system with `assay smt train`, and add it with `assay smt import`.

unknown-language-pair
A language tag is malformed, or nothing answers for these languages.
"source_language": "xx"
Write tags as en or pt-BR, or names as Romanian; GET /v1/resources lists the pairs.

language-pair-not-here
The words of a file look like a pair without resources on this server.
A Finnish text on a server for en-de and ro-en.
State the languages of the file, or add the pair with `assay pair add`.

unknown-feature-set
No set of features has this name.
"feature_set": "blackbox-17x"
Choose a name from GET /v1/features/catalogue.

unknown-model
No model has this name, or none fits the pair, the label and the side information.
"model": "ro-en-hter-gp-18"
Choose a model from GET /v1/models, or leave `model` out.

model-for-another-pair
The named model was trained for other languages.
"model": "ro-en-hter-gp-17" for English to German
Choose a model of this pair from GET /v1/models, or leave `model` out.

unknown-metric
No metric has this name or this option.
"metrics": ["blue"]
Choose a name from GET /v1/metrics.

no-key
The server has keys, and the request brings none that is valid.
curl http://localhost:8000/v1/me
Send Authorization: Bearer KEY; `assay server keys create` makes a key.

forbidden
The key has no scope, pair or model for this request.
A key for `score` in POST /v1/quality.
Use another key, or let the operator create one with the scope in `detail`.

cross-origin
A page of another website sent the request.
A script of https://app.example that calls this server.
Let the operator add the website to ASSAY_CORS_ORIGINS.

unknown-host
The request names a host that the server does not accept.
Host: attacker.example
Let the operator add the name to ASSAY_HOSTS.

untrusted-proxy
A sender outside ASSAY_TRUSTED_PROXIES set the header of the user's name.
X-User: alice from any machine of the network.
Let the operator add the proxy's address to ASSAY_TRUSTED_PROXIES.

invalid-user
The proxy named no user, several users, or a name with forbidden characters.
Two headers X-User in one request.
Let the proxy send one name of visible characters.

unknown-key
No key has this name.
assay server keys revoke tools
`assay server keys list` shows the names.

unknown-job
No job of yours has this id, or it was deleted.
GET /v1/jobs/00000000000000000000000000000000
GET /v1/jobs lists your jobs.

job-not-finished
The job still waits or runs, or it has failed.
GET /v1/jobs/ID/result right after POST /v1/jobs.
Wait for the state `succeeded` in GET /v1/jobs/ID, or follow its events.

result-expired
The server deleted the data of this job after the time in its settings.
GET /v1/jobs/ID/result a month after the job.
Send the job again; ASSAY_KEEP_RESULTS_DAYS is the time.

correction-conflict
Someone changed this correction after you read it.
PUT with "revision": 1 for a correction of revision 2.
Read the correction again, merge both texts, and send the new revision.

invalid-job
The kind, the files or the parameters of a job do not fit together.
kind=recipe without the file `recipe`.
Follow the detail; docs/use/jobs.md describes the kinds.

invalid-backup
The file is damaged, incomplete, or from a later version.
assay server restore half-copied.tar
Restore another backup, or use the version that wrote it.

invalid-training-data
The rows are too few, their labels do not vary, or the base model does not fit.
Training with 3 rows.
Send more labelled rows, on one scale.

invalid-tuning
The method or its options cannot tune these n-best lists.
PRO on lists with one hypothesis each.
Change the options in `where`, or send longer lists.

degenerate-weights
All weights are 0, or one is not a number, so no hypothesis is preferred.
"weights": {"lm": [0.0]}
Give at least one weight other than 0.

missing-weights
A feature of the hypotheses has no weight, or a weight no feature.
A list with `lm` and weights for `tm` alone.
Name every feature once in the weights.

invalid-weights
The file is no file of weights, or one of its lines is malformed.
lm= high
Write a name and its numbers per line, or send the answer of a tuning.

not-promoted
Only the model that was promoted last can be rolled back.
POST /v1/models/NAME/rollback for a model that never answered.
Roll back the model whose `answers` is true in GET /v1/models.

not-found
No page or call has this address.
GET /v1/qualty
/docs lists the addresses.

method-not-allowed
The address exists, but not for this method.
GET /v1/quality
Use a method from the header `Allow`.

unsupported-media-type
The request names no content type, or one that this call does not read.
curl -d '{...}' without -H 'Content-Type: application/json'
Send Content-Type: application/json, or a form (multipart/form-data) where files are accepted.

body-too-slow
The body arrived more slowly than ASSAY_BODY_SECONDS and ASSAY_BODY_BYTES_PER_SECOND allow.
An upload over a connection that stalls.
Send the request again, over a faster connection or in smaller parts.

too-many-requests
One address has more requests at one time than ASSAY_MAX_CLIENT_REQUESTS.
100 parallel calls of one program.
Wait for `Retry-After`, and send fewer requests at a time.

quota-exceeded
The key or its owner has used the amount of this minute, day or month.
10,001 segments with 10000 segments/day
Wait for `Retry-After`, or ask the operator for a larger quota.

too-many-jobs
The owner has as many waiting or running jobs as the quota allows.
A fifth job with a limit of four.
Wait until a job ends, or cancel one.

storage-quota-exceeded
The jobs and feedback of the owner take all bytes of the quota.
A job with 50 MB and 10 MB left.
Delete jobs with DELETE /v1/jobs/ID?remove=true, or ask for a larger quota.

queue-full
ASSAY_MAX_QUEUED_JOBS jobs of all owners wait.
The 10,001st waiting job.
Send the job again after `Retry-After`.

overloaded
The server answers as many requests as ASSAY_MAX_WAITING_REQUESTS allows, or is short of connections.
Hundreds of callers at one moment.
Send the request again after `Retry-After`.

too-slow
The answer took longer than ASSAY_CALL_SECONDS or the caller's own limit.
2,000 long segments in one call.
Send fewer segments at once, or a job if the verb has jobs.

idempotency-conflict
The Idempotency-Key came before, with another body.
Two jobs with the key import-7.
Use a new key for each new request, and the old one for a repetition alone.

database-unavailable
The database gives no answer at this moment.
PostgreSQL restarts.
Send the request again; the operator finds the reason in the server's log.

database-damaged
Pages of the database file are damaged, by a failing disk or an interrupted copy.
A file that other data overwrote in part.
Let the operator restore the latest backup with `assay restore`; quality without jobs still answers.

disk-full
A disk has less free room than ASSAY_MIN_FREE_BYTES.
POST /v1/jobs on a full disk.
Let the operator delete files; nothing of the request was stored.

not-ready
The server loads its models, or is about to stop.
A call in the first second after the start.
Send the request again in a moment; /health/ready answers 200 then.

internal-error
The server failed in a way that nobody foresaw.
the failure is in the server's log
Send the request again; then report it with `X-Request-ID` and the lines of the log.
"""
EXPLANATIONS: Final = MappingProxyType(
    {code: Explanation(*texts) for code, *texts in (entry.split("\n") for entry in f"{_TEXTS}{TEXTS}".strip().split("\n\n"))}
)
