// Following a job to its end, through lost connections and restarts of the server.
import { arrival, left } from "./arrival.js";
import { ask, byId, explain, Problem, send, t } from "./page.js";

function progress(now, expected) {
  // Where all segments are taken up, what is left is the last step, as long as the whole job for some: the bar is that step's.
  const last = now.state === "running" && now.progress && now.done >= now.total;
  byId("bar").max = last ? 1 : Math.max(1, now.total);
  byId("bar").value = last ? now.progress.share : now.done;
  const done = t("{total, plural, one {{done} of # segment} other {{done} of # segments}}", { done: now.done, total: now.total });
  const told = { queued: t("Waiting in the queue…"), running: [done, left(expected)].filter(Boolean).join(", ") }[now.state];
  // What has ended waits for nothing: its result is on the way.
  byId("state").textContent = told ?? t("Opening the result…");
}

// The job once it has ended well; a Problem otherwise. The bar and the button to cancel are those of the page.
export function follow(id) {
  const expected = arrival();
  progress({ done: 0, total: 1 });
  byId("cancel").onclick = () => send(`/v1/jobs/${id}`, { method: "DELETE" });
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/v1/jobs/${id}/events`);
    events.addEventListener("progress", (event) => {
      const now = JSON.parse(event.data);
      progress(now, expected(now.state === "running" ? now.eta : null, performance.now() / 1000));
    });
    events.addEventListener("end", (event) => {
      events.close();
      const now = JSON.parse(event.data);
      progress(now);
      if (now.state === "failed") reject(new Problem(t("The job failed: {detail}", { detail: explain(now.error) })));
      else if (now.state === "cancelled") reject(new Problem(t("The job was cancelled.")));
      else resolve(now);
    });
    events.onerror = async () => {
      // The stream ended before the job did, or there is no such job.
      const gone = await ask(`/v1/jobs/${id}`).then(() => false, (problem) => problem.status === 404);
      if (gone) { events.close(); reject(new Problem(t("This document no longer exists."))); }
      else if (events.readyState !== EventSource.CLOSED) byId("state").textContent = t("Connection lost. Waiting for the server…");
    };
  });
}
