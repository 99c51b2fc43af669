// The translator's form: send a job, follow it, show the document.
const byId = (id) => document.getElementById(id);
const form = byId("form"), problem = byId("problem"), fileInput = byId("files"), drop = byId("drop");
const REASONS = 6;
const PAGE = 100;
// Where a score stops being good, and where it starts being poor, per label.
const BANDS = { hter: [0.15, 0.35], da: [0.3, -0.3], effort: [4, 3], time: [1, 3] };
const NAMES = { good: "good", fair: "fair", poor: "poor" };
let files = [], job = null, events = null, rows = [], shown = 0, result = null;

function show(name) {
  for (const section of ["entry", "progress", "document"]) byId(section).hidden = section !== name;
  const title = byId(`${name}-title`);
  if (name !== "entry") title.focus();
}

function complain(text) {
  problem.textContent = text;
  problem.hidden = !text;
  if (text) problem.scrollIntoView({ block: "nearest" });
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function choose(list) {
  files = [...list].slice(0, 2);
  const chosen = byId("chosen");
  chosen.replaceChildren();
  files.forEach((file, place) => {
    const role = files.length === 1 ? "table" : place === 0 ? "source" : "translation";
    chosen.append(element("li", {}, `${role}: ${file.name}`));
  });
  if (files.length === 2) {
    const swap = element("button", { type: "button" }, "Swap source and translation");
    swap.addEventListener("click", () => choose([files[1], files[0]]));
    chosen.append(element("li", {}, swap));
  }
  if (files.length) {
    const remove = element("button", { type: "button" }, "Remove");
    remove.addEventListener("click", () => { fileInput.value = ""; choose([]); fileInput.focus(); });
    chosen.append(element("li", {}, remove));
    guessPair();
  }
  complain(list.length > 2 ? "Choose one table, or two text files." : "");
}

// A name such as news.ro-en.tsv says which languages are meant.
function guessPair() {
  const name = files.map((file) => file.name).join(" ").toLowerCase();
  for (const option of byId("pair").options) {
    if (new RegExp(`(^|[^a-z])${option.value}([^a-z]|$)`).test(name)) { byId("pair").value = option.value; limitModels(); return; }
  }
}

function limitModels() {
  const pair = byId("pair").value, label = byId("label").value;
  for (const option of byId("model").options) {
    if (!option.value) continue;
    option.hidden = option.disabled = option.dataset.pair !== pair || option.dataset.label !== label;
    if (option.hidden && option.selected) byId("model").value = "";
  }
}

function content() {
  const pair = byId("pair").selectedOptions[0].dataset;
  const params = { source_language: pair.source, target_language: pair.target, label: byId("label").value };
  if (byId("model").value) params.model = byId("model").value;
  const data = new FormData();
  data.append("kind", "quality");
  data.append("params", JSON.stringify(params));
  if (files.length === 1) data.append("file", files[0]);
  else if (files.length === 2) { data.append("source", files[0]); data.append("translation", files[1]); }
  else {
    const source = byId("source").value.replace(/\n+$/, ""), translation = byId("translation").value.replace(/\n+$/, "");
    if (!source.trim() || !translation.trim()) return null;
    data.append("source", new Blob([source], { type: "text/plain" }), "source.txt");
    data.append("translation", new Blob([translation], { type: "text/plain" }), "translation.txt");
  }
  return data;
}

// Where a problem is, as people count.
function explain(body) {
  const found = /^segments\.(\d+)\.(\w+)/.exec(body.where || "");
  return found ? `Segment ${Number(found[1]) + 1}, ${found[2]}: ${body.detail}` : body.detail;
}

async function submit(event) {
  event.preventDefault();
  complain("");
  const data = content();
  if (!data) { complain("Drop a file, or paste a source and its translation."); return; }
  byId("go").disabled = true;
  try {
    const answer = await fetch("/v1/jobs", { method: "POST", body: data });
    const body = await answer.json();
    if (!answer.ok) { complain(explain(body)); return; }
    history.pushState(null, "", `/?job=${body.id}`);
    follow(body.id);
  } catch { complain("The server did not answer. Nothing was lost; try again."); }
  finally { byId("go").disabled = false; }
}

function follow(id) {
  job = id;
  show("progress");
  progress({ done: 0, total: 1, state: "queued" });
  events = new EventSource(`/v1/jobs/${id}/events`);
  events.addEventListener("progress", (event) => progress(JSON.parse(event.data)));
  events.addEventListener("end", (event) => { events.close(); finish(JSON.parse(event.data)); });
  events.onerror = async () => {
    // The stream ended before the job did, or there is no such job.
    const answer = await fetch(`/v1/jobs/${id}`).catch(() => null);
    if (answer && answer.status === 404) { events.close(); home("There is no such document any more."); }
    else byId("state").textContent = "The connection is interrupted; waiting for the server…";
  };
}

function home(text) { history.replaceState(null, "", "/"); show("entry"); complain(text); }

function progress(now) {
  byId("bar").max = now.total;
  byId("bar").value = now.done;
  const eta = now.eta ? `, about ${Math.ceil(now.eta)} s left` : "";
  byId("state").textContent = now.state === "queued" ? "Waiting for a worker…" : `${now.done} of ${now.total} segments${eta}`;
}

async function finish(now) {
  if (now.state === "failed") { home(`The job failed: ${now.error.detail}`); return; }
  if (now.state === "cancelled") { home("The job was cancelled."); return; }
  progress(now);
  const answer = await fetch(`/v1/jobs/${now.id}/result?format=json`);
  result = await answer.json();
  result.segments.forEach((row, place) => { row.number = place + 1; });
  for (const format of ["tsv", "json", "jsonl"]) byId(format).href = `/v1/jobs/${now.id}/result?format=${format}`;
  summarise();
  const image = byId("histogram");
  image.src = `/jobs/${now.id}/histogram.svg`;
  bins();
  reorder();
  show("document");
}

const percent = () => result.label === "hter";
function spoken(value) { return percent() ? `${Math.round(value * 100)} %` : value.toFixed(2); }

function fact(term, text, chief) {
  const cell = element("div", chief ? { class: "chief" } : {}, element("dt", {}, term), element("dd", {}, text));
  byId("facts").append(cell);
}

function summarise() {
  byId("facts").replaceChildren();
  const all = result.document;
  fact(percent() ? "Words to edit" : `Predicted ${result.label}, ${result.unit}`, spoken(all.weighted_score), true);
  fact("Segments", all.segments.toLocaleString());
  fact("Words translated", all.translation_tokens.toLocaleString());
  if (percent()) fact("Expected edits", Math.round(all.weighted_score * all.translation_tokens).toLocaleString());
  fact("Worst segment", `№ ${worst()[0].number}`);
  fact("Model", result.model);
  byId("note").textContent = (`Scores: ${result.direction}. Ranges hold the true value for about ${Math.round(result.interval * 100)} % of segments.`);
}

const higher = () => result.direction === "higher is better";
function worst() { return [...result.segments].sort((a, b) => (higher() ? a.score - b.score : b.score - a.score) || a.number - b.number); }

function band(score) {
  const [good, poor] = BANDS[result.label];
  if (higher() ? score >= good : score <= good) return "good";
  return (higher() ? score <= poor : score >= poor) ? "poor" : "fair";
}

function bins() {
  const scores = result.segments.map((row) => row.score);
  const bounds = { hter: [0, 1], effort: [1, 5] }[result.label];
  const low = bounds ? bounds[0] : Math.min(...scores), high = bounds ? bounds[1] : Math.max(...scores);
  const body = byId("bins").tBodies[0], width = (high - low) / 10 || 1, counts = new Array(10).fill(0);
  for (const score of scores) counts[Math.min(9, Math.floor((score - low) / width))] += 1;
  body.replaceChildren(...counts.map((count, k) => element("tr", {},
    element("td", {}, `${spoken(low + k * width)} – ${spoken(low + (k + 1) * width)}`), element("td", {}, String(count)))));
  const most = counts.indexOf(Math.max(...counts));
  byId("histogram").alt = `Histogram of ${scores.length} segment scores; most lie between ${spoken(low + most * width)} and ${spoken(low + (most + 1) * width)}.`;
}

function reorder() {
  const order = byId("order").value;
  if (order === "worst") rows = worst();
  else if (order === "document") rows = [...result.segments];
  else rows = [...result.segments].sort((a, b) => b.std - a.std || a.number - b.number);
  shown = 0;
  byId("segments").tBodies[0].replaceChildren();
  more();
}

function more() {
  const body = byId("segments").tBodies[0];
  for (const row of rows.slice(shown, shown + PAGE)) body.append(segment(row));
  shown += PAGE;
  byId("more").hidden = shown >= rows.length;
}

function scale(row) {
  const ends = { hter: [0, 1], da: [-2, 2], effort: [1, 5], time: [0, 5] }[result.label];
  const at = (value) => 4 + 92 * Math.min(1, Math.max(0, (value - ends[0]) / (ends[1] - ends[0])));
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const add = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    picture.append(made);
  };
  picture.setAttribute("viewBox", "0 0 100 10");
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("class", "scale");
  picture.setAttribute("aria-hidden", "true");
  add("line", { class: "track", x1: 4, x2: 96, y1: 5, y2: 5 });
  add("line", { class: "span", x1: at(row.interval[0]), x2: at(row.interval[1]), y1: 5, y2: 5 });
  add("ellipse", { class: "dot", cx: at(row.score), cy: 5, rx: 2.2, ry: 4.6 });
  return picture;
}

function segment(row) {
  const kind = band(row.score);
  const quality = element("td", { class: "quality" },
    element("span", { class: "value" }, spoken(row.score)), element("span", { class: "band" }, NAMES[kind]), scale(row),
    element("span", { class: "range" }, `${spoken(row.interval[0])} to ${spoken(row.interval[1])}`));
  return element("tr", { class: kind },
    element("td", { "data-name": "Segment" }, String(row.number)), quality,
    element("td", { "data-name": "Source", dir: "auto" }, row.source),
    element("td", { "data-name": "Translation", dir: "auto" }, row.translation, why(row)));
}

// What moved the score, asked for when it is opened: few people want it of every segment.
let descriptions = null;
function why(row) {
  const list = element("ul", { dir: "ltr" });
  const box = element("details", { class: "why", dir: "ltr" }, element("summary", {}, "Why this score?"), list);
  box.addEventListener("toggle", async () => {
    if (!box.open || list.childElementCount) return;
    const { source_language, target_language } = result;
    const body = { source_language, target_language, model: result.model, explain: true, segments: [{ source: row.source, translation: row.translation }] };
    const answer = await fetch("/v1/quality", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const told = await answer.json();
    if (!answer.ok) { list.replaceChildren(element("li", {}, explain(told))); return; }
    const parts = told.segments[0].contributions.slice(0, REASONS);
    descriptions ??= fetch("/v1/features/catalogue").then((answer) => answer.json()).then((all) => new Map(all.features.map((each) => [each.id, each.description])));
    const known = await descriptions;
    const sign = (value) => `${value < 0 ? "−" : "+"}${spoken(Math.abs(value))}`;
    list.replaceChildren(element("li", { class: "base" }, `An average segment: ${spoken(told.explanation.baseline)}`),
      ...parts.map((part) => element("li", {}, element("b", {}, sign(part.contribution)), ` ${known.get(part.feature) ?? part.name}`)));
  });
  return box;
}

form.addEventListener("submit", submit);
fileInput.addEventListener("change", () => choose(fileInput.files));
byId("pair").addEventListener("change", limitModels);
byId("label").addEventListener("change", limitModels);
byId("order").addEventListener("change", reorder);
byId("more").addEventListener("click", more);
byId("cancel").addEventListener("click", () => fetch(`/v1/jobs/${job}`, { method: "DELETE" }));
for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => { event.preventDefault(); choose(event.dataTransfer.files); });
window.addEventListener("popstate", () => location.reload());
limitModels();
const asked = new URLSearchParams(location.search).get("job");
if (asked && /^[0-9a-f]{32}$/.test(asked)) follow(asked);
