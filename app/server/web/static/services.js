// A source without a translation, which services of the operator translate: one service, or all of them in a ranking.
import { byId, t } from "./page.js";

const ALL = "*";

// The lines of a source alone, without empty ones, where it was pasted without a translation and a service was chosen; null otherwise.
export function sourceAlone() {
  const source = byId("source").value;
  return byId("service")?.value && source.trim() && !byId("translation").value.trim() ? source.split("\n").filter((line) => line.trim()) : null;
}

// A job of sources; `params` are those of a quality job.
export function jobOfSources(sources, params) {
  if (!params.source_language) throw new Error(t("Choose the languages: a source alone does not show the target language."));
  const chosen = byId("service").value;
  if (chosen !== ALL) return { kind: "quality", params: { ...params, sources, translate: chosen } };
  const { source_language, target_language, label, profile, model } = params;
  const translate = [...byId("service").options].map((option) => option.value).filter((name) => name && name !== ALL);
  return { kind: "rank", params: { source_language, target_language, label, ...(profile && { profile }), ...(model && { model }), warnings: true, sources, translate } };
}
