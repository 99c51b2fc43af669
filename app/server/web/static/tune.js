// Weights tuned on n-best lists: the form, the curves while they grow, and what the weights change.
import { ask, byId, complain, element, labelled, number, plot, t, tableRow } from "./page.js";
import { chooser } from "./choosing.js";
import { copies, jobAsked } from "./address.js";
import { showChanges } from "./changes.js";
import { digitsOf, fact, openJob, postJob, textFile } from "./list-jobs.js";

const SECONDS = 1.5, MOST_BARS = 60;
const files = Object.fromEntries([["lists", 50], ["references", 16], ["source", 1], ["held-lists", 50], ["held-references", 16]].map(([id, most]) => [id, chooser(id, most)]));
let result = null;

async function submit(event) {
  event.preventDefault();
  complain("");
  if (!files.lists.files().length || !files.references.files().length) { complain(t("Choose at least one n-best list and one reference.")); return; }
  const options = byId("options").value.trim(), method = byId("method").value;
  const params = { method: options ? `${method}|${options}` : method, metric: byId("metric").value.trim() || "bleu", seed: Number(byId("seed").value) || 0, runs: Number(byId("runs").value) || 1, take: byId("take").value };
  try {
    const roles = [["n_best", files.lists], ["reference", files.references], ["source", files.source], ["held_out_n_best", files["held-lists"]], ["held_out_reference", files["held-references"]]];
    await open(await postJob("tune", params, roles));
  } catch (problem) { complain(problem.message); }
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
  const stop = watch(id);
  await openJob("tune", id, (told, job) => {
    result = told;
    byId("elsewhere").href = `/rerank?tuning=${job.id}`;
    return draw();
  });
  stop();
}

const score = (value) => number(value, digitsOf(result.unit));
const between = ([low, high]) => t("{low} to {high}", { low: score(low), high: score(high) });

async function draw() {
  const held = result.held_out;
  byId("note").textContent = t("Tuned for {metric} with {method}; {direction}.", { metric: result.metric, method: result.method, direction: t(result.direction) }) + (result.take === "mean" ? ` ${t("The weights are the mean of all runs.")}` : "") +
    (result.without_hypotheses ? ` ${t("Segments without hypotheses, not scored: {count}.", { count: result.without_hypotheses })}` : "");
  byId("cautions").replaceChildren(...(result.cautions ?? []).map((caution) => element("p", { class: "caution" }, caution)));
  byId("facts").replaceChildren(
    fact(t("Score with these weights"), score(result.dev_score), between(result.confidence_interval), true),
    fact(t("First hypotheses"), score(result.first_score)), fact(t("Start weights"), score(result.start_score)), fact(t("Oracle"), score(result.oracle_score)),
    ...(held ? [fact(t("Held out"), score(held.score), between(held.confidence_interval)), fact(t("First hypotheses, held out"), score(held.first_score))] : []));
  byId("weights-file").href = textFile(`${JSON.stringify(result.weights, null, 1)}\n`, "application/json");
  byId("moses-file").href = textFile(result.spread.map((row) => `${row.feature}= ${row.weight}\n`).join(""), "text/plain");
  drawRuns();
  drawWeights();
  showChanges(result.segments, score);
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
  const constant = result.constant.length ? t("Not tuned, because equal in every list: {features}.", { features: result.constant.join(", ") }) : "";
  byId("weights-note").textContent = [t("Bars show the effect of each weight: the weight times the spread of its feature within lists, as a share of the total. Lines show the range over all runs."), constant].filter(Boolean).join(" ");
  plot(byId("weights"), "/plots/weights.svg", { weights: bars }, t("Effects of weights with their range over runs. The table has the numbers."));
}

function offerOptions() {
  byId("options").placeholder = byId("method").selectedOptions[0].dataset.options;
}

byId("form").addEventListener("submit", submit);
byId("method").addEventListener("change", offerOptions);
copies("copy-address", "address", "address-copied");
window.addEventListener("popstate", () => location.reload());
offerOptions();
byId("go").disabled = false;
const asked = jobAsked();
if (asked) open(asked);
