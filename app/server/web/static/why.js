// Why a segment has its score, asked for when it is opened: few people want it of every segment.
import { ask, element, explain, t } from "./page.js";

const PARTS = 6;
let descriptions = null;

// A reason in words, with the phrases that it is about, the source's before the translation's.
function reason(each) {
  const quoted = (phrases) => phrases.map((phrase) => element("q", { dir: "auto" }, phrase));
  const words = [...quoted(each.source), ...(each.source.length && each.translation.length ? [" / "] : []), ...quoted(each.translation)];
  const spaced = words.flatMap((word, k) => (k && word !== " / " && words[k - 1] !== " / " ? [", ", word] : [word]));
  const text = t(each.text), name = text[0].toLocaleUpperCase() + text.slice(1);
  // A colon stands as the language writes it.
  return element("li", {}, ...(spaced.length ? [t("{name}: {words}", { name, words: "" }), ...spaced] : [name]));
}

async function parts(told, scale) {
  descriptions ??= ask("/v1/features/catalogue").then((all) => new Map(all.features.map((each) => [each.id, each.description])));
  const there = await descriptions, start = told.explanation.baseline;
  const sign = (by) => { const moved = scale.moved(start, by); return `${moved < 0 ? "−" : "+"}${scale.write(Math.abs(moved))}`; };
  return [element("li", { class: "base" }, t("An average segment: {score}", { score: scale.say(start) })),
    ...told.segments[0].contributions.slice(0, PARTS).map((part) => element("li", {}, element("b", {}, sign(part.contribution)), ` ${there.get(part.feature) ?? part.name}`))];
}

// Why a text has its score as the translation of a row's source.
export function why(row, translation, result) {
  const list = element("ul", { class: "reasons" }), terms = element("ul", { class: "parts" });
  const inner = element("details", { class: "terms", hidden: true }, element("summary", {}, t("Influence of each feature on the score")), terms);
  const box = element("details", { class: "why", dir: "ltr" }, element("summary", {}, t("Why this score?")), list, inner);
  box.addEventListener("toggle", async () => {
    if (!box.open || list.childElementCount) return;
    const { source_language, target_language } = result;
    const json = { source_language, target_language, model: result.model, explain: true, segments: [{ source: row.source, translation }] };
    try {
      const told = await ask("/v1/quality", { json }), reasons = told.segments[0].reasons;
      list.replaceChildren(...(reasons.length ? reasons.map(reason) : [element("li", {}, row.words ? t("Nothing stands out: no word, number or length looks wrong.") : t("Nothing stands out: no number or length looks wrong. Words are not checked for these languages."))]));
      terms.replaceChildren(...await parts(told, result.scale));
      inner.hidden = false;
    } catch (problem) { list.replaceChildren(element("li", {}, problem.message ?? explain(problem))); }
  });
  return box;
}
