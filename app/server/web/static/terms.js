// What the form says of risk and pay: bands, what may pass unseen, a currency.
import { byId, percent, t } from "./page.js";
import { bandsOf } from "./band-lists.js";
import { numberOf } from "./numbers.js";

// Labels that are shares of words, of which 1 is all.
const SHARES = ["hter"];

function typed(name, field) {
  const text = byId(name).value;
  if (!text.trim()) return null;
  const value = numberOf(text);
  if (value === null) throw new Error(t("“{field}” needs a number. Example: 0.1 or 10 %.", { field }));
  return value;
}

// Where an error begins, in the unit of the label. Who types 30 of a share means 30 %, and would get 30 times all words.
function worst(label) {
  const value = typed("at-worst", t("A segment is an error if it is worse than")), text = byId("at-worst").value.trim();
  if (value > 1 && SHARES.includes(label) && !text.endsWith("%")) {
    throw new Error(t("{typed} means {share}, more than all words. Did you mean {typed} %? Write the number with %.", { typed: text, share: percent(value) }));
  }
  return value;
}

// Values to start from: three bands, the usual risk and a price.
const EXAMPLE = { bands: ["good 0.8 0.3", "medium 0.5 0.6", "rest 0 1"].join("\n"), "at-worst": "30 %", "error-rate": "10 %", currency: "EUR", "word-price": "0.12" };
export function fillExample() { for (const [name, value] of Object.entries(EXAMPLE)) byId(name).value = value; }

// What is asked about words that are predicted to have this label.
export function terms(label) {
  const asked = { bands: bandsOf(byId("bands").value) ?? "risk" };
  const at_worst = worst(label), rate = typed("error-rate", t("Share of errors allowed among segments without review"));
  if (rate !== null && (rate <= 0 || rate >= 1)) throw new Error(t("The share of errors must be between 0 and 1. Example: 0.1 or 10 %."));
  if (at_worst !== null || rate !== null) asked.accept = { ...(at_worst === null ? {} : { at_worst }), ...(rate === null ? {} : { error_rate: rate }) };
  const currency = byId("currency").value.trim(), price = typed("word-price", t("Full price of a word"));
  if (price !== null && !currency) throw new Error(t("Enter a currency for the price."));
  if (currency) asked.currency = currency;
  if (price !== null) asked.word_price = price;
  return asked;
}
