// Lists of chosen text files, with their names as the names of systems.
import { byId, button, element, stem, t } from "./page.js";

// Keeps the files of an input; `most` of them, each name once.
export function chooser(id, most, changed = () => {}) {
  const input = byId(id), list = byId(`${id}-chosen`), zone = input.closest(".drop");
  let files = [];
  function take(chosen) {
    // A file that was chosen again may have changed, so the last one of a name stays.
    files = [...new Map([...(most > 1 ? files : []), ...chosen].map((file) => [file.name, file])).values()].slice(-most);
    draw();
    changed();
  }
  function draw() {
    list.replaceChildren(...files.map((file) => element("li", {}, file.name, " ", button(t("Remove"), () => { files = files.filter((each) => each !== file); draw(); changed(); input.focus(); }, { class: "quiet", "aria-label": t("Remove {name}", { name: file.name }) }))));
  }
  input.addEventListener("change", () => { take(input.files); input.value = ""; });
  for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files); });
  return { most, put: (file) => take([file]), files: () => files, names: () => unique(files.map((file) => stem(file.name))) };
}

function unique(names) {
  const seen = new Map();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name}-${count}` : name;
  });
}
