"""`assay nbest tune --decoder`: weights tuned by rounds of translation, instead of on existing lists."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from app.building.writing import file_aside
from app.errors import InputError
from app.metrics import metric_named
from app.shell.declaration.files import check_folder
from app.shell.output import say
from app.smt.decoder.building.steps import CachedSteps
from app.smt.decoder.tuning.methods import check_method
from app.smt.decoder.tuning.rounds import RoundOptions
from app.smt.decoder.tuning.tuned_system import check_tunable, tune_configuration, tuned_files

__all__ = ["tune_by_decoder"]


def tune_by_decoder(
    config: Path,
    texts: Sequence[str],
    references: Sequence[str],
    metric: str,
    options: RoundOptions,
    out: Path | None,
    work: Path | None,
) -> None:
    """Write a configuration with tuned weights to `out`; rounds stay in the folder `work`, or nowhere."""
    if len(texts) != 1 or texts[0] == "-":
        raise InputError("invalid-request", "name one file of source sentences in the place of n-best lists", ("--decoder",))
    if out is None:
        raise InputError("invalid-request", "name the moses.ini to write by --out", ("--decoder",))
    if not references:
        raise InputError("invalid-request", "weights are tuned towards references; name a file", ("--reference",))
    check_method(options.method)
    metric_named(metric)
    source, files = Path(texts[0]), [Path(reference) for reference in references]
    for path in (config, source, *files):
        if not path.is_file():
            raise InputError("invalid-request", f"{path} is not a file")
    check_tunable(config, out)
    if work is not None:
        check_folder(work, "--work")
    with TemporaryDirectory(prefix="assay-") as folder, CachedSteps.of(work or Path(folder, "work"), say) as steps:
        weights = tune_configuration(steps, config, source, files, metric, options)
    for path, text in tuned_files(config, weights, out).items():
        with file_aside(path) as staging:
            staging.write_bytes(text.encode("utf-8", "surrogateescape"))
        say(f"wrote {path}")
