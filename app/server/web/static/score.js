// Systems against references: the form, and the job whose address keeps the result.
import { ask, byId, complain, element, lines, show, t } from "./page.js";
import { copies, expectKind, jobAsked, offer, OPENED } from "./address.js";
import { chooser } from "./choosing.js";
import { follow } from "./follow.js";
import { columns, showScores } from "./scores.js";

const SECTIONS = ["entry", "progress", "result"], FORBIDDEN = 403;
const systems = chooser("systems", 64), references = chooser("references", 16);
// There where some neural metric is.
const source = byId("source") ? chooser("source", 1) : { files: () => [], names: () => [] };

async function read(chosen) {
  const contents = await Promise.all(chosen.files().map((file) => file.text()));
  return Object.fromEntries(chosen.names().map((name, k) => [name, lines(contents[k])]));
}

function chosenMetrics() {
  const ticked = [...document.querySelectorAll('input[name="metric"]:checked')].map((box) => box.value);
  return [...ticked, ...byId("others").value.split(",").map((name) => name.trim()).filter(Boolean)];
}

async function submit(event) {
  event.preventDefault();
  complain("");
  const metrics = chosenMetrics();
  if (!systems.files().length || !(references.files().length || source.files().length)) { complain(t("Choose at least one system and one reference.")); return; }
  if (!metrics.length) { complain(t("Choose at least one metric.")); return; }
  const params = { metrics, segments: true, significance: { letters: true } };
  byId("go").disabled = true;
  try {
    const job = await queue(params).catch((problem) => { if (!unfit(problem)) throw problem; return scoreAtOnce(params, problem); });
    if (!job) return;
    history.pushState(null, "", OPENED.score + job.id);
    await open(job.id);
  } catch (problem) { complain(problem.message); }
  finally { byId("go").disabled = false; byId("state-of-call").textContent = ""; }
}

function queue(params) {
  const data = new FormData();
  data.append("kind", "score");
  data.append("params", JSON.stringify(params));
  if (localStorage.getItem("owner")) data.append("owner", localStorage.getItem("owner"));
  for (const [role, chosen] of [["system", systems], ["reference", references]]) {
    const names = chosen.names();
    chosen.files().forEach((file, k) => data.append(`${role}:${names[k]}`, file));
  }
  for (const file of source.files()) data.append("source", file);
  return ask("/v1/jobs", { method: "POST", body: data });
}

// What no job can do, and a call may: a metric that needs all texts at once, and what somebody who may not queue jobs asks for.
const unfit = (problem) => problem.status === FORBIDDEN || /^params\.metrics\b/.test(problem.where ?? "");

// The same without a job, and so without an address; the page says so, in the server's words.
async function scoreAtOnce(params, problem) {
  byId("state-of-call").textContent = t("Scoring…");
  const [texts, given] = [await read(systems), await read(references)];
  const sources = source.files().length ? { sources: Object.values(await read(source))[0] } : {};
  const answer = await ask("/v1/score", { json: { ...params, systems: texts, references: given, ...sources } });
  byId("unkept").textContent = t("This result is not stored and disappears when you close the page: {reason}", { reason: problem.message });
  await display(answer, texts, given);
}

async function display(answer, texts, given, job) {
  byId("kept").hidden = !job;
  byId("unkept").hidden = Boolean(job);
  if (job) offer(job, ["tsv", "json"]);
  show(SECTIONS, "result");
  byId("cautions").replaceChildren(...(answer.cautions ?? []).map((caution) => element("p", { class: "caution" }, caution)));
  await showScores(answer, texts, given);
}

async function open(id) {
  show(SECTIONS, "progress");
  try {
    const job = await follow(id);
    expectKind(job, "score");
    const answer = await ask(`/v1/jobs/${id}/result?format=json`);
    await display(answer, columns(answer.texts, "systems"), columns(answer.texts, "references"), job);
  } catch (problem) {
    history.replaceState(null, "", "/score");
    show(SECTIONS, "entry");
    complain(problem.message);
  }
}

byId("form").addEventListener("submit", submit);
copies("copy", "signature", "copied");
copies("copy-address", "address", "address-copied");
window.addEventListener("popstate", () => location.reload());
byId("go").disabled = false;
const asked = jobAsked();
if (asked) open(asked);
