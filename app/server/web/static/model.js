// A model's page: promote, roll back, and train a new version while its learning curve grows.
import { ask, byId, complain, number, plot, t, tableRow } from "./page.js";

const SECONDS = 1.5;
const about = byId("training").dataset;

async function decide(address, said) {
  complain("");
  try { await ask(address, { json: { reason: "by hand, on the page" } }); byId("said").textContent = said; location.reload(); }
  catch (problem) { complain(problem.message); }
}

async function train() {
  complain("");
  byId("train").disabled = true;
  const params = { source_language: about.source, target_language: about.target, label: about.label, base: about.model, feedback: true, method: "retrain", curve: true, promote: byId("promote-if-better").checked ? "if-better" : "by-hand" };
  try {
    const job = await ask("/v1/jobs", { json: { kind: "train", params, ...(localStorage.getItem("owner") ? { owner: localStorage.getItem("owner") } : {}) } });
    history.replaceState(null, "", `?job=${job.id}`);
    await watch(job.id);
  } catch (problem) { complain(problem.message); byId("train").disabled = false; }
}

async function watch(id) {
  byId("train").disabled = true;
  byId("live").hidden = false;
  let drawn = 0;
  for (;;) {
    const job = await ask(`/v1/jobs/${id}`);
    const points = job.summary?.curve ?? (await ask(`/jobs/${id}/curve.json`)).points;
    if (points.length > drawn) { drawn = points.length; await draw(points); }
    const stage = job.done < job.total ? t("Features: {total, plural, one {{done} of # row} other {{done} of # rows}}", job) : t("Learning from more and more rows…");
    byId("stage").textContent = { queued: t("Waiting in the queue…"), running: stage }[job.state] ?? "";
    if (["succeeded", "failed", "cancelled"].includes(job.state)) { ended(job); return; }
    await new Promise((resolve) => { setTimeout(resolve, SECONDS * 1000); });
  }
}

async function draw(points) {
  byId("curve-table").tBodies[0].replaceChildren(...points.map((point) => tableRow([number(point.rows), number(point.pearson, 3), number(point.mae, 3)])));
  const last = points[points.length - 1];
  await plot(byId("curve"), "/plots/curve.svg", { points }, t("Learning curve: with {rows, plural, one {# row} other {# rows}}, a correlation of {pearson}. The table has the numbers.", { rows: last.rows, pearson: number(last.pearson, 3) }));
}

function ended(job) {
  byId("train").disabled = false;
  if (job.state !== "succeeded") { complain(job.error?.detail ?? t("The job was cancelled.")); return; }
  const { version, promotion } = job.summary;
  const reason = promotion?.reason ?? t("if it is better, make it the default yourself");
  byId("stage").textContent = promotion?.promoted ? t("Version {version} is ready and is now the default model.", { version })
    : t("Version {version} is ready. It did not become the default model: {reason}", { version, reason });
  byId("made").href = `/models/${job.summary.model}`;
  byId("made").hidden = false;
}

byId("train")?.addEventListener("click", train);
byId("promote")?.addEventListener("click", () => decide(`/v1/models/${about.model}/promote`, t("This is now the default model.")));
byId("rollback")?.addEventListener("click", () => decide(`/v1/models/${about.model}/rollback`, t("The previous model is the default again.")));
const asked = new URLSearchParams(location.search).get("job");
if (asked && /^[0-9a-f]{32}$/.test(asked)) watch(asked).catch((problem) => complain(problem.message));
