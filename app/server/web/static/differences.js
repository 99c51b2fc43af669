// Words in which two texts differ, found by their longest common part.
import { element } from "./page.js";

const LONGEST = 400;

// Both texts as pieces of a page, what the other has not in a mark.
export function differing(one, other) {
  const a = one.split(/(\s+)/), b = other.split(/(\s+)/);
  if (a.length > LONGEST || b.length > LONGEST) return [[one], [other]];
  const width = b.length + 1, length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1 : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const left = [], right = [];
  const put = (side, word, same) => side.push(same || !word.trim() ? word : element("mark", { class: "different" }, word));
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { put(left, a[i], true); put(right, b[j], true); i += 1; j += 1; }
    else if (j >= b.length || (i < a.length && length[(i + 1) * width + j] >= length[i * width + j + 1])) { put(left, a[i], false); i += 1; }
    else { put(right, b[j], false); j += 1; }
  }
  return [left, right];
}
