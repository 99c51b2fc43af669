// Several systems' translations of one source: who wins each segment, and who stands where.
import { ask, byId, complain, element, labelled, languagesOf, number, pairName, percent, show, t, tableRow } from "./page.js";
import { chooser } from "./choosing.js";
import { copies, expectKind, jobAsked, offer, OPENED } from "./address.js";
import { follow } from "./follow.js";
import { chosenLanguages, languageChoice, notHere } from "./pairs.js";
import { chips } from "./segment.js";
import { spoken } from "./document-numbers.js";

const SECTIONS = ["entry", "progress", "result"], PAGE = 50;
const source = chooser("source", 1), systems = chooser("systems", 64);
let result = null, rows = [], shown = 0;

async function submit(event) {
  event.preventDefault();
  complain("");
  const names = systems.names(), files = systems.files();
  if (!source.files().length || files.length < 2) { complain(t("Choose a source and at least two systems.")); return; }
  byId("go").disabled = true;
  try {
    let languages = chosenLanguages();
    if (!languages.source_language) {
      const look = new FormData();
      look.append("source", source.files()[0]);
      look.append("translation", files[0]);
      const about = await ask("/v1/files", { method: "POST", body: look });
      if (!about.pair) throw new Error(notHere(about, true));
      const [source_language, target_language] = languagesOf(about.pair);
      languages = { source_language, target_language };
    }
    const data = new FormData();
    data.append("kind", "rank");
    data.append("params", JSON.stringify({ ...languages, warnings: true }));
    if (localStorage.getItem("owner")) data.append("owner", localStorage.getItem("owner"));
    data.append("source", source.files()[0]);
    files.forEach((file, k) => data.append(`system:${names[k]}`, file));
    const job = await ask("/v1/jobs", { method: "POST", body: data });
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
  byId("cautions").replaceChildren(...(result.cautions ?? []).map((caution) => element("p", { class: "problem" }, caution)));
  const warned = (system) => result.segments.filter((row) => row.order.some((each) => each.system === system && each.warnings?.length)).length;
  const range = (interval) => (interval ? t("{low} to {high}", { low: say(interval[0]), high: say(interval[1]) }) : "–");
  byId("standing").tBodies[0].replaceChildren(...result.systems.map((row) => tableRow([row.system, Math.round(row.wins * 10) / 10, say(row.mean), range(row.interval), row.best_share === null ? "–" : percent(row.best_share), row.warnings ? number(warned(row.system)) : "–"])));
  labelled(byId("standing"));
  agreement();
  const winners = result.segments.map((row) => row.texts[row.order[0].system].replace(/\n/g, " ")).join("\n") + "\n";
  byId("winners").href = URL.createObjectURL(new Blob([winners], { type: "text/plain;charset=utf-8" }));
  refresh();
}

function agreement() {
  const names = result.systems.map((row) => row.system), table = byId("agreement");
  const same = (one, other) => result.segments.filter((row) => row.texts[one] === row.texts[other]).length / result.segments.length;
  table.tHead.replaceChildren(element("tr", {}, element("td"), ...names.map((name) => element("th", { scope: "col" }, name))));
  table.tBodies[0].replaceChildren(...names.map((one) => tableRow([one, ...names.map((other) => (one === other ? "–" : percent(same(one, other))))])));
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

function more() {
  for (const row of rows.slice(shown, shown + PAGE)) {
    const list = element("ol", { class: "candidates" }, ...row.order.map((each, k) => element("li", k ? {} : { class: "winner" },
      element("span", { class: "who" }, `${each.system} · ${spoken(each.score, result.label)}`), element("span", { dir: "auto" }, row.texts[each.system]), ...chips(each))));
    byId("segments").append(element("li", { value: String(row.number) }, element("p", { dir: "auto", class: "given" }, row.source),
      element("p", { class: "hint" }, t("Probability that the winner is best: {share} %", { share: Math.round(row.better_probability * 100) })), list));
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
