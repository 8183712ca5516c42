const AGAIN_MS = 15_000;
const UNITS: [seconds: number, name: string][] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];
const NOW_WITHIN_SECONDS = 5;

/** Keeps relative times right, and tells the exact one in the reader's own zone. */
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
    const text = relative((Date.now() - at.getTime()) / 1_000);
    if (time.textContent !== text) time.textContent = text;
  }
}

function relative(seconds: number): string {
  const length = Math.abs(seconds);
  if (length < NOW_WITHIN_SECONDS) return "just now";
  const [unit, name] = UNITS.find(([of]) => length >= of) ?? [1, "second"];
  const number = Math.floor(length / unit);
  const words = `${number} ${name}${number === 1 ? "" : "s"}`;
  return seconds < 0 ? `in ${words}` : `${words} ago`;
}
