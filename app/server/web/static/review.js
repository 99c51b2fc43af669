// Translated files with their sources and earlier versions: the form, and the findings of a review.
import { ask, byId, complain, element, labelled, languageName, number, pairName, percent, Problem, send, show, t, tableRow } from "./page.js";
import { chooser } from "./choosing.js";
import { tagOf } from "./pairs.js";
import { reviewRequest } from "./review-files.js";

const SECTIONS = ["entry", "result"], PAGE = 50;
const MEANINGS = JSON.parse(byId("meanings").textContent);
const SEVERITIES = { error: t("Error"), warning: t("Warning"), info: t("Info") };
const [sources, translations, earlier] = ["sources", "translations", "earlier"].map((role) => chooser(role, 200, () => complain("")));
let answer = null, rows = [], shown = 0;

const languageIn = (field) => tagOf(byId(field).value.trim());

async function submit(event) {
  event.preventDefault();
  complain("");
  if (!translations.files().length) { complain(t("Choose at least one translation.")); return; }
  byId("go").disabled = true;
  byId("state-of-call").textContent = t("Reviewing…");
  try {
    const chosen = { sources: sources.files(), translations: translations.files(), earlier: earlier.files() };
    const [request, paths] = await reviewRequest(chosen, languageIn("from") || "en", languageIn("to"));
    const profile = byId("profile") ? { profile: byId("profile").value } : {};
    answer = await ask("/v1/review", { json: { ...request, ...profile, predict: byId("predict").checked } });
    refuseUnread(paths);
    draw(request.source_language);
    show(SECTIONS, "result");
    await offer();
  } catch (problem) { complain(problem.message); }
  finally { byId("go").disabled = false; byId("state-of-call").textContent = ""; }
}

// No translation is left out unseen: the page asks for the language or names the file.
function refuseUnread(paths) {
  const files = new Map(answer.files.map((row) => [row.path, row]));
  const unnamed = paths.find((path) => files.get(path)?.language === "");
  if (unnamed && !languageIn("to")) {
    byId("to").focus();
    throw new Problem(t("Enter the target language: {name} does not say it.", { name: unnamed }));
  }
  // A source may lie among the translations.
  const sourcePaths = new Set(answer.files.map((row) => row.source_path));
  const unread = paths.find((path) => !files.has(path) && !sourcePaths.has(path));
  if (unread) throw new Problem(t("{name} was not reviewed: Assay does not know its format, or found no source for it.", { name: unread }));
}

async function offer() {
  const link = (id, content, type) => {
    if (byId(id).href) URL.revokeObjectURL(byId(id).href);
    byId(id).href = URL.createObjectURL(new Blob([content], { type }));
  };
  link("json", `${JSON.stringify(answer, null, 2)}\n`, "application/json");
  const comment = await send("/review/comment.md", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(answer) });
  byId("markdown").hidden = !comment.ok;
  if (comment.ok) link("markdown", await comment.text(), "text/markdown;charset=utf-8");
}

function draw(source) {
  const { error } = answer.counts, { strings, verdict } = answer;
  byId("verdict").textContent = verdict === "nothing" || !(strings || error) ? t("No string was reviewed: nothing changed, or no string has a translation.")
    : !strings ? t("{errors, plural, one {# error} other {# errors}}, and no string was reviewed", { errors: error })
    : error ? t("{errors, plural, one {# error} other {# errors}} in {strings, plural, one {# string} other {# strings}}", { errors: error, strings })
      : t("No errors in {strings, plural, one {# string} other {# strings}}", { strings });
  byId("verdict").className = `verdict ${verdict === "nothing" ? "" : error ? "worse" : "better"}`;
  byId("cautions").replaceChildren(...(answer.cautions ?? []).map((caution) => element("p", { class: "problem", lang: "en" }, caution)));
  byId("reviewed").tBodies[0].replaceChildren(...answer.files.map((row) => tableRow([row.path, row.language ? pairName(source, row.language) : "–",
    t("{part} of {all}", { part: number(row.judged_strings), all: number(row.strings) }), row.missing, row.model ?? ""])));
  labelled(byId("reviewed"));
  const counted = Object.entries(SEVERITIES).filter(([name]) => answer.counts[name]);
  byId("severity").replaceChildren(element("option", { value: "" }, t("All findings ({count})", { count: answer.findings.length })),
    ...counted.map(([name, title]) => element("option", { value: name }, `${title} (${number(answer.counts[name])})`)));
  byId("finding-list").hidden = !answer.findings.length;
  refresh();
  const worst = worstWithoutFindings();
  byId("worst-list").hidden = !worst.length;
  byId("worst").replaceChildren(...worst.map(worstItem));
}

function refresh() {
  const severity = byId("severity").value;
  rows = answer.findings.filter((row) => !severity || row.severity === severity);
  shown = 0;
  byId("findings").replaceChildren();
  more();
}

function more() {
  byId("findings").append(...rows.slice(shown, shown + PAGE).map(findingItem));
  shown += PAGE;
  byId("more").hidden = shown >= rows.length;
}

const placeOf = (row) => `${row.path}:${row.line}${row.key ? ` · ${row.key}` : ""}`;

// Strings that no error or warning names yet.
function worstWithoutFindings() {
  const place = (row) => JSON.stringify([row.path, row.line, row.key]);
  const named = new Set(answer.findings.filter((row) => row.severity !== "info").map(place));
  return answer.worst.filter((row) => !named.has(place(row)));
}

// A text with marks on spans, which count whole characters.
function marked(text, spans, kind) {
  const characters = [...text], out = [];
  let at = 0;
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (start < at || end <= start) continue;
    out.push(characters.slice(at, start).join(""), element("mark", { class: kind }, characters.slice(start, end).join("")));
    at = end;
  }
  return [...out, characters.slice(at).join("")];
}

const texts = (row, sourceSpans, translationSpans) => [
  element("p", { dir: "auto", class: "given" }, ...marked(row.source, sourceSpans, "wrong")),
  element("p", { dir: "auto", class: "text", lang: row.language || null }, ...marked(row.translation, translationSpans, "wrong")),
];

// Words, places and numbers of the server's message; all of it if it has another form.
const DETAILS = {
  plurals: (message) => /: (.+)$/.exec(message)?.[1],
  inconsistent: rival, ambiguous: rival,
  "too-long": (message) => {
    const numbers = /^(\d+) characters; its file allows (\d+)$/.exec(message);
    return numbers && t("{part} of {all}", { part: Number(numbers[1]), all: Number(numbers[2]) });
  },
};

function rival(message) {
  const found = /“(.*)” in (.*), line (\d+)$/s.exec(message);
  return found && `“${found[1]}” (${found[2]}:${found[3]})`;
}

// What a finding says, in the page's language.
function saying(row) {
  const text = MEANINGS[row.code];
  if (!text) return row.message;
  if (row.message === text) return t(text);
  const begins = [": ", "; "].some((sign) => row.message.startsWith(text + sign));
  const words = begins ? row.message.slice(text.length + 2) : DETAILS[row.code]?.(row.message) ?? row.message;
  return t("{name}: {words}", { name: t(text), words });
}

function findingItem(row) {
  const chip = element("span", { class: `chip ${row.severity === "error" ? "severe" : row.severity}` }, SEVERITIES[row.severity]);
  return element("li", {}, element("p", { class: "chips" }, chip, " ", saying(row)), element("p", { class: "hint" }, element("bdi", {}, placeOf(row)), row.language ? ` · ${languageName(row.language)}` : ""),
    ...(row.source || row.translation ? texts(row, row.source_spans, row.translation_spans) : []));
}

const worstItem = (row) => element("li", {}, element("p", { class: "hint" }, element("strong", {}, t("Quality: {share}", { share: percent(row.confidence) })), " · ", element("bdi", {}, placeOf(row)), ` · ${languageName(row.language)}`),
  ...texts(row, [], row.wrong_spans));

byId("form").addEventListener("submit", submit);
byId("severity").addEventListener("change", refresh);
byId("more").addEventListener("click", more);
byId("back").addEventListener("click", () => { show(SECTIONS, "entry"); byId("go").focus(); });
byId("go").disabled = false;
