// What every page needs: elements, texts in the reader's language, calls to the server.
import { fill } from "./messages.js";

const texts = JSON.parse(document.getElementById("messages").textContent);
// The page's language, as <html lang> says it: texts, plural forms, numbers and days are all of it.
export const language = document.documentElement.lang;
const plurals = new Intl.PluralRules(language), days = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const written = { number, plural: (count) => plurals.select(count) };

export const byId = (id) => document.getElementById(id);

// A text of the page in the reader's language; {name} in it is filled from `places`, and {name, plural, …} by a count.
export function t(text, places = {}) {
  return fill(texts[text] ?? text, places, written);
}

// A number as the language writes it, with so many digits after its point, or as many as are needed and three at most.
export function number(value, digits) {
  const exactly = digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, exactly).format(value);
}

export const percent = (share, digits = 0) => t("{share} %", { share: number(100 * share, digits) });

const languages = new Intl.DisplayNames(language, { type: "language" });

// The name of a language in the page's own; a tag that has none as it is.
export function languageName(tag) {
  try { return languages.of(tag); } catch { return tag; }
}

export const pairName = (source, target) => `${languageName(source)} → ${languageName(target)}`;

// The languages of a pair as it is written: ro-en, or en-US:zh-CN.
export const languagesOf = (pair) => pair.split(pair.includes(":") ? ":" : "-");

const pairTitle = (pair) => `${pairName(...languagesOf(pair))} (${pair})`;
for (const each of document.querySelectorAll("[data-pair-title]")) each.textContent = pairTitle(each.dataset.pairTitle);

export const moment = (iso) => days.format(new Date(iso));

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export function button(text, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", act);
  return made;
}

// A row of a table: the first cell is its header, numbers stand to the right.
export function tableRow(cells) {
  return element("tr", {}, ...cells.map((cell, k) => {
    const numeric = typeof cell === "number" || (k > 0 && typeof cell === "string" && /^[−+-]?[\d.,\s]+(?:E[−-]?\d+)?%?$|^–$/.test(cell));
    return element(k ? "td" : "th", { ...(k ? {} : { scope: "row" }), ...(numeric ? { class: "number" } : {}) }, typeof cell === "number" ? number(cell) : cell);
  }));
}

// A table whose rows are blocks on a narrow screen: each cell knows its heading, and all of it stays a table for who hears it.
export function labelled(table) {
  const headings = [...table.tHead.rows[0].cells].map((cell) => cell.textContent), roles = { col: "columnheader", row: "rowheader" };
  table.setAttribute("role", "table");
  for (const part of [table.tHead, ...table.tBodies, table.tFoot].filter(Boolean)) part.setAttribute("role", "rowgroup");
  for (const row of table.rows) {
    row.setAttribute("role", "row");
    [...row.cells].forEach((cell, k) => {
      cell.setAttribute("role", roles[cell.scope] ?? "cell");
      if (row.parentElement !== table.tHead) cell.dataset.name = headings[k];
    });
  }
}

export function complain(text) {
  const problem = byId("problem");
  problem.textContent = text;
  problem.hidden = !text;
  if (text) problem.scrollIntoView({ block: "nearest" });
}

// Where a problem is, as people count. Details are written by what failed, in English; the problem's title is in the catalogue.
export function explain(body) {
  const found = /^segments\.(\d+)\.(\w+)/.exec(body.where || "");
  // A job's error begins with the place among its sources, which start at 0.
  const said = body.detail?.replace(/^sources\.\d+: /, "");
  const detail = body.title in texts ? `${t(body.title)} (${said})` : said;
  return found ? t("Segment {number}, {field}: {detail}", { number: Number(found[1]) + 1, field: found[2], detail }) : detail;
}

// A request with what a session's changes need; a page of another origin cannot know it.
export function send(address, options = {}) {
  const csrf = document.querySelector('meta[name="csrf"]');
  return fetch(address, csrf ? { ...options, headers: { ...options.headers, "X-Assay-CSRF": csrf.content } } : options);
}

export class Problem extends Error {}

// The JSON that an address answers; a Problem with the server's words otherwise.
export async function ask(address, options = {}) {
  const { json, ...rest } = options;
  if (json !== undefined) Object.assign(rest, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(json) });
  let answer;
  try { answer = await send(address, rest); } catch { throw new Problem(t("The server did not answer. Nothing was lost; try again.")); }
  const body = await answer.json().catch(() => ({ detail: t("The server sent an unexpected answer ({status}).", { status: answer.status }) }));
  if (!answer.ok) throw Object.assign(new Problem(explain(body)), { status: answer.status, current: body.current, where: body.where ?? "" });
  return body;
}

// A plot that the server draws of these numbers, put into an image with its description.
export async function plot(image, address, numbers, description) {
  const answer = await send(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(numbers) });
  if (!answer.ok) { image.hidden = true; return; }
  if (image.src.startsWith("blob:")) URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(await answer.blob());
  image.alt = description;
  image.hidden = false;
}

export function show(names, name) {
  for (const section of names) byId(section).hidden = section !== name;
  const title = byId(`${name}-title`);
  if (name !== names[0] && title) title.focus();
}

// Lines of a text file: by line feeds alone, a carriage return at their end dropped, as the server reads them.
export function lines(text) {
  const all = text.replace(/^\ufeff/, "").split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (all.length && all[all.length - 1] === "") all.pop();
  return all;
}

export const stem = (name) => name.replace(/\.[^.]*$/, "") || name;

// The switch of languages keeps the address that the page has now, which a script may have changed.
for (const link of document.querySelectorAll(".languages a")) {
  link.addEventListener("click", () => {
    const address = new URL(location.href);
    address.searchParams.set("lang", link.lang);
    link.href = address.pathname + address.search + address.hash;
  });
}
