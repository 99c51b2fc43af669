// Ratings of translations by a person, 0 to 100, kept in this browser until they are saved as a table of labels.
import { byId, element, t } from "./page.js";
import { tsv } from "./tables.js";

let key = "", ratings = {};

const rate = (number, text) => {
  const value = Number(text);
  if (text.trim() && value >= 0 && value <= 100) ratings[number] = value; else delete ratings[number];
  localStorage.setItem(key, JSON.stringify(ratings));
};

// Opens the ratings of a job; `rows` are its segments.
export function openRatings(job, rows) {
  key = `ratings:${job}`;
  try { ratings = JSON.parse(localStorage.getItem(key)) ?? {}; } catch { ratings = {}; }
  const show = () => { byId("segments").classList.toggle("rated", byId("rating").checked); byId("rated").hidden = !byId("rating").checked; offer(); };
  const offer = () => {
    const lines = rows.filter((row) => row.number in ratings).map((row) => [row.source, row.translation, ratings[row.number]]);
    const link = byId("ratings");
    if (link.href) URL.revokeObjectURL(link.href);
    if (lines.length) link.href = URL.createObjectURL(new Blob([tsv([["source", "translation", "da"], ...lines])], { type: "text/tab-separated-values;charset=utf-8" }));
    else link.removeAttribute("href");
    byId("rated-count").textContent = t("{count, plural, one {# segment} other {# segments}} rated", { count: lines.length });
  };
  byId("rating").checked = Object.keys(ratings).length > 0;
  byId("rating").onchange = show;
  byId("segments").addEventListener("change", (event) => { if (event.target.matches(".rate input")) offer(); });
  show();
}

// The field for the rating of a segment's translation; shown while segments are rated.
export function rating(row) {
  const field = element("input", { type: "number", min: 0, max: 100, step: 1, value: ratings[row.number] ?? "" });
  field.addEventListener("input", () => rate(row.number, field.value));
  return element("label", { class: "rate" }, t("Rating of the original translation, 0 to 100"), " ", field);
}
