// The list of jobs, drawn anew every two seconds while the page is looked at.
import { ask, byId, button, complain, element, t } from "./page.js";

const SECONDS = 2, PAGE = 50;
const OPENED = { quality: "/?job=", rank: "/rank?job=" };
let limit = PAGE;

async function act(text, address, options) {
  try { await ask(address, options); byId("said").textContent = text; } catch (problem) { complain(problem.message); }
  await draw();
}

function state(job) {
  const named = { queued: t("queued"), running: t("running"), succeeded: t("succeeded"), failed: t("failed"), cancelled: t("cancelled") };
  const cell = element("td", {}, element("span", { class: `state ${job.state}` }, named[job.state]));
  const urgency = { high: t("high priority"), low: t("low priority") }[job.priority];
  const place = job.ahead ? t("{ahead} before it", { ahead: job.ahead }) : "";
  const beside = [urgency, place].filter(Boolean).join(", ");
  if (beside) cell.append(element("span", { class: "hint" }, ` ${beside}`));
  if (job.error) cell.append(element("p", { class: "hint" }, job.error.detail ?? job.error.title));
  return cell;
}

function progress(job) {
  const cell = element("td", {});
  if (job.state === "running" || job.state === "queued") {
    const bar = element("progress", { max: String(Math.max(1, job.total)), value: String(job.done), "aria-label": t("Progress of job {id}", { id: job.id.slice(0, 8) }) });
    cell.append(bar);
  }
  const eta = job.eta ? t(", about {seconds} s left", { seconds: Math.ceil(job.eta) }) : "";
  cell.append(element("span", { class: "hint" }, t("{done} of {total}", job) + eta));
  return cell;
}

function tools(job) {
  const cell = element("td", { class: "acts" }), about = { id: job.id.slice(0, 8) };
  if (job.expired) cell.append(element("span", { class: "hint" }, t("Deleted, as the settings say")), " ");
  else if (job.state === "succeeded") {
    if (OPENED[job.kind] && job.params.level !== "word") cell.append(element("a", { href: OPENED[job.kind] + job.id, "aria-label": t("Open job {id}", about) }, t("Open")), " ");
    if (job.kind === "train" && job.summary?.model) cell.append(element("a", { href: `/models/${job.summary.model}` }, t("Model")), " ");
    if (job.params.file && job.kind === "quality") cell.append(element("a", { href: `/v1/jobs/${job.id}/result?format=annotated`, download: true, "aria-label": t("File of job {id} with scores", about) }, t("File")), " ");
    cell.append(element("a", { href: `/v1/jobs/${job.id}/result?format=json`, download: true, "aria-label": t("Result of job {id}", about) }, t("Result")), " ");
  }
  if (job.state === "running" || job.state === "queued") cell.append(button(t("Cancel"), () => act(t("Cancelled."), `/v1/jobs/${job.id}`, { method: "DELETE" }), { class: "quiet", "aria-label": t("Cancel job {id}", about) }));
  else {
    if (job.state !== "succeeded" && !job.expired) cell.append(button(t("Retry"), () => act(t("Tried again, as a new job."), `/v1/jobs/${job.id}/retry`, { method: "POST" }), { class: "quiet", "aria-label": t("Retry job {id}", about) }));
    cell.append(button(t("Remove"), () => act(t("Removed."), `/v1/jobs/${job.id}?remove=true`, { method: "DELETE" }), { class: "quiet", "aria-label": t("Remove job {id}", about) }));
  }
  return cell;
}

function named(job) {
  const what = job.params.file?.name ?? [job.params.source_language, job.params.target_language].filter(Boolean).join(" → ");
  return element("th", { scope: "row" }, element("span", {}, job.kind), element("span", { class: "hint" }, ` ${what} `), element("code", {}, job.id.slice(0, 8)));
}

async function draw() {
  const wanted = byId("wanted").value;
  try {
    const { jobs, next } = await ask(`/v1/jobs?limit=${limit}${wanted ? `&state=${wanted}` : ""}`);
    // A list drawn anew must not take the focus away from who is using it.
    const held = document.activeElement?.getAttribute("aria-label");
    byId("jobs").tBodies[0].replaceChildren(...jobs.map((job) => element("tr", {}, named(job), state(job), progress(job), element("td", {}, job.owner ?? "–"), element("td", {}, element("time", { datetime: job.created }, new Date(job.created).toLocaleString())), tools(job))));
    if (held) [...byId("jobs").querySelectorAll("[aria-label]")].find((each) => each.getAttribute("aria-label") === held)?.focus();
    byId("empty").hidden = jobs.length > 0;
    byId("jobs").hidden = jobs.length === 0;
    byId("more").hidden = !next;
    complain("");
  } catch (problem) { complain(problem.message); }
}

byId("wanted").addEventListener("change", draw);
byId("more").addEventListener("click", () => { limit = Math.min(1000, limit + PAGE); draw(); });
setInterval(() => { if (!document.hidden) draw(); }, SECONDS * 1000);
draw();
