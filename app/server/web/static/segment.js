// One segment of a document: its score with the range, its texts with what looks wrong, why, and editing in place.
import { button, element, t } from "./page.js";
import { correctable, standing } from "./corrections.js";
import { rating } from "./ratings.js";
import { why } from "./why.js";

function picture(row, scale) {
  const within = (share) => 4 + 92 * Math.min(1, Math.max(0, share)), at = (score) => within(scale.place(score));
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const add = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    drawn.append(made);
  };
  for (const [key, value] of Object.entries({ viewBox: "0 0 100 10", preserveAspectRatio: "none", class: "scale", "aria-hidden": "true" })) drawn.setAttribute(key, value);
  add("line", { class: "track", x1: 4, x2: 96, y1: 5, y2: 5 });
  if (scale.hasRanges) add("line", { class: "span", x1: at(row.interval[0]), x2: at(row.interval[1]), y1: 5, y2: 5 });
  // An error limits the quality, and the dot stands where the number says.
  add("ellipse", { class: "dot", cx: within((scale.of(row) - scale.ends[0]) / (scale.ends[1] - scale.ends[0])), cy: 5, rx: 2.2, ry: 4.6 });
  return drawn;
}

// A text with marks on words that look wrong or may be wrong, and a caret where some may be missing; places count whole characters.
const open = (gap) => gap?.tag === "BAD" || gap?.possible;
function marked(text, words, gaps, titles) {
  const characters = [...text], out = [];
  let at = 0;
  const upTo = (end) => { if (end > at) out.push(characters.slice(at, end).join("")); at = Math.max(at, end); };
  const caret = () => out.push(element("span", { class: "gap", title: t("words may be missing here") }));
  (words ?? []).forEach((word, k) => {
    if (word.start === null || word.start < at) return;
    if (open(gaps?.[k])) { upTo(word.start); caret(); }
    const wrong = word.tag === "BAD";
    if (!wrong && !word.possible) return;
    upTo(word.start);
    const name = wrong ? titles.wrong : titles.possible, share = Math.round(word.bad * 100);
    out.push(element("mark", { class: wrong ? "wrong" : "possible", title: t("{name}, {share} %", { name, share }) }, characters.slice(word.start, word.end).join("")));
    at = word.end;
  });
  upTo(characters.length);
  if (open(gaps?.at(-1))) caret();
  return out;
}

const translation = (text, row) => marked(text, row.words, row.gaps, { wrong: t("looks wrong"), possible: t("may be wrong") });
// The source with a mark on words that are not translated, or wrongly, where these are told.
const source = (row) => marked(row.source, row.source_tags, undefined, { wrong: t("looks missing or wrong in the translation"), possible: t("may be missing or wrong in the translation") });

// What warnings are called; one that is not here, of a newer server, by its code.
const WARNINGS = {
  numbers: t("numbers"), names: t("names"), negation: t("negation"), untranslated: t("untranslated"), unrelated: t("unrelated text"), length: t("length"), terminology: t("terminology"),
  placeholders: t("placeholders"), "icu-message": t("ICU message"), tags: t("tags"), links: t("addresses"), code: t("code"),
  escapes: t("escapes"), accelerators: t("accelerator"), mojibake: t("wrong encoding"), spaces: t("blanks"),
  punctuation: t("punctuation at the end"),
  "empty-source": t("no source"), "empty-translation": t("no translation"), "copied-source": t("copied from the source"),
  "wrong-language": t("wrong language"), "wrong-source-language": t("source in another language"),
  "wrong-script": t("wrong script"), "repeated-loop": t("repeated words"), "system-residue": t("software leftovers"),
};

// What a warning is called by its code.
export const warningName = (code) => WARNINGS[code] ?? code;

// Whether a row has an error; older jobs call it severe.
export const severe = (row) => (row.warnings ?? []).some((each) => ["error", "severe"].includes(each.severity));

function chip(each) {
  const expected = each.expected?.length ? t("expected: {terms}", { terms: each.expected.join(", ") }) : "";
  const said = [each.source.join(", "), each.translation.join(", "), expected].filter(Boolean).join(" / ");
  const isError = severe({ warnings: [each] });
  const name = isError ? t("{name} (error)", { name: warningName(each.code) }) : warningName(each.code);
  return element("span", { class: `chip ${isError ? "severe" : each.severity}` }, said ? t("{name}: {words}", { name, words: said }) : name);
}

// A paragraph of a segment's warnings, or none where it has none.
export const chips = (row) => (row.warnings?.length ? [element("p", { class: "chips" }, ...row.warnings.map(chip))] : []);

export function segmentRow(row, result, kind) {
  const scale = result.scale, quality = element("td", { class: "quality", "data-name": scale.title });
  const origin = element("td", { "data-name": t("Source"), dir: "auto" }), found = element("div"), tools = element("div", { class: "tools" });
  // Everything that follows from the text that stands.
  const update = () => {
    const now = standing(row), [low, high] = scale.range(now.interval);
    row.box?.classList.toggle("severe", severe(now));
    quality.replaceChildren(
      element("span", { class: "value" }, scale.write(scale.of(now))), element("span", { class: "band" }, row.band ? t(row.band) : ""), picture(now, scale),
      ...(scale.hasRanges ? [element("span", { class: "range" }, t("{low} to {high}", { low, high }))] : []));
    origin.replaceChildren(...source(now));
    found.replaceChildren(...chips(now));
    tools.querySelector(".why")?.replaceWith(why(now, row.corrected?.text ?? row.translation, result));
  };
  const [text, editing] = correctable(row, translation, tools, update);
  tools.append(why(standing(row), row.corrected?.text ?? row.translation, result), editing, rating(row));
  const cell = element("td", { "data-name": t("Translation") }, text, found, tools);
  row.box = element("tr", { class: severe(standing(row)) ? `${kind} severe` : kind, tabindex: "-1", "aria-label": t("Segment {number}", row) },
    element("td", { "data-name": t("Segment") }, button(String(row.number), (event) => event.target.closest("tr").focus(), { class: "number quiet", "aria-label": t("Segment {number}", row) })),
    quality, origin, cell);
  return row.box;
}
