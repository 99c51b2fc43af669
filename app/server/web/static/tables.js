// Tables that leave the page as text.

// A cell that a spreadsheet would run gets an apostrophe, as in the server's tables.
const inert = (cell) => (/^[\s"]*[=+@\-＝＋＠－]/.test(cell) && !/^[+-]?[\d.,]+$/.test(cell) ? `'${cell}` : cell);

export const csv = (rows) => rows.map((row) => row.map((cell) => `"${inert(String(cell ?? "")).replaceAll('"', '""')}"`).join(",")).join("\r\n");

// Lines for programs: the cells as they are, without the characters that separate them.
export const tsv = (rows) => rows.map((row) => `${row.map((cell) => String(cell).replace(/[\t\r\n]/g, " ")).join("\t")}\n`).join("");

// Copies a text; without leave to use the clipboard, by way of a selection.
export async function copyText(text) {
  try { await navigator.clipboard.writeText(text); return; } catch { /* by way of a selection */ }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
