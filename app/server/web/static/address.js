// The address of a result: where jobs of a kind open, which job this page was opened for, and what to send to others.
import { byId, Problem, t } from "./page.js";
import { copyText } from "./tables.js";

export const OPENED = { quality: "/?job=", rank: "/rank?job=", score: "/score?job=", features: "/features?job=", tune: "/tune?job=", rerank: "/rerank?job=" };

// The job that the page's address names, as the one to open or otherwise; null where it names none.
export function jobAsked(name = "job") {
  const id = new URLSearchParams(location.search).get(name);
  return id && /^[0-9a-f]{32}$/.test(id) ? id : null;
}

// A job of another kind has another result, which this page cannot show.
export function expectKind(job, kind) {
  if (job.kind !== kind) throw new Problem(t("This job is of another kind. Open its result from the list of jobs."));
}

// The downloads of a result, and its address.
export function offer(job, formats) {
  for (const format of formats) byId(format).href = `/v1/jobs/${job.id}/result?format=${format}`;
  byId("address").value = location.origin + OPENED[job.kind] + job.id;
  byId("address-copied").textContent = "";
}

// A button that copies what a field holds, and says so.
export function copies(button, field, said) {
  byId(button).addEventListener("click", async () => {
    await copyText(byId(field).value);
    byId(said).textContent = t("Copied.");
  });
}
