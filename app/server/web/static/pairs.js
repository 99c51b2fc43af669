// The choice of languages, and what is said of those that are not here, as a file says them or its words look.
import { byId, languageName, languagesOf, pairName, t } from "./page.js";

const OTHER = "other";
// The pair of models that answer for every pair.
export const ANY = "any-any";

// Whether languages are to be typed, because nothing was built for them.
export const typed = () => byId("pair").value === OTHER;

const base = (tag) => tag.toLowerCase().split("-")[0];

// Shows where languages are typed where they are to be; `then` is called after every choice.
export function languageChoice(then = () => {}) {
  const others = byId("others"), shown = () => { if (others) others.hidden = !typed(); then(); };
  byId("pair").addEventListener("change", shown);
  others?.addEventListener("change", shown);
  return shown;
}

// A tag as it is, also for a name in the page's language, in English or in the language itself.
export function tagOf(words) {
  const name = words.toLowerCase();
  return [...byId("languages").options].find((option) => [option.textContent.toLowerCase(), ...option.dataset.names.split("|")].includes(name))?.value ?? words;
}

// The pair of the choice as models name it; empty where the texts are to say it.
export const chosenPair = () => typed() ? ["from", "to"].map((id) => base(tagOf(byId(id).value.trim()))).join("-") : byId("pair").value;

// Whether something was built for a pair.
export const isBuilt = (pair) => [...byId("pair").options].some((option) => option.value === pair && option.hasAttribute("data-pair-title"));

// The languages that were chosen or typed, as fields of a request; none where the texts are to say them.
export function chosenLanguages() {
  if (!typed()) {
    const { source, target } = byId("pair").selectedOptions[0].dataset;
    return source ? { source_language: source, target_language: target } : {};
  }
  const [source_language, target_language] = ["from", "to"].map((id) => tagOf(byId(id).value.trim()));
  if (!source_language || !target_language) throw new Error(t("Enter both languages, for example en and fr."));
  return { source_language, target_language };
}

// The chosen or typed pair by its names; null while a language is not typed yet.
export function namedPair() {
  const chosen = byId("pair").selectedOptions[0];
  if (!typed()) return chosen.textContent;
  const tags = ["from", "to"].map((id) => tagOf(byId(id).value.trim()));
  return tags.every(Boolean) ? pairName(...tags) : null;
}

// Sentences for texts that look like another language than the chosen one; none where a text shows no language.
export function differing(about) {
  const chosen = typed() ? ["from", "to"].map((id) => tagOf(byId(id).value.trim())) : languagesOf(byId("pair").value);
  const says = [(language) => t("the source looks like {language}", { language }), (language) => t("the translation looks like {language}", { language })];
  return ["source_language", "target_language"].flatMap((side, k) => {
    const seen = about[side] ?? about.looks_like[side];
    return seen && chosen[k] && base(seen) !== base(chosen[k]) ? [says[k](languageName(seen))] : [];
  });
}

// The pair that texts would be (`about` is the server's answer of them); null where nothing says it.
function looksLike(about) {
  const [source, target] = ["source_language", "target_language"].map((side) => about[side] ?? about.looks_like[side]);
  return source && target ? [source, target] : null;
}

// Whether only the other direction is here, as when a translation was taken for its source.
export function turned(about) {
  const pair = looksLike(about);
  return pair !== null && [...byId("pair").options].some((option) => option.value && languagesOf(option.value).map(base).join() === [...pair].reverse().map(base).join());
}

// Whether a language is one of a listed pair, or of those that any two make a pair of.
function isKnown(tag) {
  const listed = [...byId("pair").options].flatMap(({ dataset }) => [dataset.source, dataset.target].filter(Boolean));
  return [...listed, ...[...(byId("languages")?.options ?? [])].map(({ value }) => value)].map(base).includes(base(tag));
}

// The sentence for a pair that is not here; `sides` says that source and translation are two texts, which may be swapped.
export function notHere(about, sides) {
  // A listed pair would be a wrong one for a language that nothing here knows.
  const unknown = (tags) => languageName(["source_language", "target_language"].map((side) => tags[side]).find((tag) => tag && !isKnown(tag)) ?? "");
  if (unknown(about)) return t("No model here knows {language}.", { language: unknown(about) });
  if (unknown(about.looks_like)) return t("This looks like {language}, a language that no model here knows.", { language: unknown(about.looks_like) });
  const pair = looksLike(about);
  if (!pair) return t("Choose the languages; they could not be detected.");
  const names = { pair: pairName(...pair), turned: pairName(pair[1], pair[0]) };
  return sides && turned(about) ? t("{pair} is not available here, but {turned} is: are source and translation swapped?", names)
    : t("{pair} is not available here.", names);
}
