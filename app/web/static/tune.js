// Weights tuned on n-best lists: the form, the curves while they grow, and what the weights change.
import { ask, byId, complain, element, labelled, number, plot, show, t, tableRow } from "./page.js";
import { chooser } from "./choosing.js";
import { copies, expectKind, jobAsked, offer, OPENED } from "./address.js";
import { differing } from "./differences.js";
import { follow } from "./follow.js";

const SECTIONS = ["entry", "progress", "result"], PAGE = 30, SECONDS = 1.5, MOST_BARS = 60;
const files = Object.fromEntries([["lists", 50], ["references", 16], ["source", 1], ["held-lists", 50], ["held-references", 16]].map(([id, most]) => [id, chooser(id, most)]));
let result = null, rows = [], shown = 0;

function append(data, id, role) {
  const names = files[id].names();
  files[id].files().forEach((file, k) => data.append(id === "source" ? role : `${role}:${names[k]}`, file));
}

async function submit(event) {
  event.preventDefault();
  complain("");
  if (!files.lists.files().length || !files.references.files().length) { complain(t("Choose at least one n-best list and one reference.")); return; }
  const options = byId("options").value.trim(), method = byId("method").value;
  const params = { method: options ? `${method}|${options}` : method, metric: byId("metric").value.trim() || "bleu", seed: Number(byId("seed").value) || 0, runs: Number(byId("runs").value) || 1, take: byId("take").value };
  const data = new FormData();
  data.append("kind", "tune");
  data.append("params", JSON.stringify(params));
  if (localStorage.getItem("owner")) data.append("owner", localStorage.getItem("owner"));
  for (const [id, role] of [["lists", "n_best"], ["references", "reference"], ["source", "source"], ["held-lists", "held_out_n_best"], ["held-references", "held_out_reference"]]) append(data, id, role);
  byId("go").disabled = true;
  try {
    const job = await ask("/v1/jobs", { method: "POST", body: data });
    history.pushState(null, "", OPENED.tune + job.id);
    await open(job.id);
  } catch (problem) { complain(problem.message); }
  finally { byId("go").disabled = false; }
}

// Draws the curves of a running job again and again, until it is told to stop.
function watch(id) {
  let over = false;
  async function look() {
    const { runs } = await ask(`/tune/jobs/${id}/curves.json`);
    const grown = runs.filter((run) => run.curve.length);
    if (!over && grown.length) {
      await drawCurves(byId("live-curves"), grown, t("score"));
      byId("live").hidden = over;
    }
  }
  async function again() {
    while (!over) {
      // What cannot be shown now is shown a moment later, or at the end.
      await look().catch(() => {});
      await new Promise((resolve) => { setTimeout(resolve, SECONDS * 1000); });
    }
  }
  again();
  return () => { over = true; byId("live").hidden = true; };
}

async function open(id) {
  show(SECTIONS, "progress");
  const stop = watch(id);
  try {
    const job = await follow(id);
    expectKind(job, "tune");
    result = await ask(`/v1/jobs/${id}/result?format=json`);
    offer(job, ["tsv", "json"]);
    show(SECTIONS, "result");
    await draw();
  } catch (problem) {
    history.replaceState(null, "", "/tune");
    show(SECTIONS, "entry");
    complain(problem.message);
  } finally { stop(); }
}

const digits = () => (result.unit.includes("100") ? 2 : 4);
const score = (value) => number(value, digits());
const between = ([low, high]) => t("{low} to {high}", { low: score(low), high: score(high) });

function fact(name, value, about = "", chief = false) {
  return element("div", chief ? { class: "chief" } : {}, element("dt", {}, name), element("dd", {}, value), ...(about ? [element("dd", { class: "hint" }, about)] : []));
}

async function draw() {
  const held = result.held_out;
  byId("note").textContent = t("Tuned towards {metric} by {method}; {direction}.", { metric: result.metric, method: result.method, direction: t(result.direction) }) + (result.take === "mean" ? ` ${t("The weights are the mean of all runs.")}` : "");
  byId("facts").replaceChildren(
    fact(t("Score of the weights"), score(result.dev_score), between(result.confidence_interval), true),
    fact(t("First hypotheses"), score(result.first_score)), fact(t("Start"), score(result.start_score)), fact(t("Oracle"), score(result.oracle_score)),
    ...(held ? [fact(t("Held out"), score(held.score), between(held.confidence_interval)), fact(t("First hypotheses, held out"), score(held.first_score))] : []));
  const text = (value, type) => URL.createObjectURL(new Blob([value], { type: `${type};charset=utf-8` }));
  byId("weights-file").href = text(`${JSON.stringify(result.weights, null, 1)}\n`, "application/json");
  byId("moses-file").href = text(result.spread.map((row) => `${row.feature}= ${row.weight}\n`).join(""), "text/plain");
  drawRuns();
  drawWeights();
  refresh();
  await drawCurves(byId("curves"), result.runs, result.metric);
}

function drawRuns() {
  byId("runs-table").tBodies[0].replaceChildren(...result.runs.map((run) => tableRow([String(run.seed), run.curve.length ? score(run.curve[0].score) : "–", score(run.score), run.held_out_score === undefined ? "–" : score(run.held_out_score)])));
  labelled(byId("runs-table"));
}

function drawCurves(image, runs, title) {
  const seeds = runs.slice(0, 100).map(({ seed, curve }) => ({ seed, curve }));
  return plot(image, "/plots/tuning.svg", { title, runs: seeds }, t("Tuning curves of {count, plural, one {# run} other {# runs}}. The table has the scores.", { count: runs.length }));
}

// Weights may be of any size: what decimals would hide is written with its power of ten.
const powers = new Intl.NumberFormat(document.documentElement.lang, { notation: "scientific", maximumFractionDigits: 2 });
const weight = (value) => (value === 0 || Math.abs(value) >= 0.001 ? number(value, 4) : powers.format(value));

function drawWeights() {
  const components = new Map();
  for (const row of result.spread) components.set(row.feature, (components.get(row.feature) ?? 0) + 1);
  const named = result.spread.map((row) => ({ ...row, name: components.get(row.feature) > 1 ? `${row.feature} ${row.component}` : row.feature }));
  const largest = [...named].sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).slice(0, MOST_BARS), kept = new Set(largest);
  const bars = named.filter((row) => kept.has(row)).map((row) => ({ feature: row.name.slice(0, 100), effect: row.effect, low: row.effect_lowest, high: row.effect_highest }));
  byId("weights-table").tBodies[0].replaceChildren(...largest.map((row) => tableRow([row.name, number(row.effect, 3), ...[row.weight, row.mean, row.deviation, row.lowest, row.highest].map(weight)])));
  labelled(byId("weights-table"));
  const constant = result.constant.length ? t("Equal in every list, and so not tuned: {features}.", { features: result.constant.join(", ") }) : "";
  byId("weights-note").textContent = [t("Bars are what the weights do: their effects, each weight times the spread of its feature inside lists, as a share of all. Lines reach from the least to the most of all runs."), constant].filter(Boolean).join(" ");
  plot(byId("weights"), "/plots/weights.svg", { weights: bars }, t("Effects of weights with their range over runs. The table has the numbers."));
}

function refresh() {
  const order = byId("order").value, changed = result.segments.filter((row) => row.place > 1);
  const better = changed.filter((row) => row.gain > 0).length, worse = changed.filter((row) => row.gain < 0).length;
  byId("balance").textContent = t("Changed: {changed} of {total}; better {better}, worse {worse}.", { changed: changed.length, total: result.segments.length, better, worse });
  rows = [...changed];
  if (order === "gain") rows.sort((a, b) => b.gain - a.gain);
  if (order === "loss") rows.sort((a, b) => a.gain - b.gain);
  shown = 0;
  byId("segments").replaceChildren();
  more();
}

function candidate(name, value, text, attributes = {}) {
  return element("li", attributes, element("span", { class: "who" }, `${name} · ${value}`), element("span", { dir: "auto" }, ...text));
}

function more() {
  for (const row of rows.slice(shown, shown + PAGE)) {
    const [first, chosen] = differing(row.first, row.chosen);
    byId("segments").append(element("li", { value: String(row.segment + 1) },
      ...(row.source === undefined ? [] : [element("p", { dir: "auto", class: "given" }, row.source)]),
      element("ol", { class: "candidates" },
        candidate(t("first hypothesis"), score(row.first_score), first),
        candidate(t("chosen, from place {place}", { place: row.place }), score(row.chosen_score), chosen, row.gain > 0 ? { class: "winner" } : {}),
        ...row.references.map((text) => candidate(t("reference"), "–", [text])))));
  }
  shown += PAGE;
  byId("more").hidden = shown >= rows.length;
}

function offerOptions() {
  byId("options").placeholder = byId("method").selectedOptions[0].dataset.options;
}

byId("form").addEventListener("submit", submit);
byId("method").addEventListener("change", offerOptions);
byId("order").addEventListener("change", refresh);
byId("more").addEventListener("click", more);
copies("copy-address", "address", "address-copied");
window.addEventListener("popstate", () => location.reload());
offerOptions();
byId("go").disabled = false;
const asked = jobAsked();
if (asked) open(asked);
