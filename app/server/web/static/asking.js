// A question before something is done that cannot be undone.
import { button, element, t } from "./page.js";

// Whether somebody agreed; the focus goes back to where it was.
export function agreed(question, yes) {
  const dialog = element("dialog", { "aria-labelledby": "question" }, element("p", { id: "question" }, question));
  const answer = (value) => () => dialog.close(value);
  dialog.append(element("p", { class: "answers" }, button(yes, answer("yes"), { class: "danger" }), button(t("Keep it"), answer(""), { autofocus: true })));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue === "yes"); });
  });
}
