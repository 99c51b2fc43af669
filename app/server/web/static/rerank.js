// Lists in the order of weights: the form, and what leads them now beside what the decoder put first.
import { ask, byId, complain, number, t } from "./page.js";
import { chooser } from "./choosing.js";
import { copies, jobAsked } from "./address.js";
import { showChanges } from "./changes.js";
import { digitsOf, fact, openJob, postJob, textFile } from "./list-jobs.js";
import { numberOf } from "./numbers.js";
import { chosenLanguages, languageChoice } from "./pairs.js";

const files = Object.fromEntries([["lists", 50], ["weights", 50], ["references", 16], ["source", 1]].map(([id, most]) => [id, chooser(id, most)]));

function params() {
  const features = byId("features").value.split(/[\s,;]+/).filter(Boolean), mbr = byId("mbr").value.trim(), scale = numberOf(byId("scale").value);
  if (mbr && scale === null) throw new Error(t("The scale must be a number."));
  return {
    changes: true, distinct: byId("distinct").checked, missing_weights: byId("zero").checked ? "zero" : "refused",
    ...(features.length ? { features } : {}), ...chosenLanguages(), ...(byId("profile") ? { profile: byId("profile").value } : {}),
    ...(mbr ? { mbr, scale } : {}), ...(files.references.files().length ? { metric: byId("metric").value.trim() || "bleu" } : {}),
  };
}

async function submit(event) {
  event.preventDefault();
  complain("");
  if (!files.lists.files().length || !files.weights.files().length) { complain(t("Choose at least one n-best list and one weights file.")); return; }
  try {
    const roles = [["n_best", files.lists], ["weights", files.weights], ["reference", files.references], ["source", files.source]];
    const id = await postJob("rerank", params(), roles);
    await openJob("rerank", id, draw);
  } catch (problem) { complain(problem.message); }
}

// What is to be seen of a segment; jobs that were not asked for changes have no more than what they chose.
function seen(row, segment) {
  const { hypotheses, ...told } = row, chosen = hypotheses[0];
  if (!chosen) return [];
  return [{ segment, chosen: chosen.text, place: chosen.rank + 1, first: hypotheses.find((each) => each.rank === 0)?.text, ...told }];
}

function measured(told) {
  const digits = digitsOf(told.unit), write = (value) => number(value, digits);
  const signed = (value) => `${value < 0 ? "−" : "+"}${write(Math.abs(value))}`;
  const between = ([low, high], say) => t("{low} to {high}", { low: say(low), high: say(high) });
  return [fact(t("Score after reranking"), write(told.chosen_score), between(told.chosen_interval, write), true),
    fact(t("First hypotheses"), write(told.first_score), between(told.first_interval, write)),
    fact(t("Gain"), signed(told.gain), `${between(told.gain_interval, signed)}, p = ${number(told.p_value, 3)}`)];
}

function draw(result, job) {
  const told = result.measured, share = `${number(result.changed)} / ${number(result.lists)}`;
  byId("facts").replaceChildren(...(told ? measured(told) : []), fact(t("Lists with a new first hypothesis"), share, "", !told), fact(t("Mean former place of the chosen hypotheses"), number(result.mean_rank + 1, 1)));
  byId("note").textContent = [
    told ? t("Measured by {metric}; {direction}.", { metric: told.metric, direction: t(told.direction) }) : "",
    job.params.mbr ? t("Chosen by expected {metric}, with probabilities from the weights.", { metric: job.params.mbr }) : "",
    job.params.optima?.length ? t("{count, plural, one {# weights file} other {# weights files}} voted; the explanations use the first one.", { count: job.params.optima.length + 1 }) : "",
    result.computed.length ? t("Computed features: {features}.", { features: result.computed.join(", ") }) : "",
    result.unused.length ? t("Features with a weight that no hypothesis has: {features}.", { features: result.unused.join(", ") }) : "",
  ].filter(Boolean).join(" ");
  byId("texts").href = textFile(result.segments.map((row) => `${(row.hypotheses[0]?.text ?? "").replace(/\s*[\r\n]+\s*/g, " ")}\n`).join(""), "text/plain");
  showChanges(result.segments.flatMap(seen), (value) => number(value, told ? digitsOf(told.unit) : 2));
}

// The weights of a tuning, as if its file had been chosen.
async function takeTuned(id) {
  try {
    const result = await ask(`/v1/jobs/${id}/result?format=json`);
    files.weights.put(new File([JSON.stringify(result.weights)], "weights.json", { type: "application/json" }));
    byId("metric").value = result.metric;
  } catch (problem) { complain(problem.message); }
}

byId("form").addEventListener("submit", submit);
languageChoice();
copies("copy-address", "address", "address-copied");
window.addEventListener("popstate", () => location.reload());
byId("go").disabled = false;
const asked = jobAsked(), tuned = jobAsked("tuning");
if (asked) openJob("rerank", asked, draw);
else if (tuned) takeTuned(tuned);
