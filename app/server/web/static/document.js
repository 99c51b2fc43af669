// A document with its scores: summary, words per band, and the list of segments that can be ordered, filtered and walked through.
import { ask, byId, button, element, number, pairName, t, tableRow } from "./page.js";
import { offer } from "./address.js";
import { loadCorrections, standing } from "./corrections.js";
import { segmentRow, severe, warningName } from "./segment.js";
import { expectedEdits, looking, showBands } from "./bands.js";
import { openRatings } from "./ratings.js";
import { openScale, prepareSlider, underSlider } from "./scale.js";
import { copyText, csv } from "./tables.js";

const PAGE = 100;
// A guess of languages from fewer letters on a side is worth a question.
const FEW_LETTERS = 100;
let result = null, rows = [], shown = 0;

const higher = () => result.direction === "higher is better";

// Shows the result of a job; `again` opens the form with its texts.
export async function showDocument(job, again) {
  result = await ask(`/v1/jobs/${job.id}/result?format=json&corrections=none`);
  result.segments.forEach((row, place) => { row.number = place + 1; });
  result.file = job.params.file ?? null;
  offer(job, ["tsv", "json", "jsonl", "annotated"]);
  byId("annotated").hidden = !result.file;
  byId("document-title").textContent = result.file ? result.file.name : t("The document");
  askLanguages(job.id, again);
  openRatings(job.id, result.segments);
  // On a telephone the segments come first; summary and filters unfold.
  for (const name of ["overview", "filtering"]) byId(name).open = !matchMedia("(max-width: 44rem)").matches;
  await loadCorrections(job.id, result.segments, () => { summarise(); filters(); });
  filters();
  draw(job, await openScale(job, (scale) => draw(job, scale)));
}

// Whose languages were guessed from little text is asked about them.
function askLanguages(id, again) {
  const isGuess = result.languages === "guessed" || sessionStorage.getItem(`guessed:${id}`) !== null;
  const letters = (side) => result.segments.reduce((sum, row) => sum + (row[side].match(/\p{L}/gu) ?? []).length, 0);
  const asks = isGuess && Math.min(letters("source"), letters("translation")) < FEW_LETTERS;
  byId("guess").replaceChildren(...(asks ? [t("Is this {pair}? The languages were detected from little text.", { pair: languages() }), " ", button(t("No, choose the languages"), () => again(result.segments))] : []));
}

const languages = () => pairName(result.source_language, result.target_language);

// Everything that has numbers, on one scale.
function draw(job, scale) {
  result.scale = scale;
  byId("report").href = `/jobs/${job.id}/report?scale=${scale.kind}`;
  byId("histogram").src = `/jobs/${job.id}/histogram.svg?scale=${scale.kind}`;
  summarise();
  showBands(result.document, scale, choice);
  prepareSlider(scale, result.segments);
  bins();
  refresh();
}

function fact(term, text, kind = "", size = "") {
  byId("facts").append(element("div", { class: kind }, element("dt", {}, term), element("dd", { class: size }, text)));
}

function summarise() {
  byId("facts").replaceChildren();
  byId("scored").textContent = result.scale.title;
  // Words of a pair without a tagger have no marks.
  byId("legend").hidden = !result.segments.some((row) => row.words);
  const all = result.document;
  fact(result.scale.title, result.scale.say(all.weighted_score), "chief");
  const misleading = result.segments.map(standing).filter(severe).length;
  if (misleading) fact(t("With an error"), number(misleading), "severe");
  fact(t("Segments"), number(all.segments));
  fact(t("Languages"), languages());
  fact(t("Words of the source"), number(all.source_words));
  if (result.scale.edits) fact(t("Expected edits"), expectedEdits(all));
  const look = looking(all);
  if (look) fact(look.title, number(result.segments.map(standing).filter(look.wanted).length));
  const corrected = result.segments.filter((row) => row.corrected).length;
  if (corrected) fact(t("Corrected"), number(corrected));
  fact(t("Worst segment"), `№ ${ordered("worst")[0].number}`);
  if (result.translation_service) fact(t("Translated by"), result.translation_service);
  fact(t("Model"), result.model);
  if (result.scale.accuracy) fact(t("Accuracy of the model"), result.scale.accuracy, "", "hint");
  const direction = result.scale.higher ? t("Higher numbers are better.") : t("Lower numbers are better.");
  const skipped = result.file?.skipped ? ` ${t("{count, plural, one {# segment of the file has no translation and was skipped.} other {# segments of the file have no translation and were skipped.}}", { count: result.file.skipped })}` : "";
  // The plain mean is the other number that a document has, in files and answers.
  const quality = result.scale.kind === "quality", mean = result.scale.write(quality ? all.confidence : all.score);
  const weighting = quality ? t("Long segments count more; without that it would be {mean}, the number in your files.", { mean }) : t("Long segments count more; without that it would be {mean}.", { mean });
  const ranges = result.scale.hasRanges ? ` ${t("For about {share} % of segments, the true value lies in the range shown.", { share: Math.round(result.interval * 100) })}` : "";
  byId("note").textContent = `${direction} ${weighting}${ranges}${skipped}`;
  byId("about-ranges").hidden = !result.scale.hasRanges;
  const about = result.new_pair, cautions = (result.cautions ?? []).filter((caution) => caution !== about?.rests_on);
  byId("cautions").replaceChildren(...[...newPair(about), ...cautions].map((caution) => element("p", { class: "caution" }, caution)));
}

// Of languages that nothing was built for: what their scores are good for. Accuracies stand on the page of the model.
const newPair = (about) => (about ? [t("A general model answers for these languages. Use its scores to sort segments, not as absolute numbers. It does not notice a wrong language; the warnings do.")] : []);

// A band's name shows its segments, and again all of them.
function choice(band) {
  return button(t(band.name), () => {
    const value = `band:${band.name}`;
    byId("show").value = byId("show").value === value ? "" : value;
    refresh();
  }, { class: "quiet", "aria-label": t("Show the segments of band {name}", { name: t(band.name) }) });
}

async function copyTable(lines) {
  await copyText(csv(lines));
  byId("table-copied").textContent = t("Copied.");
}

// The listed segments in their order, as they stand; numbers have a point, whatever the language.
function listed() {
  const cells = (row) => { const now = standing(row); return [row.number, result.scale.of(now), row.band, row.source, row.translation, row.corrected?.text, (now.warnings ?? []).map((each) => warningName(each.code)).join(", ")]; };
  return [["№", result.scale.title, t("Band"), t("Source"), t("Translation"), t("Corrected"), t("Warnings")], ...rows.map(cells)];
}

// Only what the document has can be filtered by.
function filters() {
  const choices = [["", t("All segments")]];
  if (result.document.acceptance) choices.push(["look", looking(result.document).title]);
  for (const band of result.document.bands ?? []) choices.push([`band:${band.name}`, t("Band {name}", { name: t(band.name) })]);
  const codes = {};
  for (const { code } of result.segments.flatMap((row) => standing(row).warnings ?? [])) codes[code] = (codes[code] ?? 0) + 1;
  if (Object.keys(codes).length) choices.push(["warned", t("With a warning")]);
  if (result.segments.some((row) => severe(standing(row)))) choices.push(["severe", t("With an error")]);
  for (const [code, count] of Object.entries(codes).sort()) choices.push([`warning:${code}`, `${warningName(code)} (${number(count)})`]);
  if (result.segments.some((row) => "accept" in row)) choices.push(["seen", t("Needs review")], ["unseen", t("Can skip review")]);
  if (result.segments.some((row) => row.corrected)) choices.push(["corrected", t("Corrected")], ["left", t("Not corrected")]);
  const shownNow = byId("show").value;
  byId("show").replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
  byId("show").value = choices.some(([value]) => value === shownNow) ? shownNow : "";
}

function kept(row) {
  const now = standing(row), wanted = byId("show").value, text = byId("containing").value.toLowerCase();
  if (!underSlider(result.scale, now)) return false;
  if (text && !`${row.source}\n${row.translation}\n${row.corrected?.text ?? ""}`.toLowerCase().includes(text)) return false;
  if (wanted === "look") return looking(result.document).wanted(now);
  if (wanted === "corrected") return Boolean(row.corrected);
  if (wanted === "left") return !row.corrected;
  if (wanted === "warned") return (now.warnings ?? []).length > 0;
  if (wanted === "severe") return severe(now);
  if (wanted === "seen") return !row.accept;
  if (wanted === "unseen") return row.accept;
  if (wanted.startsWith("band:")) return row.band === wanted.slice(5);
  if (wanted.startsWith("warning:")) return (now.warnings ?? []).some((each) => each.code === wanted.slice(8));
  return true;
}

function ordered(order) {
  if (order === "document") return [...result.segments];
  const worse = (a, b) => (order === "worst" ? severe(b) - severe(a) : 0) || (order === "unsure" ? b.std - a.std : higher() ? a.score - b.score : b.score - a.score) || a.number - b.number;
  return result.segments.map((row) => [row, standing(row)]).sort(([, a], [, b]) => worse(a, b)).map(([row]) => row);
}

function refresh() {
  byId("threshold-value").textContent = result.scale.write(Number(byId("threshold").value));
  rows = ordered(byId("order").value).filter(kept);
  shown = 0;
  byId("segments").tBodies[0].replaceChildren();
  byId("none").hidden = rows.length > 0;
  byId("segments").hidden = rows.length === 0;
  byId("count").textContent = rows.length === result.segments.length ? "" : t("{all, plural, one {{shown} of # segment} other {{shown} of # segments}}", { shown: rows.length, all: result.segments.length });
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
  const scale = result.scale, values = result.segments.map(scale.of), bounded = scale.kind === "quality" || ["hter", "effort", "likert", "origin"].includes(result.label);
  const low = bounded ? scale.ends[0] : Math.min(...values), high = bounded ? scale.ends[1] : Math.max(...values);
  const width = (high - low) / 10 || 1, counts = new Array(10).fill(0), edge = (k) => scale.write(low + k * width);
  for (const value of values) counts[Math.max(0, Math.min(9, Math.floor((value - low) / width)))] += 1;
  byId("bins").tBodies[0].replaceChildren(...counts.map((count, k) => tableRow([`${edge(k)} – ${edge(k + 1)}`, count])));
  const most = counts.indexOf(Math.max(...counts));
  byId("histogram").alt = t("{count, plural, one {Histogram of # segment score; it lies} other {Histogram of # segment scores; most lie}} between {low} and {high}.", { count: values.length, low: edge(most), high: edge(most + 1) });
}

// The list is walked with keys, like mail, from wherever the focus is: from the row that was looked at last, or the first.
// While something is typed they are letters, and arrows are of the list only inside it.
let visited = null;
function keys(event) {
  if (byId("document").hidden || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("textarea, input:not([type=range], [type=checkbox], [type=radio]), select, [contenteditable]")) return;
  const inside = event.target.closest("#segments tbody tr"), row = inside ?? (visited?.isConnected ? visited : null);
  const arrow = inside && !event.target.closest("input") ? { ArrowDown: "j", ArrowUp: "k" }[event.key] : undefined;
  const key = arrow ?? event.key;
  if (key === "j" || key === "k") {
    const to = row ? (key === "j" ? row.nextElementSibling : row.previousElementSibling) : byId("segments").tBodies[0].rows[0];
    if (to) { event.preventDefault(); to.focus(); to.scrollIntoView({ block: "nearest" }); }
  } else if (row && key === "e") { event.preventDefault(); row.querySelector("button.edit")?.click(); }
  else if (row && key === "w") { event.preventDefault(); row.querySelector(".why summary")?.click(); }
}

for (const name of ["order", "show"]) byId(name).addEventListener("change", refresh);
for (const name of ["threshold", "containing"]) byId(name).addEventListener("input", refresh);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("more").addEventListener("click", more);
byId("copy-bands").addEventListener("click", () => copyTable([...byId("band-report").rows].map((row) => [...row.cells].map((cell) => cell.textContent))));
byId("copy-segments").addEventListener("click", () => copyTable(listed()));
document.addEventListener("keydown", keys);
byId("segments").addEventListener("focusin", (event) => { visited = event.target.closest("tbody tr") ?? visited; });
