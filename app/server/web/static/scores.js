// What a scoring gave: the table, who differs from whom, and where.
import { ask, byId, element, labelled, number, plot, t, tableRow } from "./page.js";
import { differing } from "./differences.js";
import { showVerdicts } from "./verdicts.js";

const PAGE = 10;
// Rows of systems by metric; the texts by system and by reference, null where the result has none.
let rows = [], verdicts = [], texts = null, given = null, pairs = [], shown = 0;

// The texts of a result, which are one row a segment, as one list a name.
export function columns(segments, side) {
  if (!segments) return null;
  return Object.fromEntries(Object.keys(segments[0][side]).map((name) => [name, segments.map((each) => each[side][name])]));
}

export async function showScores(answer, systems, references) {
  rows = answer.metrics;
  verdicts = answer.verdicts ?? [];
  texts = systems;
  given = references;
  const unique = (key) => [...new Set(rows.map((row) => row[key]))], option = (name) => element("option", { value: name }, name);
  const names = unique("system");
  byId("note").textContent = answer.test ? meaning(answer.test) : "";
  byId("metric").replaceChildren(...unique("metric").map(option));
  byId("one").replaceChildren(...names.map(option));
  byId("other").replaceChildren(...names.map(option));
  byId("other").value = names[1] ?? names[0];
  byId("differences").hidden = !texts || !rows[0].segments;
  await draw();
}

// What p says, by the test.
function meaning(test) {
  const said = test.name === "bootstrap" ? t("p: share of resampled test sets whose difference departs from the mean difference by more than the observed one (paired bootstrap).")
    : t("p: share of random swaps of the systems' outputs that give a larger difference.");
  return `${said} ${t("p is corrected for the number of systems (Holm).")}`;
}

const ofMetric = () => rows.filter((row) => row.metric === byId("metric").value);
const better = (row) => (row.direction === "higher is better" ? 1 : -1);

async function draw() {
  const mine = ofMetric().sort((a, b) => better(a) * (b.score - a.score));
  byId("scores").tBodies[0].replaceChildren(...mine.map((row) => tableRow([row.system, number(row.score, 2),
    row.confidence_interval ? t("{low} to {high}", { low: number(row.confidence_interval[0], 2), high: number(row.confidence_interval[1], 2) }) : "–",
    row.letters ?? "–", row.difference === undefined ? "–" : (row.difference >= 0 ? "+" : "−") + number(Math.abs(row.difference), 2), row.corrected_p_value === undefined ? "–" : number(row.corrected_p_value, 3)])));
  labelled(byId("scores"));
  showVerdicts(verdicts.filter((row) => row.metric === byId("metric").value), 2);
  byId("signature").value = mine[0].signature;
  byId("copied").textContent = "";
  const bars = mine.map((row) => ({ system: row.system, score: row.score, low: row.confidence_interval?.[0] ?? row.score, high: row.confidence_interval?.[1] ?? row.score }));
  await plot(byId("plot"), "/plots/scores.svg", { title: `${mine[0].metric} (${t(mine[0].direction)})`, systems: bars }, t("Bars of {metric} with intervals; the best is {system} with {score}. The table above has the numbers.", { metric: mine[0].metric, system: mine[0].system, score: number(mine[0].score, 2) }));
  if (!byId("differences").hidden) await compare();
}

async function compare() {
  const one = byId("one").value, other = byId("other").value, metric = byId("metric").value;
  byId("comparison").hidden = one === other;
  if (one === other) { byId("balance").textContent = t("Choose two systems to see where they differ."); return; }
  const [mine, theirs] = [one, other].map((name) => ofMetric().find((row) => row.system === name));
  const gain = mine.segments.map((score, k) => better(mine) * (theirs.segments[k] - score));
  const wins = gain.filter((each) => each > 0).length, losses = gain.filter((each) => each < 0).length;
  byId("balance").textContent = t("{other} is better on {wins, plural, one {# segment} other {# segments}}, {one} on {losses}; {ties, plural, one {# is equal} other {# are equal}}.", { one, other, wins, losses, ties: gain.length - wins - losses });
  pairs = gain.map((value, k) => ({ value, k })).filter((each) => each.value !== 0).sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || a.k - b.k);
  shown = 0;
  byId("segments").replaceChildren();
  more();
  // Words and lengths are compared with references, and by what can score any part of the texts.
  byId("parts").hidden = metric.startsWith("neural:") || !Object.keys(given).length;
  if (byId("parts").hidden) return;
  try { await breakdown(one, other, metric); } catch (problem) { byId("balance").textContent += ` ${problem.message}`; }
}

function more() {
  const one = byId("one").value, other = byId("other").value, reference = Object.values(given)[0];
  for (const { value, k } of pairs.slice(shown, shown + PAGE)) {
    const [before, after] = differing(texts[one][k], texts[other][k]);
    const line = (name, parts) => element("li", {}, element("span", { class: "who" }, name), element("span", { dir: "auto" }, ...parts));
    byId("segments").append(element("li", { value: String(k + 1) }, element("p", { class: "hint" }, t("{system} better by {value}", { system: value > 0 ? other : one, value: number(Math.abs(value), 2) })),
      element("ol", { class: "candidates" }, ...(reference ? [line(t("reference"), [reference[k]])] : []), line(one, before), line(other, after))));
  }
  shown += PAGE;
  byId("more").hidden = shown >= pairs.length;
}

const within = (row) => (row.high === null ? `≥ ${row.low}` : row.low === row.high ? String(row.low) : `${row.low}–${row.high}`);

async function breakdown(one, other, metric) {
  const found = await ask("/v1/compare", { json: { baseline: texts[one], system: texts[other], baseline_name: one, system_name: other, references: given, metrics: [metric], most: 20 } });
  const ngram = (row) => element("tr", {}, element("th", { scope: "row", dir: "auto" }, row.ngram), element("td", { class: "number" }, `${row.system_matches} : ${row.baseline_matches}`));
  const none = [element("tr", {}, element("td", {}, t("none")))];
  byId("better").tBodies[0].replaceChildren(...(found.ngrams.better.length ? found.ngrams.better.map(ngram) : none));
  byId("worse").tBodies[0].replaceChildren(...(found.ngrams.worse.length ? found.ngrams.worse.map(ngram) : none.map((row) => row.cloneNode(true))));
  await buckets("lengths", found.lengths.map((row) => ({ series: row.system, bucket: within(row), value: row.score, low: row.interval[0], high: row.interval[1], count: row.segments })), t("words of the reference"), metric);
  await buckets("frequencies", found.frequencies.map((row) => ({ series: row.system, bucket: within(row), value: row.f1, count: row.words })), t("occurrences of the word in the references"), "F1");
}

async function buckets(name, points, axis, title) {
  const table = byId(name);
  table.tHead.replaceChildren(element("tr", {}, ...[axis, t("System"), title, t("Count")].map((text) => element("th", { scope: "col" }, text))));
  table.tBodies[0].replaceChildren(...points.map((point) => tableRow([point.bucket, point.series, number(point.value, 3), point.count ?? 0])));
  const drawn = points.map(({ count, ...point }) => point);
  await plot(byId(`${name}-plot`), "/plots/buckets.svg", { title, axis, points: drawn }, t("Lines of {title} by {axis}; the table below has the numbers.", { title, axis }));
}

byId("metric").addEventListener("change", draw);
for (const name of ["one", "other"]) byId(name).addEventListener("change", compare);
byId("more").addEventListener("click", more);
