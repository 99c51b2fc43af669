// The translator's form: choose or paste, see what it is, send a job, show the document.
import { ask, byId, button, complain, element, languagesOf, lines, pairName, show, t } from "./page.js";
import { copies, expectKind, jobAsked, OPENED } from "./address.js";
import { follow } from "./follow.js";
import { showDocument } from "./document.js";
import { ANY, chosenLanguages, chosenPair, differing, isBuilt, languageChoice, namedPair, notHere, turned, typed } from "./pairs.js";
import { jobOfSources, sourceAlone } from "./services.js";
import { fillExample, terms } from "./terms.js";

const SECTIONS = ["entry", "progress", "document"];
const form = byId("form"), fileInput = byId("files"), drop = byId("drop");
const N_BEST = /^\s*\d+ \|\|\| .* \|\|\| /;
// What somebody has said of a table's first row: "yes", "no", or nothing, so that its content tells.
let files = [], looked = 0, header = "";
// The pair that the words look like; empty once somebody has chosen one.
let detected = "";
// Whether a person chose the languages, which guesses then do not overrule.
let isChosen = false;
// What was found in the texts: the server's answer, and whether source and translation are two texts.
let seen = null;
// Whether what was given can be no document, so that it is not sent.
let refused = false;

// Two files are a source and its translation, or an n-best list and its source.
async function roles() {
  if (files.length < 2) return files.length ? { file: files[0] } : {};
  const heads = await Promise.all(files.map((file) => file.slice(0, 2000).text()));
  const list = heads.findIndex((head) => N_BEST.test(head));
  return list < 0 ? { source: files[0], translation: files[1] } : { file: files[list], source: files[1 - list] };
}

// The pasted texts as files; null while one has no words.
function pasted() {
  if (!["source", "translation"].every((side) => byId(side).value.trim())) return null;
  const [source, translation] = pastedLines();
  return { source: fileOf(source, "source.txt"), translation: fileOf(translation, "translation.txt") };
}

const fileOf = (rows, name) => new File([rows.map((row) => `${row}\n`).join("")], name);

// Lines of both pasted texts. An empty line is an empty segment, but at the end of the longer text it belongs to nothing.
function pastedLines() {
  const sides = ["source", "translation"].map((side) => lines(byId(side).value)), [source, translation] = sides;
  for (const [one, other] of [[source, translation], [translation, source]]) while (one.length > other.length && one.at(-1) === "") one.pop();
  return sides;
}

// Why the pasted texts can be no document; empty where they can.
function unequal() {
  const [source, translation] = pastedLines();
  if (source.length === translation.length) return "";
  return t("The source has {sources, plural, one {# line} other {# lines}}, the translation {translations}. Each line is a segment.", { sources: source.length, translations: translation.length });
}

async function parts() { return files.length ? roles() : pasted(); }

// The button is there for something to estimate that was not refused.
function arm() { byId("go").disabled = refused || !(files.length || pasted() || sourceAlone()); }

function refuse(why) {
  if (why || refused) complain(why);
  refused = Boolean(why);
  arm();
}

// What a file is the cause of, and not the server's rooms or a key.
const ofTheFile = (problem) => problem.status >= 400 && problem.status < 500 && ![401, 403, 429].includes(problem.status);

// The words of a problem, with the name of its file.
function blamed(problem, given) {
  const file = files.length ? given[problem.where?.split(".")[0]] : null;
  return file ? t("{name}: {words}", { name: file.name, words: problem.message }) : problem.message;
}

function swap() {
  if (files.length) { choose([files[1], files[0]]); return; }
  const [source, translation] = [byId("source"), byId("translation")];
  [source.value, translation.value] = [translation.value, source.value];
  look();
}

const swapper = () => button(t("Swap source and translation"), swap);

async function choose(list) {
  files = [...list].slice(0, 2);
  header = "";
  const chosen = byId("chosen"), role = await roles();
  const named = { file: files.length === 1 ? t("document") : t("n-best list"), source: t("source"), translation: t("translation") };
  chosen.replaceChildren(...Object.entries(role).map(([name, file]) => element("li", {}, t("{name}: {words}", { name: named[name], words: file.name }))));
  if (role.translation) chosen.append(element("li", {}, swapper()));
  if (files.length) chosen.append(element("li", {}, button(t("Remove"), () => { fileInput.value = ""; choose([]); fileInput.focus(); })));
  refused = false;
  complain(list.length > 2 ? t("Choose one document, or two text files.") : "");
  look();
}

// What was given, said before anything is sent for good; a mistake shows here already.
async function look() {
  const mine = ++looked, found = byId("found");
  seen = null;
  refuse("");
  const given = await parts(), sources = files.length ? null : sourceAlone();
  found.textContent = sources ? t("{count, plural, one {# segment to translate} other {# segments to translate}}", { count: sources.length }) : "";
  const empty = sources ? byId("source").value.trimEnd().split("\n").length - sources.length : 0;
  if (empty) found.append(t("{count, plural, one {, # empty line left out} other {, # empty lines left out}}", { count: empty }));
  if (!given) return;
  const lacking = files.length ? "" : unequal();
  if (lacking) { refuse(lacking); return; }
  if (Object.values(given).some((file) => file.size > 20e6)) return;
  try {
    const about = await ask("/v1/files", { method: "POST", body: formOf(given) });
    if (mine !== looked) return;
    seen = { about, sides: Boolean(given.translation) };
    // Whoever names languages is overruled by a file that declares its own, and never by a guess.
    if (optionOf(about.pair) && !typed() && !(isChosen && about.guessed)) { byId("pair").value = about.pair; detected = about.guessed ? about.pair : ""; choosePair(); }
    else describe();
  } catch (problem) {
    if (mine !== looked) return;
    if (ofTheFile(problem)) refuse(blamed(problem, given)); else complain(problem.message);
  }
}

// What the texts are, in the languages that are chosen now.
function describe() {
  if (!seen) return;
  const { about } = seen, found = byId("found");
  const skipped = about.skipped ? t("{count, plural, one {, # without a translation} other {, # without a translation}}", { count: about.skipped }) : "";
  const counts = t("{segments, plural, one {# segment} other {# segments}}, {words, plural, one {# word} other {# words}}", { segments: about.segments, words: about.source_words });
  const model = byId("model").value || [...byId("model").options].find(({ value, disabled }) => value === about.model && !disabled)?.value;
  found.textContent = `${t("{name}: {words}", { name: files.length ? t(about.title) : t("pasted text"), words: counts })}${skipped} · ${languagesSaid(seen)}${model ? ` · ${model}` : ""}`;
  if (about.reading) found.append(" · ", readAs(about.reading), " ", restate(about.reading));
  if (!files.length && turned(about)) found.append(" ", swapper());
}

// The languages of a job as it would run: those of a choice, with a word where the texts look like others, or what was detected.
function languagesSaid({ about, sides }) {
  const option = optionOf(about.pair), isDetected = byId("pair").value === "" || byId("pair").value === detected;
  if (!isDetected) return [namedPair() ?? t("Enter both languages, for example en and fr."), ...differing(about)].join("; ");
  return option ? option.textContent + (about.guessed ? ` (${t("detected")})` : "") : notHere(about, sides);
}

function formOf(given) {
  const data = new FormData();
  for (const [name, file] of Object.entries(given)) data.append(name, file);
  if (header && given.file) data.append("header", header);
  return data;
}

// What was taken for what in a table.
function readAs(reading) {
  const called = ({ column, name }) => name ? t("column {column}, {name}", { column, name }) : t("column {column}", { column });
  const texts = t("source: {source}; translation: {translation}", { source: called(reading.source), translation: called(reading.translation) });
  const places = reading.unclear ? ` (${t("by position; they may be swapped")})` : "";
  if (reading.heading !== null) return t("{first}; {next}", { first: t("line {line} is a header", { line: reading.heading }), next: `${texts}${places}` });
  return t("{first}; {next}", { first: reading.unclear ? t("the first row was read as a segment; it may be a header") : t("no header"), next: texts });
}

function restate(reading) {
  const heading = reading.heading !== null;
  return button(heading ? t("The first row is a segment") : t("The first row is a header"), () => { header = heading ? "no" : "yes"; look(); });
}

// The choice of a pair; one for which nothing was built, which is answered for all the same, becomes one.
function optionOf(pair) {
  if (!pair) return undefined;
  const there = [...byId("pair").options].find((each) => each.value === pair);
  if (there) return there;
  const [source, target] = languagesOf(pair);
  const made = element("option", { value: pair, "data-source": source, "data-target": target }, `${pairName(source, target)} (${pair})`);
  byId("pair").append(made);
  return made;
}

// Leaves the options of a list that can be answered; the first of them takes the place of a chosen one that cannot.
function limit(list, possible) {
  for (const option of list.options) option.hidden = option.disabled = !possible(option);
  if (list.selectedOptions[0]?.disabled) list.value = [...list.options].find((option) => !option.disabled)?.value ?? "";
}

function limitChoices() {
  const pair = chosenPair(), profile = byId("profile"), models = byId("model");
  limit(byId("label"), ({ dataset }) => !pair || dataset.pairs.split(" ").some((each) => each === pair || each === ANY));
  // Nothing but networks answers for a pair that nothing was built for.
  if (profile) limit(profile, ({ value }) => value === "accurate" || !pair || isBuilt(pair));
  // A label without models of the pair is predicted by those of any pair.
  const label = byId("label").value, ofLabel = [...models.options].filter((option) => option.dataset.label === label);
  const scope = ofLabel.some((option) => option.dataset.pair === pair) ? pair : ANY;
  limit(models, (option) => !option.value || (ofLabel.includes(option) && (!pair || option.dataset.pair === scope)));
  describe();
}

function params() {
  const wanted = { label: byId("label").value, words: true, warnings: true, ...terms(byId("label").value), ...chosenLanguages() };
  if (byId("profile")) wanted.profile = byId("profile").value;
  if (byId("model").value) wanted.model = byId("model").value;
  return wanted;
}

// The field of a glossary, or no field. A server reads the text.
async function glossary() {
  const file = byId("glossary").files[0];
  return file ? { glossary: { name: file.name, text: await file.text() } } : {};
}

async function submit(event) {
  event.preventDefault();
  complain("");
  const given = await parts(), sources = files.length ? null : sourceAlone();
  if (sources) { await submitSources(sources); return; }
  if (!given) { complain(t("Drop a file, or paste a source and its translation.")); return; }
  const lacking = files.length ? "" : unequal();
  if (lacking) { refuse(lacking); return; }
  byId("go").disabled = true;
  try {
    const wanted = { ...params(), ...await glossary() };
    // Lines without a language of their own take what their words say.
    let isGuess = detected !== "" && byId("pair").value === detected;
    if (!wanted.source_language && !given.file) { Object.assign(wanted, await guessed(given)); isGuess = true; }
    const data = formOf(given);
    data.append("kind", "quality");
    data.append("params", JSON.stringify(wanted));
    if (byId("owner").value) data.append("owner", byId("owner").value);
    const job = await ask("/v1/jobs", { method: "POST", body: data });
    localStorage.setItem("owner", byId("owner").value);
    if (isGuess) sessionStorage.setItem(`guessed:${job.id}`, "yes");
    history.pushState(null, "", OPENED.quality + job.id);
    await open(job.id);
  } catch (problem) { complain(blamed(problem, given)); }
  finally { arm(); }
}

async function submitSources(sources) {
  byId("go").disabled = true;
  try {
    const owner = byId("owner").value, request = jobOfSources(sources, { ...params(), ...await glossary() });
    const job = await ask("/v1/jobs", { json: owner ? { ...request, owner } : request });
    localStorage.setItem("owner", owner);
    if (job.kind === "quality") history.pushState(null, "", OPENED.quality + job.id);
    await open(job.id, job.kind);
  } catch (problem) { complain(problem.message); }
  finally { arm(); }
}

async function guessed(given) {
  const about = await ask("/v1/files", { method: "POST", body: formOf(given) });
  if (!about.pair) throw new Error(notHere(about, true));
  const [source_language, target_language] = languagesOf(about.pair);
  return { source_language, target_language };
}

// The form keeps its texts, so a job that fails leads back to them. A ranking has a page of its own.
async function open(id, kind = "quality") {
  show(SECTIONS, "progress");
  try {
    const job = await follow(id);
    if (kind !== "quality") { location.assign(OPENED[kind] + id); return; }
    expectKind(job, "quality");
    await showDocument(job, again);
    show(SECTIONS, "document");
  } catch (problem) {
    history.replaceState(null, "", "/");
    show(SECTIONS, "entry");
    complain(problem.message);
  }
}

// The form with the texts of a result, for other languages than its words looked like.
function again(rows) {
  choose([]);
  // An empty last segment is a line only before a line end.
  for (const side of ["source", "translation"]) byId(side).value = rows.map((row) => row[side]).join("\n") + (rows.at(-1)[side] === "" ? "\n" : "");
  history.pushState(null, "", "/");
  show(SECTIONS, "entry");
  arm();
  byId("pair").value = "";
  detected = "";
  isChosen = true;
  choosePair();
  byId("pair").focus();
  complain(t("Choose the languages, then estimate again."));
}

byId("pair").addEventListener("change", () => { detected = ""; isChosen = byId("pair").value !== ""; });
const choosePair = languageChoice(limitChoices);
let pause = 0;
form.addEventListener("submit", submit);
fileInput.addEventListener("change", () => choose(fileInput.files));
for (const name of ["source", "translation"]) byId(name).addEventListener("input", () => { refuse(""); clearTimeout(pause); pause = setTimeout(look, 600); });
byId("service")?.addEventListener("change", look);
byId("label").addEventListener("change", limitChoices);
byId("model").addEventListener("change", describe);
for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => { event.preventDefault(); choose(event.dataTransfer.files); });
byId("example").addEventListener("click", fillExample);
window.addEventListener("popstate", () => location.reload());
byId("owner").value = localStorage.getItem("owner") ?? "";
limitChoices();
arm();
copies("copy-address", "address", "address-copied");
const asked = jobAsked();
if (asked) open(asked);
