// A file with several translations of each source: what was read from it, said before and after it is ranked.
import { element, number, t } from "./page.js";

const REASONS = {
  name: t("by its name"), language: t("in another language"), numbers: t("it holds numbers"), words: t("it holds no sentences"),
  empty: t("it is empty"), assay: t("it was written by Assay"),
};
const OMISSIONS = {
  reference: (count) => t("{count, plural, one {# alternative is only for reference and is left out.} other {# alternatives are only for reference and are left out.}}", { count }),
  language: (count) => t("{count, plural, one {# alternative is in another language and is left out.} other {# alternatives are in another language and are left out.}}", { count }),
  part: (count) => t("{count, plural, one {# alternative translates no segment as a whole and is left out.} other {# alternatives translate no segment as a whole and are left out.}}", { count }),
  assay: (count) => t("{count, plural, one {# alternative was written by Assay and is left out.} other {# alternatives were written by Assay and are left out.}}", { count }),
  empty: (count) => t("{count, plural, one {# alternative has no text and is left out.} other {# alternatives have no text and are left out.}}", { count }),
};
const SHOWN = 20;

// Without a heading, a system has the name of its column.
const called = ({ column, name }) => (name && name !== `column ${column}` ? t("column {column}, {name}", { column, name }) : t("column {column}", { column }));

function columns(reading) {
  const heading = reading.heading === null ? t("no header") : t("line {line} is a header", { line: reading.heading });
  const texts = t("source: {source}; translation: {translation}", { source: called(reading.source), translation: reading.translations.map(called).join("; ") });
  const place = reading.unclear ? t("The source was found by its position. If it is another column, name that one source.") : "";
  return [`${t("Read as:")} ${t("{first}; {next}", { first: heading, next: texts })}`, place,
    ...reading.left_out.map((each) => t("Left out, {reason}: {column}", { reason: REASONS[each.reason] ?? each.reason, column: called(each) }))];
}

// Sentences on a file with candidates: its columns or alternatives, and everything that has no translation of some system.
export function readAs(candidates) {
  const { systems, incomplete, single, skipped, skipped_lines: lines } = candidates;
  const said = systems.map((each) => t("{system} ({count})", { system: each.system, count: number(each.segments) })).join(", ");
  return [
    ...(candidates.reading ? columns(candidates.reading) : []),
    t("Translations by system: {systems}", { systems: said }),
    incomplete ? t("{count, plural, one {# segment lacks a translation of some system, which has no rank there.} other {# segments lack a translation of some system, which has no rank there.}}", { count: incomplete }) : "",
    single ? t("{count, plural, one {# segment has only one translation.} other {# segments have only one translation.}}", { count: single }) : "",
    skipped ? t("{count, plural, one {# row or unit without any translation is left out, in line {lines}.} other {# rows or units without any translation are left out, in lines {lines}.}}", { count: skipped, lines: lines.join(", ") + (skipped > SHOWN ? " …" : "") }) : "",
    ...Object.entries(candidates.left_out).map(([reason, count]) => OMISSIONS[reason]?.(count) ?? `${reason}: ${count}`),
  ].filter(Boolean);
}

// The sentences as a list.
export const list = (sentences) => element("ul", { class: "read" }, ...sentences.map((each) => element("li", { dir: "auto" }, each)));
