// What is said of languages that are not here, as a file says them or its words look.
import { byId, languagesOf, pairName, t } from "./page.js";

const base = (tag) => tag.toLowerCase().split("-")[0];

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

// The sentence for a pair that is not here; `sides` says that source and translation are two texts, which may be swapped.
export function notHere(about, sides) {
  const pair = looksLike(about);
  if (!pair) return t("Choose the languages; these words are not known here.");
  const names = { pair: pairName(...pair), turned: pairName(pair[1], pair[0]) };
  return sides && turned(about) ? t("{pair} is not here, but {turned} is: are source and translation swapped?", names)
    : t("{pair} is not here; choose among the languages that are", names);
}
