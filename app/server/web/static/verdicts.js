// Verdicts on systems against a baseline, in the language of the reader.
import { byId, element, number, t } from "./page.js";

const SMALLEST = 0.0005;

// Writes the sentences of verdicts, with scores of so many digits.
export function showVerdicts(verdicts, digits) {
  byId("verdicts").replaceChildren(...verdicts.map((row) => element("p", { class: `verdict ${row.outcome}` }, sentence(row, digits))));
}

function sentence(row, digits) {
  const said = (value) => number(value, digits), { system, baseline, metric, segments } = row;
  const difference = (row.difference < 0 ? "−" : "+") + said(Math.abs(row.difference));
  const p = row.p_value < SMALLEST ? `p < ${number(0.001, 3)}` : `p = ${number(row.p_value, 3)}`;
  const places = { system, baseline, metric, difference, before: said(row.baseline_score), after: said(row.score), p, segments };
  if (row.outcome === "better") return t("{system} is better than {baseline}: {metric} {difference} ({before} → {after}), {p}, {segments, plural, one {# segment} other {# segments}}", places);
  if (row.outcome === "worse") return t("{system} is worse than {baseline}: {metric} {difference} ({before} → {after}), {p}, {segments, plural, one {# segment} other {# segments}}", places);
  return t("No difference is shown between {system} and {baseline}: {metric} {difference} ({before} → {after}), {p}, {segments, plural, one {# segment} other {# segments}}", places);
}
