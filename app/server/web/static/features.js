// Features of a segment: values, their places in the training distribution, their influence on the score, and a plot.
import { ask, byId, button, complain, element, labelled, number, pairName, percent, plot, show, t, tableRow } from "./page.js";
import { chooser } from "./choosing.js";
import { copies, expectKind, jobAsked, offer, OPENED } from "./address.js";
import { follow } from "./follow.js";
import { ANY, chosenLanguages, languageChoice } from "./pairs.js";
import { spoken } from "./document-numbers.js";

const SECTIONS = ["entry", "progress", "result"], PAGE = 25, MOST_SEGMENTS = 1000, MEDIAN = 50;
const files = chooser("files", 2);
let result = null, params = {}, descriptions = new Map(), rows = [], shown = 0, looked = 0, pictured = null;

function texts() {
  const chosen = files.files();
  if (chosen.length === 1) return { file: chosen[0] };
  if (chosen.length) return { source: chosen[0], translation: chosen[1] };
  const [source, translation] = ["source", "translation"].map((id) => byId(id).value.replace(/\n+$/, ""));
  if (!source.trim() || !translation.trim()) return null;
  return { source: new File([source], "source.txt"), translation: new File([translation], "translation.txt") };
}

async function submit(event) {
  event.preventDefault();
  complain("");
  const given = texts();
  if (!given) { complain(t("Drop a file, or paste a source and its translation.")); return; }
  byId("go").disabled = true;
  try {
    const [kind, name] = byId("set").value.split(/:(.*)/s), data = new FormData(), owner = localStorage.getItem("owner");
    data.append("kind", "features");
    data.append("params", JSON.stringify({ ...chosenLanguages(), distribution: true, ...(kind === "set" ? { feature_set: name } : { model: name }) }));
    if (owner) data.append("owner", owner);
    for (const [role, file] of Object.entries(given)) data.append(role, file);
    const job = await ask("/v1/jobs", { method: "POST", body: data });
    history.pushState(null, "", OPENED.features + job.id);
    await open(job.id);
  } catch (problem) { complain(problem.message); }
  finally { byId("go").disabled = false; }
}

async function open(id) {
  show(SECTIONS, "progress");
  try {
    const job = await follow(id);
    expectKind(job, "features");
    result = await ask(`/v1/jobs/${id}/result?format=json`);
    if (!result.distribution) throw new Error(t("This job was not asked for the training distribution."));
    const all = await ask("/v1/features/catalogue");
    descriptions = new Map(all.features.map((each) => [each.id, each.description]));
    params = job.params;
    offer(job, ["tsv", "json", "jsonl"]);
    draw();
    show(SECTIONS, "result");
  } catch (problem) {
    history.replaceState(null, "", "/features");
    show(SECTIONS, "entry");
    complain(problem.message);
  }
}

function draw() {
  byId("result-title").textContent = t("Features, {pair}", { pair: pairName(params.source_language, params.target_language) });
  byId("cautions").replaceChildren(...(result.cautions ?? []).map((caution) => element("p", { class: "caution" }, caution)));
  const options = result.segments.slice(0, MOST_SEGMENTS).map((row, k) => element("option", { value: String(k) }, `${k + 1}. ${[...row.source].slice(0, 60).join("")}`));
  byId("segment").replaceChildren(...options);
  const missing = result.segments.length - options.length, left = result.left_out;
  byId("left-out").textContent = [
    left.length ? t("Features of the set that could not be computed: {features}", { features: left.join(", ") }) : "",
    missing > 0 ? t("{count, plural, one {# further segment is in the downloads.} other {# further segments are in the downloads.}}", { count: missing }) : "",
  ].filter(Boolean).join(" ");
  segment();
}

// The chosen segment, and then what pushes its score.
async function segment() {
  const mine = ++looked, row = result.segments[Number(byId("segment").value)];
  byId("source-text").textContent = row.source;
  byId("translation-text").textContent = row.translation;
  byId("score").textContent = "";
  rows = result.features.map((feature, k) => ({
    ...feature, value: row.features[feature.id], percentile: row.percentiles[feature.id], deviation: row.deviations[feature.id],
    distribution: result.distribution[k], influence: null, label: "",
  }));
  refresh();
  try {
    const { source_language, target_language } = params;
    const told = await ask("/v1/quality", { json: { source_language, target_language, model: result.model, explain: true, segments: [{ source: row.source, translation: row.translation }] } });
    if (mine !== looked) return;
    const [estimate] = told.segments, by = new Map(estimate.contributions.map((each) => [each.feature, each.contribution]));
    for (const each of rows) Object.assign(each, { influence: by.get(each.id) ?? null, label: told.label });
    const [low, high] = estimate.interval.map((bound) => spoken(bound, told.label));
    byId("score").textContent = t("Score: {score} ({low} to {high}), an average segment {average}; {label}, {direction}, by {model}.", { score: spoken(estimate.score, told.label), low, high, average: spoken(told.explanation.baseline, told.label), label: told.label, direction: t(told.direction), model: result.model });
    refresh();
  } catch (problem) { if (mine === looked) byId("score").textContent = problem.message; }
}

const unusual = (row) => (row.percentile === null ? -1 : Math.abs(row.percentile - MEDIAN) + Math.min(1, Math.abs(row.deviation) / 1000));

function refresh() {
  const order = byId("order").value, sorted = [...rows];
  if (order === "unusual") sorted.sort((a, b) => unusual(b) - unusual(a));
  if (order === "influence") sorted.sort((a, b) => Math.abs(b.influence ?? 0) - Math.abs(a.influence ?? 0));
  byId("features").tBodies[0].replaceChildren();
  shown = 0;
  more(sorted);
  byId("more").onclick = () => more(sorted);
  const candidates = sorted.filter((row) => row.distribution);
  picture(candidates.find((row) => row.id === pictured) ?? candidates[0]);
}

// A number with its sign, unless all of its written digits are 0.
const signed = (value, say) => (say(Math.abs(value)) === say(0) ? say(0) : `${value < 0 ? "−" : "+"}${say(Math.abs(value))}`);

function more(sorted) {
  for (const row of sorted.slice(shown, shown + PAGE)) {
    const name = element("div", {}, row.distribution ? button(row.name, () => { pictured = row.id; picture(row); }, { class: "quiet" }) : row.name, element("p", { class: "hint" }, descriptions.get(row.id) ?? row.id));
    const influence = row.influence === null ? "–" : signed(row.influence, (value) => (row.label === "hter" ? percent(value, 1) : number(value, 3)));
    const cells = row.percentile === null ? ["–", "–"] : [percent(row.percentile / 100, row.distribution.basis === "rows" ? 1 : 0), signed(row.deviation, (value) => number(value, 2))];
    byId("features").tBodies[0].append(tableRow([name, number(row.value), ...cells, influence]));
  }
  shown += PAGE;
  labelled(byId("features"));
  byId("more").hidden = shown >= sorted.length;
}

function picture(row) {
  byId("plot").closest("figure").hidden = !row;
  if (!row) return;
  const { edges, shares, basis, rows: count } = row.distribution, value = number(row.value), model = result.model;
  const place = t("{feature}: {value}, higher than {share} of the training segments.", { feature: row.name, value, share: percent(row.percentile / 100, basis === "rows" ? 1 : 0) });
  const bars = basis === "rows" ? t("Bars: the training segments of {model}{count}. The line is this segment.", { model, count: count ? ` (${number(count)})` : "" })
    : t("Bars: the middle eight tenths of the training segments of {model}, one bar for each tenth. The line is this segment.", { model });
  byId("plot-note").textContent = `${place} ${bars}`;
  plot(byId("plot"), "/plots/feature.svg", { title: row.name, edges, shares, value: row.value }, place);
}

function limitModels() {
  const pair = byId("pair").value, options = [...byId("set").options];
  const scope = options.some((option) => option.dataset.pair === pair) ? pair : ANY;
  for (const option of options) {
    if (!option.dataset.pair) continue;
    option.hidden = option.disabled = Boolean(pair) && option.dataset.pair !== scope;
    if (option.hidden && option.selected) byId("set").value = "set:quest-baseline-17";
  }
}

byId("form").addEventListener("submit", submit);
byId("segment").addEventListener("change", segment);
byId("order").addEventListener("change", () => { pictured = null; refresh(); });
languageChoice(limitModels)();
copies("copy-address", "address", "address-copied");
window.addEventListener("popstate", () => location.reload());
byId("go").disabled = false;
const asked = jobAsked();
if (asked) open(asked);
