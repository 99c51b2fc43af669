"""sacreBLEU's options as options in names of metrics; an option without a fitting metric is an error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.errors import InputError
from app.metrics import METRICS

__all__ = ["SacrebleuOptions"]

# Each of sacreBLEU's options concerns one of its metrics. -lc and -tok concern BLEU, and here other metrics as well.
CHRF: Final = frozenset({"chrf", "chrf+", "chrf++"})
# Default tokenisers of languages without spaces.
USUAL_TOKENISERS: Final = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
WITH_VALUES: Final = frozenset({"floor", "add-k"})


@dataclass(frozen=True)
class SacrebleuOptions:
    """Values of the options; None or False without the option."""

    lowercase: bool = False
    tokenize: str | None = None
    language_pair: str | None = None
    smooth_method: str | None = None
    smooth_value: float | None = None
    chrf_char_order: int | None = None
    chrf_word_order: int | None = None
    chrf_beta: int | None = None
    chrf_whitespace: bool = False
    chrf_lowercase: bool = False
    chrf_eps_smoothing: bool = False
    ter_case_sensitive: bool = False
    ter_asian_support: bool = False
    ter_no_punct: bool = False
    ter_normalized: bool = False

    def metrics(self, names: Sequence[str]) -> list[str]:
        """Names of metrics with these options added. InputError if an option fits no metric."""
        lower_names = [_lower(name) for name in names]
        used_options: set[str] = set()
        signatures = [self._with_options(name, used_options) for name in lower_names]
        # As in sacreBLEU, -lc and -tok need no fitting metric.
        for option in self._set_flags() - used_options - {"--lowercase", "--tokenize", "--language-pair"}:
            raise InputError(
                "invalid-request", f"none of the metrics has this option; they are {', '.join(lower_names)}", (option,)
            )
        return signatures

    def _set_flags(self) -> set[str]:
        return {_flag(name) for name, value in vars(self).items() if value is not None and value is not False}

    def _with_options(self, metric: str, used_options: set[str]) -> str:
        base = metric.partition("|")[0].partition(":")[0]
        entry = METRICS.get(base)
        if entry is None:
            return metric
        # An option with one value is not a choice.
        takes = {key for key, option in entry.options.items() if ", " in option.accepted_values or " to " in option.accepted_values}
        for key, value, flags in self._options_of(base):
            if key in takes:
                used_options.update(flags)
                metric += "" if f"|{key}:" in metric else f"|{key}:{value}"
        return metric

    def _options_of(self, base: str) -> list[tuple[str, str, tuple[str, ...]]]:
        """Option and value in the name of a metric, and the flags for them."""
        choices: list[tuple[bool, str, str, tuple[str, ...]]] = []
        if base in CHRF:
            choices = [
                (self.chrf_lowercase, "case", "lc", ("--chrf-lowercase",)),
                (self.chrf_eps_smoothing, "eff", "no", ("--chrf-eps-smoothing",)),
                (self.chrf_char_order is not None, "nc", str(self.chrf_char_order), ("--chrf-char-order",)),
                (self.chrf_word_order is not None, "nw", str(self.chrf_word_order), ("--chrf-word-order",)),
                (self.chrf_beta is not None, "beta", str(self.chrf_beta), ("--chrf-beta",)),
                (self.chrf_whitespace, "space", "yes", ("--chrf-whitespace",)),
            ]
        elif base == "ter":
            choices = [
                (self.ter_case_sensitive, "case", "mixed", ("--ter-case-sensitive",)),
                (self.ter_normalized, "norm", "yes", ("--ter-normalized",)),
                (self.ter_no_punct, "punct", "no", ("--ter-no-punct",)),
                (self.ter_asian_support, "asian", "yes", ("--ter-asian-support",)),
            ]
        else:
            tokeniser, smoothing = self._tokeniser(), self._smoothing()
            choices = [
                (self.lowercase, "case", "lc", ("--lowercase",)),
                (tokeniser is not None, "tok", tokeniser or "", ("--tokenize",)),
                (smoothing is not None, "smooth", smoothing or "", ("--smooth-method", "--smooth-value")),
            ]
        return [(key, value, flags) for has_value, key, value, flags in choices if has_value]

    def _tokeniser(self) -> str | None:
        if self.tokenize is not None or self.language_pair is None:
            return self.tokenize
        source, separator, target = self.language_pair.partition("-")
        if not (source and separator and target):
            raise InputError("invalid-request", "a language pair is two languages, as en-zh", ("--language-pair",))
        return USUAL_TOKENISERS.get(target)

    def _smoothing(self) -> str | None:
        if self.smooth_value is None:
            return self.smooth_method
        if self.smooth_method not in WITH_VALUES:
            raise InputError("invalid-request", "only floor and add-k have a value (--smooth-method)", ("--smooth-value",))
        return f"{self.smooth_method}[{self.smooth_value!r}]"


def _lower(name: str) -> str:
    """Lower-case the name of a metric, but not its options."""
    parts = min(filter(None, (name.partition("|")[0], name.partition(":")[0])), key=len, default=name)
    return parts.lower() + name[len(parts) :]


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
