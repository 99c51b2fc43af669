// One scale a page: everything in the unit of what is predicted, as words to edit, or everything as quality from 0 to 1.
import { ask, byId, number, percent, t } from "./page.js";

// The value of a line through points; `from` rises or falls, beyond its ends the ends count.
function along(from, to, value) {
  const rising = from[from.length - 1] >= from[0];
  let low = 0, high = from.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (from[middle] <= value === rising) low = middle; else high = middle;
  }
  const width = from[high] - from[low], share = width ? Math.min(1, Math.max(0, (value - from[low]) / width)) : 0;
  return to[low] + share * (to[high] - to[low]);
}

// How numbers are shown: `own` in the label's unit, `quality` as confidence. `about` is what the server says of the job's scale.
export function scaleOf(about, kind) {
  const quality = kind === "quality", edits = !quality && about.percent, higher = quality || about.higher_is_better;
  const shown = (score) => (quality ? along(about.scores, about.confidences, score) : score);
  // Zero has no sign, however it came about.
  const write = (value) => (edits ? percent(Math.round(value * 100) / 100 || 0) : number(Math.round(value * 100) / 100 || 0, 2));
  const ends = quality ? [0, 1] : [about.scores[0], about.scores[about.scores.length - 1]];
  return {
    kind, edits, higher, ends, shown, write,
    title: quality ? t("Quality") : about.title,
    limitTitle: higher ? t("From") : t("Up to"),
    assumption: about.assumptions[kind],
    // Two classes have no range: every true value is one of its ends.
    hasRanges: about.has_ranges, isCritical: about.is_critical, accuracy: about.accuracy,
    of: (row) => (quality ? row.confidence : row.score),
    say: (score) => write(shown(score)),
    limit: (confidence) => (confidence === null ? "–" : write(quality ? confidence : along(about.confidences, about.scores, confidence))),
    range: (interval) => interval.map(shown).sort((a, b) => a - b).map(write),
    place: (score) => (shown(score) - ends[0]) / (ends[1] - ends[0]),
    // How far a part of the score moves what is shown, from where it starts.
    moved: (start, by) => shown(start + by) - shown(start),
  };
}

// The scale of a job as the reader chose it last; `changed` gets another one when it is switched.
export async function openScale(job, changed) {
  const about = await ask(`/jobs/${job.id}/scale.json`), choice = byId("scale");
  choice.options[0].textContent = about.title;
  choice.value = localStorage.getItem("scale") === "quality" ? "quality" : "own";
  choice.onchange = () => { localStorage.setItem("scale", choice.value); changed(scaleOf(about, choice.value)); };
  return scaleOf(about, choice.value);
}

// The slider that hides what is better: all is shown where it stands at its end.
export function prepareSlider(scale, rows) {
  const slider = byId("threshold"), values = rows.map(scale.of);
  const [low, high] = scale.edits || scale.kind === "quality" ? [0, 1] : [Math.floor(Math.min(...values) * 100) / 100, Math.ceil(Math.max(...values) * 100) / 100];
  Object.assign(slider, { min: low, max: high, step: 0.01 });
  slider.value = scale.higher ? high : low;
  byId("threshold-title").textContent = scale.higher ? t("{what} at most", { what: scale.title }) : t("{what} at least", { what: scale.title });
}

export function underSlider(scale, row) {
  const slider = byId("threshold"), value = Number(slider.value);
  if (slider.value === (scale.higher ? slider.max : slider.min)) return true;
  return scale.higher ? scale.of(row) <= value : scale.of(row) >= value;
}
