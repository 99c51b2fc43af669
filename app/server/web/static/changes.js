// What leads its list now and did not before, segment by segment: the decoder's first hypothesis beside the chosen one.
import { byId, element, language, number, t } from "./page.js";
import { differing } from "./differences.js";

const PAGE = 30, MOST_REASONS = 6, SCORED = ["gain", "loss"];
const ORDERS = { gain: (a, b) => b.gain - a.gain, loss: (a, b) => a.gain - b.gain, far: (a, b) => b.place - a.place, document: (a, b) => a.segment - b.segment };
let all = [], rows = [], shown = 0, score = String;

// Shows these rows, each with `segment`, `first`, `chosen` and `place`, scores where there were references; `write` writes a score.
export function showChanges(segments, write) {
  [all, score] = [segments, write];
  const scored = all.some((row) => row.gain !== undefined), order = byId("order");
  for (const option of order.options) option.hidden = option.disabled = SCORED.includes(option.value) && !scored;
  if (order.selectedOptions[0].disabled) order.value = "far";
  refresh();
}

function refresh() {
  const changed = all.filter((row) => row.place > 1), places = { changed: changed.length, total: all.length };
  const better = changed.filter((row) => row.gain > 0).length, worse = changed.filter((row) => row.gain < 0).length;
  byId("balance").textContent = all.some((row) => row.gain !== undefined)
    ? t("Changed: {changed} of {total}; better {better}, worse {worse}.", { ...places, better, worse }) : t("Changed: {changed} of {total}.", places);
  rows = changed.sort(ORDERS[byId("order").value]);
  shown = 0;
  byId("segments").replaceChildren();
  more();
}

// Weights may be of any size, and so is what they add.
const digits = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 }), powers = new Intl.NumberFormat(language, { notation: "scientific", maximumFractionDigits: 1 });
const signed = (value) => `${value < 0 ? "−" : "+"}${(Math.abs(value) < 0.0001 || Math.abs(value) >= 100000 ? powers : digits).format(Math.abs(value))}`;

function candidate(about, text, attributes = {}) {
  return element("li", attributes, element("span", { class: "who" }, about.filter(Boolean).join(" · ")), element("span", { dir: "auto", class: "text" }, ...text));
}

// What features add to the score of the chosen hypothesis beyond what they add to the first one's.
function reasons(row) {
  if (!row.moved?.length) return [];
  const left = row.moved.length - MOST_REASONS;
  // Where expected scores decided, weights only say how likely it is.
  const about = row.chosen_expected === undefined ? t("Why it moved up:") : t("Difference in weighted features:");
  return [element("p", { class: "moved" }, element("span", { class: "hint" }, about), " ",
    ...row.moved.slice(0, MOST_REASONS).flatMap((part) => [element("span", { class: `chip ${part.contribution < 0 ? "against" : "for"}` }, element("bdi", {}, part.feature), ` ${signed(part.contribution)}`), " "]),
    ...(left > 0 ? [element("span", { class: "hint" }, t("and {count, plural, one {# feature} other {# features}} more", { count: left }))] : []))];
}

function segment(row) {
  const [first, chosen] = row.first === undefined ? [[], [row.chosen]] : differing(row.first, row.chosen);
  const before = row.first_score === undefined ? "" : score(row.first_score), after = row.chosen_score === undefined ? "" : score(row.chosen_score);
  const expected = (value) => (value === undefined ? "" : t("expected score {score}", { score: number(value, 2) }));
  const gained = row.gain ? t("gain {gain}", { gain: `${row.gain < 0 ? "−" : "+"}${score(Math.abs(row.gain))}` }) : "";
  return element("li", { value: String(row.segment + 1) },
    ...(row.source === undefined ? [] : [element("p", { dir: "auto", class: "given" }, row.source)]),
    element("ol", { class: "candidates" },
      ...(row.first === undefined ? [] : [candidate([t("first hypothesis"), before, expected(row.first_expected)], first)]),
      candidate([t("chosen, formerly number {place}", { place: row.place }), after, gained, expected(row.chosen_expected)], chosen, row.gain > 0 ? { class: "winner" } : {}),
      ...(row.references ?? []).map((text) => candidate([t("reference")], [text]))),
    ...reasons(row));
}

function more() {
  byId("segments").append(...rows.slice(shown, shown + PAGE).map(segment));
  shown += PAGE;
  byId("more").hidden = shown >= rows.length;
}

byId("order").addEventListener("change", refresh);
byId("more").addEventListener("click", more);
