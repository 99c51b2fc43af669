// One segment of a document: its score with the range, its texts with what looks wrong, why, and editing in place.
import { ask, button, element, explain, t } from "./page.js";
import { spoken } from "./document-numbers.js";

const REASONS = 6;
const ENDS = { hter: [0, 1], da: [-2, 2], effort: [1, 5], likert: [1, 5], time: [0, 5] };

function scale(row, label) {
  const ends = ENDS[label];
  const at = (value) => 4 + 92 * Math.min(1, Math.max(0, (value - ends[0]) / (ends[1] - ends[0])));
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const add = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    picture.append(made);
  };
  for (const [key, value] of Object.entries({ viewBox: "0 0 100 10", preserveAspectRatio: "none", class: "scale", "aria-hidden": "true" })) picture.setAttribute(key, value);
  add("line", { class: "track", x1: 4, x2: 96, y1: 5, y2: 5 });
  add("line", { class: "span", x1: at(row.interval[0]), x2: at(row.interval[1]), y1: 5, y2: 5 });
  add("ellipse", { class: "dot", cx: at(row.score), cy: 5, rx: 2.2, ry: 4.6 });
  return picture;
}

// The translation with a mark on words that look wrong and a caret where some may be missing; places count whole characters.
function marked(row) {
  const characters = [...row.translation], out = [];
  let at = 0;
  const upTo = (end) => { if (end > at) out.push(characters.slice(at, end).join("")); at = Math.max(at, end); };
  const caret = () => out.push(element("span", { class: "gap", title: t("words may be missing here") }, "‸"));
  (row.words ?? []).forEach((word, k) => {
    if (word.start === null || word.start < at) return;
    if (row.gaps[k].tag === "BAD") { upTo(word.start); caret(); }
    if (word.tag !== "BAD") return;
    upTo(word.start);
    out.push(element("mark", { title: t("looks wrong, {share} %", { share: Math.round(word.bad * 100) }) }, characters.slice(word.start, word.end).join("")));
    at = word.end;
  });
  upTo(characters.length);
  if (row.gaps?.length && row.gaps[row.gaps.length - 1].tag === "BAD") caret();
  return out;
}

const WARNINGS = { numbers: t("numbers"), names: t("names"), negation: t("negation"), untranslated: t("untranslated"), empty: t("empty") };

function warning(each) {
  const said = [each.source.join(", "), each.translation.join(", ")].filter(Boolean).join(" / ");
  return element("span", { class: "chip" }, said ? `${WARNINGS[each.code] ?? each.code}: ${said}` : WARNINGS[each.code] ?? each.code);
}

export function segmentRow(row, result, kind) {
  const say = (value) => spoken(value, result.label);
  const quality = element("td", { class: "quality", "data-name": result.label === "hter" ? t("Words to edit") : t("Score") },
    element("span", { class: "value" }, say(row.score)), element("span", { class: "band" }, row.band ?? ""), scale(row, result.label),
    element("span", { class: "range" }, t("{low} to {high}", { low: say(row.interval[0]), high: say(row.interval[1]) })));
  const text = element("div", { dir: "auto", class: "translated" }, ...marked(row));
  const cell = element("td", { "data-name": t("Translation") }, text);
  if (row.warnings?.length) cell.append(element("p", { class: "chips" }, ...row.warnings.map(warning)));
  const tools = element("div", { class: "tools" });
  tools.append(why(row, result), button(t("Edit"), () => edit(row, result, text, tools), { class: "edit quiet" }));
  cell.append(tools);
  return element("tr", { class: kind, tabindex: "-1", "aria-label": t("Segment {number}", row) },
    element("td", { "data-name": t("Segment") }, button(String(row.number), (event) => event.target.closest("tr").focus(), { class: "number quiet", "aria-label": t("Segment {number}", row) })),
    quality, element("td", { "data-name": t("Source"), dir: "auto" }, row.source), cell);
}

// A corrected translation teaches the next version; the page says what it was worth.
function edit(row, result, text, tools) {
  if (tools.querySelector("form")) return;
  const area = element("textarea", { rows: "3", dir: "auto", "aria-label": t("Corrected translation of segment {number}", row) });
  area.value = row.edited ?? row.translation;
  const said = element("p", { class: "hint", role: "status" });
  const form = element("form", { class: "editing" }, area, element("div", {}, element("button", { type: "submit", class: "primary small" }, t("Send as feedback")), " ", button(t("Close"), close)), said);
  function close() { form.remove(); tools.closest("tr").focus(); }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { source_language, target_language, model } = result;
    try {
      const body = { source_language, target_language, model, origin: "page", source: row.source, translation: row.translation, post_edit: area.value };
      const kept = (await ask("/v1/feedback", { json: body })).feedback[0];
      row.edited = area.value;
      text.replaceChildren(area.value);
      text.classList.add("edited");
      said.textContent = t("Kept. {share} % of its words were edited.", { share: Math.round(kept.value * 100) });
    } catch (problem) { said.textContent = problem.message; }
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  tools.append(form);
  area.focus();
}

// What moved the score, asked for when it is opened: few people want it of every segment.
let descriptions = null;
function why(row, result) {
  const list = element("ul", { dir: "ltr" });
  const box = element("details", { class: "why", dir: "ltr" }, element("summary", {}, t("Why this score?")), list);
  box.addEventListener("toggle", async () => {
    if (!box.open || list.childElementCount) return;
    const { source_language, target_language } = result;
    const json = { source_language, target_language, model: result.model, explain: true, segments: [{ source: row.source, translation: row.translation }] };
    try {
      const told = await ask("/v1/quality", { json });
      const parts = told.segments[0].contributions.slice(0, REASONS);
      descriptions ??= ask("/v1/features/catalogue").then((all) => new Map(all.features.map((each) => [each.id, each.description])));
      const known = await descriptions;
      const say = (value) => spoken(value, result.label), sign = (value) => `${value < 0 ? "−" : "+"}${say(Math.abs(value))}`;
      list.replaceChildren(element("li", { class: "base" }, t("An average segment: {score}", { score: say(told.explanation.baseline) })),
        ...parts.map((part) => element("li", {}, element("b", {}, sign(part.contribution)), ` ${known.get(part.feature) ?? part.name}`)));
    } catch (problem) { list.replaceChildren(element("li", {}, problem.message ?? explain(problem))); }
  });
  return box;
}
