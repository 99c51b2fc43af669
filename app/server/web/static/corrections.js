// Corrections of a document's translations: kept with the job, there again after a reload, never written over somebody else's unseen.
import { ask, button, byId, element, t } from "./page.js";
import { differing } from "./differences.js";

const PAGE = 1000;
let job = null, told = () => {};

// Reads what is kept and puts it at the rows that it belongs to; `changed` is called after every change.
export async function loadCorrections(id, rows, changed) {
  job = id;
  told = () => { downloads(rows); changed(); };
  for (let after = ""; after !== null;) {
    const page = await ask(`/v1/jobs/${id}/corrections?limit=${PAGE}${after && `&after=${after}`}`);
    for (const kept of page.corrections) rows[kept.segment - 1].corrected = kept;
    after = page.next;
  }
  byId("written").onchange = () => downloads(rows);
  downloads(rows);
}

// A row as it stands: score, warnings and tags of a corrected segment are of the new text, and nothing found before concerns it.
export const standing = (row) => (row.corrected ? { ...row, ...(row.corrected.assessment ?? { warnings: [], words: [], gaps: [], source_tags: undefined }) } : row);

function downloads(rows) {
  const any = rows.some((row) => row.corrected);
  byId("tmx").href = `/v1/jobs/${job}/result?format=tmx`;
  byId("tmx").hidden = byId("writing").hidden = !any;
  byId("annotated").href = `/v1/jobs/${job}/result?format=annotated${any ? `&corrections=${byId("written").value}` : ""}`;
}

function change(row, method, revision, text) {
  const address = `/v1/jobs/${job}/corrections/${row.number}`;
  if (method === "DELETE") return ask(`${address}?revision=${revision}`, { method });
  const body = JSON.stringify({ text, revision, author: localStorage.getItem("owner") ?? "" });
  return ask(address, { method, headers: { "Content-Type": "application/json" }, body });
}

// A translation, what was put in its place, and the button that opens an editor in `tools`. `marks` gives the pieces of a text with
// its findings; `changed` is called where another text stands.
export function correctable(row, marks, tools, changed) {
  const box = element("div", { class: "correctable" });
  const render = () => {
    changed();
    const original = element("div", { dir: "auto", class: "translated" }, ...marks(row.translation, row));
    if (!row.corrected) { box.replaceChildren(original); return; }
    const who = row.corrected.author ? t("corrected by {author}", row.corrected) : t("corrected");
    const said = element("span", { class: "hint", role: "status" });
    const back = button(t("Undo correction"), async () => {
      try {
        // What somebody else took back before is as it should be.
        await change(row, "DELETE", row.corrected.revision).catch((problem) => { if (problem.status !== 404) throw problem; });
        row.corrected = undefined;
        tools.querySelector("form")?.remove();
        render();
        told();
      } catch (problem) {
        said.textContent = t("Not undone: {why}", { why: problem.message });
        if (problem.current) { row.corrected = inForce(problem.current); render(); box.append(said); told(); }
      }
    }, { class: "quiet" });
    box.replaceChildren(element("div", { dir: "auto", class: "translated edited" }, ...marks(row.corrected.text, standing(row))),
      element("p", { class: "chips" }, element("span", { class: "chip" }, who), " ", row.corrected.assessment ? "" : element("span", { class: "hint" }, t("The score is still that of the original translation.")), back, said),
      element("details", { class: "original" }, element("summary", {}, t("Original translation")), original));
  };
  render();
  return [box, button(t("Edit"), () => edit(row, tools, render), { class: "edit quiet" })];
}

// Where the key is for feedback, a correction is a judgement too, and who saves one is told.
const beside = () => ("feedback" in byId("document").dataset ? [element("p", { class: "also" }, t("A saved correction is also stored as feedback. Models can learn from it until you undo it."))] : []);

const inForce = (current) => (current.text === null ? undefined : current);

function edit(row, tools, render) {
  if (tools.querySelector("form")) return;
  const area = element("textarea", { rows: "3", dir: "auto", "aria-label": t("Corrected translation of segment {number}", row) });
  area.value = row.corrected?.text ?? row.translation;
  const said = element("p", { class: "hint", role: "status" }), conflict = element("div", { class: "conflict" });
  const form = element("form", { class: "editing" }, area, element("div", {}, element("button", { type: "submit", class: "primary small" }, t("Save the correction")), " ", button(t("Close"), close)), said, ...beside(), conflict);
  // What is based on a revision that is gone would be refused.
  let revision = row.corrected?.revision ?? 0;
  function close() { form.remove(); tools.closest("tr").focus(); }
  function take(current) {
    row.corrected = inForce(current);
    revision = current.revision;
    conflict.replaceChildren();
    render();
    told();
  }
  async function save(text) {
    said.textContent = t("Saving…");
    try {
      const kept = await change(row, "PUT", revision, text);
      take(kept);
      said.textContent = area.value === text ? t("Saved.") : t("Not saved yet.");
    } catch (problem) {
      said.textContent = t("Not saved: {why}", { why: problem.message });
      if (problem.current) both(problem.current, text);
    }
  }
  // Both texts, with what differs, and the choice between them.
  function both(current, own) {
    said.textContent = current.text === null ? t("Not saved: someone else undid this correction in the meantime.")
      : current.author ? t("Not saved: {author} corrected this segment in the meantime.", current) : t("Not saved: someone else corrected this segment in the meantime.");
    const [theirs, mine] = differing(current.text ?? row.translation, own);
    conflict.replaceChildren(
      element("p", {}, element("b", {}, t("Current text")), " ", element("span", { dir: "auto" }, ...theirs)),
      element("p", {}, element("b", {}, t("Your text")), " ", element("span", { dir: "auto" }, ...mine)),
      button(t("Keep the current text"), () => { take(current); area.value = current.text ?? row.translation; said.textContent = ""; area.focus(); }), " ",
      button(t("Use my text"), () => { take(current); save(own); area.focus(); }));
  }
  form.addEventListener("submit", (event) => { event.preventDefault(); save(area.value); });
  area.addEventListener("input", () => { said.textContent = t("Not saved yet."); });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  tools.append(form);
  area.focus();
}
