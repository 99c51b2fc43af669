// What the form says of risk and pay: bands, what may pass unseen, a currency. Numbers are read as people type them.
import { byId, t } from "./page.js";

// 0.8, 0,8 or 80 % as 0.8; null for what is no number, or could be two.
export function number(text) {
  const plain = text.trim().replace(/ ?%$/, ""), percent = text.trim().endsWith("%");
  if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)$/.test(plain)) return null;
  return Number(plain.replace(",", ".")) / (percent ? 100 : 1);
}

function typed(name, what) {
  const text = byId(name).value;
  if (!text.trim()) return null;
  const value = number(text);
  if (value === null) throw new Error(t("{what} is a number, such as 0.1 or 10 %.", { what }));
  return value;
}

function bands(text) {
  const all = text.split("\n").filter((line) => line.trim());
  if (!all.length) return "risk";
  return all.map((line) => {
    const cells = line.replace(/ %/g, "%").trim().split(/\s+/), numbers = cells.slice(-2).map(number);
    if (cells.length < 3 || numbers.includes(null)) throw new Error(t("A band is a name and two numbers, such as: good 0.8 0.3"));
    return { name: cells.slice(0, -2).join(" "), at_least: numbers[0], rate: numbers[1] };
  });
}

export function terms() {
  const asked = { bands: bands(byId("bands").value) };
  const worst = typed("at-worst", t("What an error is")), rate = typed("error-rate", t("The share of errors"));
  if (rate !== null && (rate <= 0 || rate >= 1)) throw new Error(t("The share of errors lies between 0 and 1: 0.1 or 10 %."));
  if (worst !== null || rate !== null) asked.accept = { ...(worst === null ? {} : { at_worst: worst }), ...(rate === null ? {} : { error_rate: rate }) };
  const currency = byId("currency").value.trim(), price = typed("word-price", t("The price of a word"));
  if (price !== null && !currency) throw new Error(t("A price needs a currency."));
  if (currency) asked.currency = currency;
  if (price !== null) asked.word_price = price;
  return asked;
}
