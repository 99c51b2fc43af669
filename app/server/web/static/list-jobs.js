// Jobs about n-best lists: posted with files by their roles, followed to their end, opened at their address.
import { ask, byId, complain, element, show } from "./page.js";
import { expectKind, offer, OPENED } from "./address.js";
import { follow } from "./follow.js";

const SECTIONS = ["entry", "progress", "result"];

// Posts a job, and gives its id. `roles` are pairs of a role and what was chosen for it; several files of one are told apart by their names.
export async function postJob(kind, params, roles) {
  const data = new FormData();
  data.append("kind", kind);
  data.append("params", JSON.stringify(params));
  if (localStorage.getItem("owner")) data.append("owner", localStorage.getItem("owner"));
  for (const [role, chosen] of roles) {
    const names = chosen.names();
    chosen.files().forEach((file, k) => data.append(chosen.most === 1 ? role : `${role}:${names[k]}`, file));
  }
  byId("go").disabled = true;
  try {
    const job = await ask("/v1/jobs", { method: "POST", body: data });
    history.pushState(null, "", OPENED[kind] + job.id);
    return job.id;
  } finally { byId("go").disabled = false; }
}

// Shows a job's progress, then its result as `draw` draws it; where it failed, the form of the page with the reason.
export async function openJob(kind, id, draw) {
  show(SECTIONS, "progress");
  try {
    const job = await follow(id);
    expectKind(job, kind);
    const result = await ask(`/v1/jobs/${id}/result?format=json`);
    offer(job, ["tsv", "json"]);
    show(SECTIONS, "result");
    await draw(result, job);
  } catch (problem) {
    history.replaceState(null, "", location.pathname);
    show(SECTIONS, "entry");
    complain(problem.message);
  }
}

// A score with as many digits as its unit asks for.
export const digitsOf = (unit) => (unit.includes("100") ? 2 : 4);

export const textFile = (value, type) => URL.createObjectURL(new Blob([value], { type: `${type};charset=utf-8` }));

export function fact(name, value, about = "", chief = false) {
  return element("div", chief ? { class: "chief" } : {}, element("dt", {}, name), element("dd", {}, value), ...(about ? [element("dd", { class: "hint" }, about)] : []));
}
