import { relativeTime } from "../components/figures.ts";

const AGAIN_MS = 15_000;

/** Keeps relative times right, and shows the exact one in the reader's own zone. */
export function keepTimes(): void {
  setTimes(document);
  setInterval(() => {
    if (!document.hidden) setTimes(document);
  }, AGAIN_MS);
}

export function setTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.title = at.toLocaleString();
    const text = relativeTime(at.getTime(), Date.now());
    if (time.textContent !== text) time.textContent = text;
  }
}
