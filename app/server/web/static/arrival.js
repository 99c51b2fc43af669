// When something is expected to end: told from estimates that jump, in a way that comes nearer and never goes back.
import { t } from "./page.js";

const SMOOTHING = 0.3, MINUTE = 60;

// A teller for one thing: from the seconds that the server expects to those that are told, `now` being in seconds.
export function arrival() {
  let end = null, told = Infinity;
  return (seconds, now) => {
    if (seconds === null || seconds === undefined) { end = null; told = Infinity; return null; }
    end = end === null ? now + seconds : end + SMOOTHING * (now + seconds - end);
    told = Math.max(0, Math.min(told, end - now));
    return told;
  };
}

// The seconds as people say them; nothing at the very end.
export function left(seconds) {
  if (seconds === null || seconds < 0.5) return "";
  if (seconds > 1.5 * MINUTE) return t("about {count, plural, one {# minute} other {# minutes}} left", { count: Math.ceil(seconds / MINUTE) });
  return t("about {count, plural, one {# second} other {# seconds}} left", { count: Math.ceil(seconds) });
}
