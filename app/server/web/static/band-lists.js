// Bands as people type them: one a line, as `good 0.8 0.3`, or as the shell has them, `good=0.8:0.3;rest=0:1`, which
// app/planning/band_lists.py reads. What is wrong is said in the page's own words.
import { t } from "./page.js";
import { numberOf } from "./numbers.js";

const MOST_RATE = 10;

// The bands that a text lists, as requests have them; null where it lists none.
export function bandsOf(text) {
  const bands = pieces(text).map(bandOf);
  if (!bands.length) return null;
  check(bands);
  return bands;
}

// One text a band: lines and semicolons separate, and so does a comma before a NAME=; any other comma is a decimal one.
const pieces = (text) => text.split(/[\n;]/).flatMap((line) => line.split(/,(?=[^,=]*=)/)).filter((piece) => piece.trim());

function bandOf(text) {
  const at = text.lastIndexOf("="), plain = text.replace(/ %/g, "%").trim();
  const cells = at < 0 ? plain.split(/\s+/) : [text.slice(0, at).trim(), ...text.slice(at + 1).split(":")];
  const numbers = (at < 0 ? cells.slice(-2) : cells.slice(1)).map(numberOf), name = at < 0 ? cells.slice(0, -2).join(" ") : cells[0];
  // Without a rate, words are paid in full, as in the shell.
  const [from, rate = 1] = numbers;
  if (!name || numbers.includes(null) || numbers.length > 2 || (at < 0 && cells.length < 3)) throw new Error(t("Write a band as a name and two numbers. Example: good 0.8 0.3"));
  return { name, at_least: from, rate };
}

function check(bands) {
  for (const { name, at_least, rate } of bands) {
    if (at_least < 0 || at_least > 1) throw new Error(t("Band {name}: the lowest quality must be between 0 and 1. Example: 0.8 or 80 %.", { name }));
    if (rate < 0 || rate > MOST_RATE) throw new Error(t("Band {name}: the share of the word price must be between 0 and {most}. Example: 0.3 or 30 %.", { name, most: MOST_RATE }));
  }
  bands.slice(1).forEach((band, k) => {
    if (band.at_least >= bands[k].at_least) throw new Error(t("Write the best band first: {name} must start below {before}.", { name: band.name, before: bands[k].name }));
  });
  const last = bands[bands.length - 1], twice = bands.find((band, k) => bands.findIndex((other) => other.name === band.name) < k);
  if (last.at_least !== 0) throw new Error(t("The last band, {name}, must start at 0, so that every segment has a band.", last));
  if (twice) throw new Error(t("Two bands have the name {name}. Rename one of them.", twice));
  if (last.rate === 0) throw new Error(t("The last band needs a rate above 0: segments that need review must be paid."));
}
