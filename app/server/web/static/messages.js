// Texts with places to fill, as ICU's MessageFormat has them: {name}, and {name, plural, one {# file} other {# files}}.
// What is read here is what app/web/messages.py reads.

function closing(text, opened) {
  let depth = 0;
  for (let at = opened; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    else if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function formsOf(text) {
  const forms = {};
  let at = 0;
  for (;;) {
    const opened = text.indexOf("{", at), end = opened < 0 ? -1 : closing(text, opened);
    if (end < 0) return forms;
    forms[text.slice(at, opened).trim()] = text.slice(opened + 1, end);
    at = end + 1;
  }
}

// The text with its places filled: `language` says categories of counts and writes numbers.
export function fill(text, places, language, counted) {
  const said = (value) => (typeof value === "number" ? language.number(value) : String(value));
  let out = "";
  for (let at = 0; at < text.length; at += 1) {
    const end = text[at] === "{" ? closing(text, at) : -1;
    if (text[at] === "#" && counted !== undefined) out += said(counted);
    else if (end > 0) { out += filled(text.slice(at, end + 1)); at = end; }
    else out += text[at];
  }
  return out;

  function filled(written) {
    const [name, kind, ...forms] = written.slice(1, -1).split(",").map((part, k) => (k < 2 ? part.trim() : part));
    if (!Object.hasOwn(places, name)) return written;
    if (kind !== "plural") return said(places[name]);
    const by = formsOf(forms.join(","));
    const form = by[typeof places[name] === "number" ? language.plural(places[name]) : "other"] ?? by.other ?? "";
    return fill(form, places, language, places[name]);
  }
}
