// How scores are said: edit rates in percent, others with two decimals.
import { number, percent } from "./page.js";

export const spoken = (value, label) => (label === "hter" ? percent(value) : number(value, 2));
