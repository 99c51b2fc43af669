// Following a job to its end, through lost connections and restarts of the server.
import { ask, byId, Problem, send, t } from "./page.js";

function progress(now) {
  byId("bar").max = Math.max(1, now.total);
  byId("bar").value = now.done;
  const eta = now.eta ? t(", about {seconds} s left", { seconds: Math.ceil(now.eta) }) : "";
  byId("state").textContent = now.state === "queued" ? t("Waiting for a worker…") : t("{done} of {total} segments", now) + eta;
}

// The job once it has ended well; a Problem otherwise. The bar and the button to cancel are those of the page.
export function follow(id) {
  progress({ done: 0, total: 1, state: "queued" });
  byId("cancel").onclick = () => send(`/v1/jobs/${id}`, { method: "DELETE" });
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/v1/jobs/${id}/events`);
    events.addEventListener("progress", (event) => progress(JSON.parse(event.data)));
    events.addEventListener("end", (event) => {
      events.close();
      const now = JSON.parse(event.data);
      progress(now);
      if (now.state === "failed") reject(new Problem(t("The job failed: {detail}", { detail: now.error.detail })));
      else if (now.state === "cancelled") reject(new Problem(t("The job was cancelled.")));
      else resolve(now);
    });
    events.onerror = async () => {
      // The stream ended before the job did, or there is no such job.
      const gone = await ask(`/v1/jobs/${id}`).then(() => false, (problem) => problem.status === 404);
      if (gone) { events.close(); reject(new Problem(t("There is no such document any more."))); }
      else if (events.readyState !== EventSource.CLOSED) byId("state").textContent = t("The connection is interrupted; waiting for the server…");
    };
  });
}
