// The list of jobs, drawn anew every two seconds while the page is looked at.
import { OPENED } from "./address.js";
import { agreed } from "./asking.js";
import { arrival, left } from "./arrival.js";
import { ask, byId, button, complain, element, explain, moment, pairName, t } from "./page.js";

const SECONDS = 2, PAGE = 50;
// Of a name that is too long for its column, so much of the end stays: it tells versions and formats apart.
const END = 10;
const STATES = { queued: t("queued"), running: t("running"), succeeded: t("succeeded"), failed: t("failed"), cancelled: t("cancelled") };
const KINDS = { quality: t("Estimate"), words: t("Words"), features: t("Features"), rank: t("Ranking"), score: t("Scores"), evaluate: t("Evaluation"), select: t("Selection"), learn: t("Labels in rounds"), train: t("Training"), tune: t("Tuning"), rerank: t("Reranking") };
const arrivals = new Map();
let limit = PAGE;

async function act(text, address, options) {
  try { await ask(address, options); byId("said").textContent = text; } catch (problem) { complain(problem.message); }
  await draw();
}

async function remove(job) {
  if (!await agreed(t("Remove job {id} and its result permanently?", { id: job.id.slice(0, 8) }), t("Remove"))) return;
  await act(t("Removed."), `/v1/jobs/${job.id}?remove=true`, { method: "DELETE" });
  byId("wanted").focus();
}

// A name whose middle is hidden where it is too long; all of it is read out, shown on hover, and copied.
function cut(name) {
  const characters = [...name], end = characters.slice(-END).join("");
  const wide = /[\u2e80-\uffff]/.test(end) ? " broad" : "";
  return element("span", { class: `cut${wide}`, title: name, dir: "auto" }, element("span", { class: "begin" }, characters.slice(0, -END).join("")), element("span", { class: "end" }, end));
}

function named(job) {
  const cell = element("th", { scope: "row" }, element("span", {}, KINDS[job.kind] ?? job.kind), " ", element("code", { class: "hint" }, job.id.slice(0, 8)));
  const languages = (job.params.source_language ? pairName(job.params.source_language, job.params.target_language) : "");
  if (job.params.file?.name) cell.append(cut(job.params.file.name));
  else if (languages) cell.append(element("span", { class: "hint" }, ` ${languages}`));
  return cell;
}

function state(job) {
  const cell = element("td", { "data-name": t("State") }, element("span", { class: `state ${job.state}` }, STATES[job.state]));
  const urgency = { high: t("high priority"), low: t("low priority") }[job.priority];
  const place = job.ahead ? t("{ahead} ahead in the queue", { ahead: job.ahead }) : "";
  const beside = [urgency, place].filter(Boolean).join(", ");
  if (beside) cell.append(" ", element("span", { class: "hint" }, beside));
  if (job.error) cell.append(element("p", { class: "hint" }, explain(job.error)));
  return cell;
}

function progress(job) {
  const cell = element("td", { "data-name": t("Progress") }), going = job.state === "running" || job.state === "queued";
  if (going) cell.append(element("progress", { max: String(Math.max(1, job.total)), value: String(job.done), "aria-label": t("Progress of job {id}", { id: job.id.slice(0, 8) }) }));
  if (!arrivals.has(job.id)) arrivals.set(job.id, arrival());
  const told = left(arrivals.get(job.id)(going ? job.eta : null, performance.now() / 1000));
  cell.append(element("span", { class: "hint" }, [t("{done} of {total}", job), told].filter(Boolean).join(", ")));
  return cell;
}

function tools(job) {
  const cell = element("td", { class: "acts", "data-name": t("Actions") }), about = { id: job.id.slice(0, 8) };
  if (job.expired) cell.append(element("span", { class: "hint" }, t("Deleted automatically")), " ");
  else if (job.state === "succeeded") {
    if (OPENED[job.kind] && job.params.level !== "word") cell.append(element("a", { href: OPENED[job.kind] + job.id, "aria-label": t("Open job {id}", about) }, t("Open")), " ");
    if (["train", "learn"].includes(job.kind) && job.summary?.model) cell.append(element("a", { href: `/models/${job.summary.model}` }, t("Model")), " ");
    if (job.params.file && job.kind === "quality") cell.append(element("a", { href: `/v1/jobs/${job.id}/result?format=annotated`, download: true, "aria-label": t("Scored file of job {id}", about) }, t("File")), " ");
    cell.append(element("a", { href: `/v1/jobs/${job.id}/result?format=json`, download: true, "aria-label": t("Result of job {id}", about) }, t("Result")), " ");
  }
  if (job.state === "running" || job.state === "queued") cell.append(button(t("Cancel"), () => act(t("Cancelled."), `/v1/jobs/${job.id}`, { method: "DELETE" }), { class: "quiet", "aria-label": t("Cancel job {id}", about) }));
  else {
    if (job.state !== "succeeded" && !job.expired) cell.append(button(t("Retry"), () => act(t("Started again as a new job."), `/v1/jobs/${job.id}/retry`, { method: "POST" }), { class: "quiet", "aria-label": t("Retry job {id}", about) }));
    cell.append(button(t("Remove"), () => remove(job), { class: "quiet", "aria-label": t("Remove job {id}", about) }));
  }
  return cell;
}

function row(job) {
  return element("tr", {}, named(job), state(job), progress(job), element("td", { "data-name": t("Owner"), dir: "auto" }, job.owner ?? "–"),
    element("td", { "data-name": t("Created") }, element("time", { datetime: job.created }, moment(job.created))), tools(job));
}

async function draw() {
  const wanted = byId("wanted").value;
  try {
    const { jobs, next } = await ask(`/v1/jobs?limit=${limit}${wanted ? `&state=${wanted}` : ""}`);
    // A list drawn anew must not take the focus, or the text that is being selected, away from who is using it.
    if (document.querySelector("dialog[open]") || byId("jobs").contains(chosenText())) return;
    const held = document.activeElement?.getAttribute("aria-label");
    byId("jobs").tBodies[0].replaceChildren(...jobs.map(row));
    if (held) [...byId("jobs").querySelectorAll("[aria-label]")].find((each) => each.getAttribute("aria-label") === held)?.focus();
    byId("empty").hidden = jobs.length > 0;
    byId("jobs").hidden = jobs.length === 0;
    byId("more").hidden = !next;
    complain("");
  } catch (problem) { complain(problem.message); }
}

function chosenText() {
  const selection = getSelection();
  return selection && !selection.isCollapsed ? selection.anchorNode : null;
}

byId("wanted").addEventListener("change", draw);
byId("more").addEventListener("click", () => { limit = Math.min(1000, limit + PAGE); draw(); });
setInterval(() => { if (!document.hidden) draw(); }, SECONDS * 1000);
draw();
