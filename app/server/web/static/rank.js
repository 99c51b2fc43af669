// Several systems' translations of one source: who wins each segment, and who stands where.
import { ask, button, byId, complain, element, labelled, languagesOf, number, pairName, percent, show, t, tableRow } from "./page.js";
import { chooser } from "./choosing.js";
import { copies, expectKind, jobAsked, offer, OPENED } from "./address.js";
import { follow } from "./follow.js";
import { chosenLanguages, languageChoice, notHere } from "./pairs.js";
import { chips } from "./segment.js";
import { list, readAs } from "./several.js";
import { spoken } from "./document-numbers.js";
import { showVerdicts } from "./verdicts.js";

const SECTIONS = ["entry", "progress", "result"], PAGE = 50;
const several = chooser("several", 1, look), source = chooser("source", 1), systems = chooser("systems", 64);
// What somebody has said of a table's first row: "yes", "no", or nothing, so that its content tells.
let result = null, rows = [], shown = 0, header = "", looked = 0;

// What the one file holds, said before it is sent for good.
async function look(chosen = true) {
  const mine = ++looked;
  if (chosen) header = "";
  byId("found").replaceChildren();
  complain("");
  if (!several.files().length) return;
  try {
    const about = await describe();
    if (mine !== looked) return;
    const languages = about.pair ? pairName(...languagesOf(about.pair)) + (about.guessed ? ` (${t("detected")})` : "") : notHere(about, true);
    byId("found").replaceChildren(element("p", {}, `${t(about.title)} · ${t("{count, plural, one {# segment} other {# segments}}", { count: about.segments })} · ${languages}`), list(readAs(about.candidates)), ...restate(about.candidates.reading));
  } catch (problem) { if (mine === looked) complain(problem.message); }
}

function restate(reading) {
  if (!reading) return [];
  const heading = reading.heading !== null;
  return [button(heading ? t("The first row is a segment") : t("The first row is a header"), () => { header = heading ? "no" : "yes"; look(false); })];
}

function form(parts) {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts)) data.append(name, value);
  return data;
}

const severalParts = () => ({ file: several.files()[0], ...(header ? { header } : {}) });
const describe = () => ask("/v1/files", { method: "POST", body: form({ kind: "rank", ...severalParts() }) });

function listParts() {
  const names = systems.names();
  return { source: source.files()[0], ...Object.fromEntries(systems.files().map((file, k) => [`system:${names[k]}`, file])) };
}

// The languages that were chosen, or that the words of the files look like.
async function languagesOfFiles() {
  const languages = chosenLanguages();
  if (languages.source_language) return languages;
  const about = await (several.files().length ? describe() : ask("/v1/files", { method: "POST", body: form({ source: source.files()[0], translation: systems.files()[0] }) }));
  if (!about.pair) throw new Error(notHere(about, true));
  const [source_language, target_language] = languagesOf(about.pair);
  return { source_language, target_language };
}

async function submit(event) {
  event.preventDefault();
  complain("");
  const one = several.files().length > 0, lists = source.files().length + systems.files().length > 0;
  if (one && lists) { complain(t("Choose one file with several translations, or one text file per system; remove the rest.")); return; }
  if (!one && (!source.files().length || systems.files().length < 2)) { complain(t("Choose a source and at least two systems.")); return; }
  byId("go").disabled = true;
  try {
    const params = JSON.stringify({ ...await languagesOfFiles(), warnings: true }), owner = localStorage.getItem("owner");
    const body = form({ kind: "rank", params, ...(owner ? { owner } : {}), ...(one ? severalParts() : listParts()) });
    const job = await ask("/v1/jobs", { method: "POST", body });
    history.pushState(null, "", OPENED.rank + job.id);
    await open(job.id);
  } catch (problem) { complain(problem.message); }
  finally { byId("go").disabled = false; }
}

async function open(id) {
  show(SECTIONS, "progress");
  try {
    const job = await follow(id);
    expectKind(job, "rank");
    result = await ask(`/v1/jobs/${id}/result?format=json`);
    result.segments.forEach((row, k) => { row.number = k + 1; });
    offer(job, ["tsv", "json", "jsonl"]);
    draw(job.params);
    show(SECTIONS, "result");
  } catch (problem) {
    history.replaceState(null, "", "/rank");
    show(SECTIONS, "entry");
    complain(problem.message);
  }
}

function draw(params) {
  const say = (value) => spoken(value, result.label), name = pairName(params.source_language, params.target_language);
  byId("result-title").textContent = t("The systems, {pair}", { pair: name });
  byId("note").textContent = t("Estimated by {model}: {label}, {direction}. For 95 of 100 similar documents, the true mean lies in the range.", { ...result, direction: t(result.direction) });
  byId("read").hidden = !result.file;
  byId("read").replaceChildren(...(result.file ? [element("p", {}, result.file.name), list(readAs(result.file.candidates))] : []));
  byId("cautions").replaceChildren(...(result.cautions ?? []).map((caution) => element("p", { class: "caution" }, caution)));
  const warned = (system) => result.segments.filter((row) => row.order.some((each) => each.system === system && each.warnings?.length)).length;
  const range = (interval) => (interval ? t("{low} to {high}", { low: say(interval[0]), high: say(interval[1]) }) : "–");
  byId("standing").tBodies[0].replaceChildren(...result.systems.map((row) => tableRow([row.system, Math.round(row.wins * 10) / 10, say(row.mean), range(row.interval), row.best_share === null ? "–" : percent(row.best_share), row.warnings ? number(warned(row.system)) : "–"])));
  labelled(byId("standing"));
  showVerdicts(result.verdicts ?? [], 4);
  agreement();
  const winners = result.segments.map((row) => row.texts[row.order[0].system].replace(/\n/g, " ")).join("\n") + "\n";
  byId("winners").href = URL.createObjectURL(new Blob([winners], { type: "text/plain;charset=utf-8" }));
  refresh();
}

function agreement() {
  const names = result.systems.map((row) => row.system), table = byId("agreement");
  // Only segments that both translate count.
  const same = (one, other) => {
    const common = result.segments.filter((row) => one in row.texts && other in row.texts);
    return common.length ? percent(common.filter((row) => row.texts[one] === row.texts[other]).length / common.length) : "–";
  };
  table.tHead.replaceChildren(element("tr", {}, element("td"), ...names.map((name) => element("th", { scope: "col" }, name))));
  table.tBodies[0].replaceChildren(...names.map((one) => tableRow([one, ...names.map((other) => (one === other ? "–" : same(one, other)))])));
}

function refresh() {
  const order = byId("order").value, spread = (row) => Math.abs(row.order[0].score - row.order[row.order.length - 1].score);
  rows = [...result.segments];
  if (order === "unsure") rows.sort((a, b) => a.better_probability - b.better_probability);
  if (order === "spread") rows.sort((a, b) => spread(b) - spread(a));
  shown = 0;
  byId("segments").replaceChildren();
  more();
}

// The lead of the first translation over the second, and how sure it is.
function lead(row) {
  const [first, second] = row.order;
  if (!second) return t("Only one translation");
  const difference = spoken(Math.abs(first.score - second.score), result.label), share = Math.round(row.better_probability * 100);
  return t("Best: {system}, by {difference} before {second}. Probability that it is better: {share} %", { system: first.system, second: second.system, difference, share });
}

function candidate(row, each, k) {
  const range = each.interval ? ` (${t("{low} to {high}", { low: spoken(each.interval[0], result.label), high: spoken(each.interval[1], result.label) })})` : "";
  return element("li", k ? {} : { class: "winner" }, element("span", { class: "who" }, `${each.system} · ${spoken(each.score, result.label)}${range}`), element("span", { dir: "auto" }, row.texts[each.system]), ...chips(each));
}

function more() {
  for (const row of rows.slice(shown, shown + PAGE)) {
    byId("segments").append(element("li", { value: String(row.number) }, element("p", { dir: "auto", class: "given" }, row.source),
      element("p", { class: "hint" }, lead(row)), element("ol", { class: "candidates" }, ...row.order.map((each, k) => candidate(row, each, k)))));
  }
  shown += PAGE;
  byId("more").hidden = shown >= rows.length;
}

byId("form").addEventListener("submit", submit);
languageChoice();
byId("order").addEventListener("change", refresh);
byId("more").addEventListener("click", more);
copies("copy-address", "address", "address-copied");
window.addEventListener("popstate", () => location.reload());
byId("go").disabled = false;
const asked = jobAsked();
if (asked) open(asked);
