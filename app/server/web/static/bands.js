// Words per band: what is paid for what, the sum, and what is assumed; and what a person would look at.
import { byId, element, labelled, number, percent, t, tableRow } from "./page.js";

// Rows of bands with their total, on the page's scale. `choice` makes the control that a band's name is.
export function showBands(summary, scale, choice) {
  const table = byId("band-report"), bands = summary.bands ?? [], currency = summary.terms?.currency;
  const paid = (row) => [number(row.paid_words, 1), ...(currency ? [number(row.paid, 2)] : [])];
  const titles = [t("Band"), scale.limitTitle, t("Segments"), t("Words"), t("Share"), t("Rate"), t("Paid words"), ...(currency ? [currency] : [])];
  table.tHead.replaceChildren(element("tr", {}, ...titles.map((title, k) => element("th", { scope: "col", ...(k ? { class: "number" } : {}) }, title))));
  table.tBodies[0].replaceChildren(...bands.map((row) => tableRow([choice(row), scale.limit(row.at_least), row.segments, row.source_words, percent(row.share), number(row.rate, 2), ...paid(row)])));
  const total = summary.total;
  table.tFoot.replaceChildren(...(total ? [tableRow([t("Total"), "", total.segments, total.source_words, "", "", ...paid(total)])] : []));
  labelled(table);
  byId("assumption").textContent = scale.assumption;
  const passing = summary.acceptance;
  byId("acceptance").hidden = !passing;
  if (passing) {
    byId("acceptance").textContent = passing.accepted ? passingText(passing, scale) : t("No segment can skip review.");
  }
}

function passingText(passing, scale) {
  if (scale.isCritical) return t("{count, plural, one {# segment} other {# segments}} can skip review; {errors} are expected to have a critical error.", { count: passing.accepted, errors: number(passing.expected_errors, 1) });
  return t("{count, plural, one {# segment} other {# segments}} can skip review; {errors} are expected to be worse than {worst}.",
    { count: passing.accepted, errors: number(passing.expected_errors, 1), worst: scale.say(passing.at_worst) });
}

// Edits to expect, counted in the words that are counted beside them.
export function expectedEdits(summary) {
  const words = summary.source_words;
  return t("about {edits} in {words, plural, one {# source word} other {# source words}}", { edits: Math.round(summary.weighted_score * words), words });
}

const warned = (row) => (row.warnings?.length ?? 0) > 0;

// What a person would look at, with what it is called. Where a risk was stated it is what may not pass unseen, or has a warning,
// while nobody corrected it; where none was, nobody said what may pass, and warnings are all there is; null where they were not asked for.
export function looking(summary) {
  if (summary.acceptance) return { title: t("To review"), wanted: (row) => warned(row) || (row.accept === false && !row.corrected) };
  return summary.warnings ? { title: t("With a warning"), wanted: warned } : null;
}
