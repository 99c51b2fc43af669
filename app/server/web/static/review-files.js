// The request of a review from the files that were chosen: their paths, sources and earlier texts.
import { Problem, t } from "./page.js";

const LATIN_1 = ".properties";

// Text of a file in UTF-8 or UTF-16; Java's properties may be Latin-1.
async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => { throw new Problem(t("{name} changed after you chose it. Choose it again.", { name: file.name })); }));
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  try { return new TextDecoder(wide, { fatal: true }).decode(bytes); } catch {
    if (file.name.endsWith(LATIN_1)) return new TextDecoder("iso-8859-1").decode(bytes);
    throw new Problem(t("{name} is no text in UTF-8 or UTF-16.", { name: file.name }));
  }
}

// A request, and the paths of the translations in it. A name that is a source's too gets the language before it, as a folder.
export async function reviewRequest({ sources, translations, earlier }, source, target) {
  const names = new Set(sources.map((file) => file.name));
  const pathOf = (file) => {
    if (!names.has(file.name)) return file.name;
    if (!target) throw new Problem(t("Enter the target language: {name} does not say it.", { name: file.name }));
    return `${target}/${file.name}`;
  };
  // One source is the source of all; several are found by their names.
  const sourceOf = (file) => (names.has(file.name) ? file.name : sources.length === 1 ? sources[0].name : undefined);
  const old = earlierOf(sources, translations, earlier);
  const row = async (file, path, rest) => ({ path, text: await textOf(file), ...(old.has(file) ? { old_text: await textOf(old.get(file)) } : {}), ...rest });
  const paths = translations.map(pathOf);
  const files = await Promise.all([...sources.map((file) => row(file, file.name, {})),
    ...translations.map((file, k) => row(file, paths[k], { source: sourceOf(file), ...(target ? { language: target } : {}) }))]);
  return [{ source_language: source, files, compare: earlier.length > 0 }, paths];
}

// Earlier versions by file, found by their names; a single one belongs to a single translation.
function earlierOf(sources, translations, earlier) {
  const old = new Map(), left = [];
  for (const version of earlier) {
    const file = [...translations, ...sources].find((each) => each.name === version.name && !old.has(each));
    if (file) old.set(file, version); else left.push(version);
  }
  const open = translations.filter((file) => !old.has(file));
  if (left.length === 1 && open.length === 1) old.set(open[0], left[0]);
  else if (left.length) throw new Problem(t("{name} is an earlier version of no chosen file: give both files one name.", { name: left[0].name }));
  return old;
}
