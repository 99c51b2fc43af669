// A document with its scores: summary, words per band, and the list of segments that can be ordered, filtered and walked through.
import { ask, byId, button, element, t, tableRow } from "./page.js";
import { segmentRow } from "./segment.js";
import { spoken } from "./document-numbers.js";

const PAGE = 100;
let result = null, rows = [], shown = 0;

const percent = () => result.label === "hter";
const higher = () => result.direction === "higher is better";
const say = (value) => spoken(value, result.label);

export async function showDocument(job) {
  result = await ask(`/v1/jobs/${job.id}/result?format=json`);
  result.segments.forEach((row, place) => { row.number = place + 1; });
  result.file = job.params.file ?? null;
  for (const format of ["tsv", "json", "jsonl", "annotated"]) byId(format).href = `/v1/jobs/${job.id}/result?format=${format}`;
  byId("annotated").hidden = !result.file;
  byId("report").href = `/jobs/${job.id}/report`;
  byId("document-title").textContent = result.file ? result.file.name : t("The document");
  summarise();
  bands();
  filters();
  byId("histogram").src = `/jobs/${job.id}/histogram.svg`;
  bins();
  refresh();
}

function fact(term, text, chief) {
  byId("facts").append(element("div", chief ? { class: "chief" } : {}, element("dt", {}, term), element("dd", {}, text)));
}

function summarise() {
  byId("facts").replaceChildren();
  byId("scored").textContent = percent() ? t("Words to edit") : t("Score");
  const all = result.document;
  fact(percent() ? t("Words to edit") : t("Predicted {label}, {unit}", result), say(all.weighted_score), true);
  fact(t("Segments"), all.segments.toLocaleString());
  fact(t("Words of the source"), all.source_words.toLocaleString());
  if (percent()) fact(t("Expected edits"), Math.round(all.weighted_score * all.translation_tokens).toLocaleString());
  const warned = result.segments.filter((row) => row.warnings?.length).length;
  if (result.segments[0].warnings) fact(t("To look at"), warned.toLocaleString());
  fact(t("Worst segment"), `№ ${ordered("worst")[0].number}`);
  fact(t("Model"), result.model);
  const direction = higher() ? t("Higher scores are better.") : t("Lower scores are better.");
  const skipped = result.file?.skipped ? ` ${t("{count} units of the file have no translation and were left out.", { count: result.file.skipped })}` : "";
  byId("note").textContent = `${direction} ${t("Ranges hold the true value for about {share} % of segments.", { share: Math.round(result.interval * 100) })}${skipped}`;
}

function bands() {
  const report = result.document.bands ?? [];
  byId("band-report").tBodies[0].replaceChildren(...report.map((row) => tableRow([choice(row), row.at_least.toFixed(2), row.segments, row.source_words, `${Math.round(row.share * 100)} %`, Math.round(row.paid_words)])));
  const passing = result.document.acceptance;
  byId("acceptance").hidden = !passing;
  if (passing) {
    byId("acceptance").textContent = t("{accepted} of {segments} segments may pass unseen; about {errors} of these are expected to be worse than {worst}.",
      { accepted: passing.accepted, segments: result.document.segments, errors: passing.expected_errors.toFixed(1), worst: passing.at_worst });
  }
}

// A band's name shows its segments, and again all of them.
function choice(band) {
  return button(band.name, () => {
    const value = `band:${band.name}`;
    byId("show").value = byId("show").value === value ? "" : value;
    refresh();
  }, { class: "quiet", "aria-label": t("Show the segments of band {name}", band) });
}

// Only what the document has can be filtered by.
function filters() {
  const choices = [["", t("All segments")]];
  for (const band of result.document.bands ?? []) choices.push([`band:${band.name}`, t("Band {name}", band)]);
  const codes = result.document.warnings ?? {};
  if (Object.keys(codes).length) choices.push(["warned", t("With a warning")]);
  for (const [code, count] of Object.entries(codes)) choices.push([`warning:${code}`, `${t(code)} (${count})`]);
  if (result.segments.some((row) => "accept" in row)) choices.push(["seen", t("Not to pass unseen")], ["unseen", t("May pass unseen")]);
  byId("show").replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
}

function kept(row) {
  const wanted = byId("show").value, text = byId("containing").value.toLowerCase();
  if (row.confidence > Number(byId("threshold").value)) return false;
  if (text && !`${row.source}\n${row.translation}`.toLowerCase().includes(text)) return false;
  if (wanted === "warned") return row.warnings.length > 0;
  if (wanted === "seen") return !row.accept;
  if (wanted === "unseen") return row.accept;
  if (wanted.startsWith("band:")) return row.band === wanted.slice(5);
  if (wanted.startsWith("warning:")) return row.warnings.some((each) => each.code === wanted.slice(8));
  return true;
}

function ordered(order) {
  const all = [...result.segments];
  if (order === "worst") return all.sort((a, b) => (higher() ? a.score - b.score : b.score - a.score) || a.number - b.number);
  return order === "document" ? all : all.sort((a, b) => b.std - a.std || a.number - b.number);
}

function refresh() {
  byId("threshold-value").textContent = Number(byId("threshold").value).toFixed(2);
  rows = ordered(byId("order").value).filter(kept);
  shown = 0;
  byId("segments").tBodies[0].replaceChildren();
  byId("none").hidden = rows.length > 0;
  byId("segments").hidden = rows.length === 0;
  byId("count").textContent = rows.length === result.segments.length ? "" : t("{shown} of {all} segments", { shown: rows.length, all: result.segments.length });
  more();
}

function more() {
  const report = result.document.bands ?? [], body = byId("segments").tBodies[0];
  const classes = new Map(report.map((band, k) => [band.name, k === report.length - 1 ? "poor" : k < report.length / 2 ? "good" : "fair"]));
  for (const row of rows.slice(shown, shown + PAGE)) body.append(segmentRow(row, result, classes.get(row.band) ?? "plain"));
  shown += PAGE;
  byId("more").hidden = shown >= rows.length;
}

function bins() {
  const scores = result.segments.map((row) => row.score);
  const bounds = { hter: [0, 1], effort: [1, 5], likert: [1, 5] }[result.label];
  const low = bounds ? bounds[0] : Math.min(...scores), high = bounds ? bounds[1] : Math.max(...scores);
  const width = (high - low) / 10 || 1, counts = new Array(10).fill(0);
  for (const score of scores) counts[Math.max(0, Math.min(9, Math.floor((score - low) / width)))] += 1;
  byId("bins").tBodies[0].replaceChildren(...counts.map((count, k) => tableRow([`${say(low + k * width)} – ${say(low + (k + 1) * width)}`, count])));
  const most = counts.indexOf(Math.max(...counts));
  byId("histogram").alt = t("Histogram of {count} segment scores; most lie between {low} and {high}.", { count: scores.length, low: say(low + most * width), high: say(low + (most + 1) * width) });
}

// The list is walked with keys, like mail; while something is typed they are letters.
function keys(event) {
  const row = event.target.closest("#segments tbody tr");
  if (!row || event.target.closest("textarea, input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const to = { j: row.nextElementSibling, ArrowDown: row.nextElementSibling, k: row.previousElementSibling, ArrowUp: row.previousElementSibling }[event.key];
  if (to) { event.preventDefault(); to.focus(); to.scrollIntoView({ block: "nearest" }); }
  else if (event.key === "e") { event.preventDefault(); row.querySelector("button.edit")?.click(); }
  else if (event.key === "w") { event.preventDefault(); row.querySelector(".why summary")?.click(); }
}

for (const name of ["order", "show"]) byId(name).addEventListener("change", refresh);
for (const name of ["threshold", "containing"]) byId(name).addEventListener("input", refresh);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("more").addEventListener("click", more);
byId("segments").addEventListener("keydown", keys);
