import { filesIn, type Dropped } from "./dropped-files.ts";

/** Uploads at a time: browsers open six connections to one host. */
const AT_ONCE = 4;
const FAILURES_SHOWN = 20;

/** Places (`data-drop`: the address that files are put below) take files and whole folders. */
export function addDropPlaces(): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-drop]")) addPlace(place);
}

function addPlace(place: HTMLElement): void {
  place.classList.add("ready");
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    if (event.dataTransfer !== null) void filesIn(event.dataTransfer).then(upload(place));
  });
  const form = place.querySelector("form");
  form?.addEventListener("submit", (event) => {
    const inputs = [...place.querySelectorAll<HTMLInputElement>("input[type=file]")];
    const files = inputs.flatMap((input) => Array.from(input.files ?? []));
    const chosen = files.map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    if (chosen.length === 0) return;
    event.preventDefault();
    void upload(place)(chosen);
  });
}

type Progress = { done: number; failed: string[]; total: number };

const upload = (place: HTMLElement) => async (files: Dropped[]) => {
  const progress: Progress = { done: 0, failed: [], total: files.length };
  const waiting = [...files];
  show(place, progress);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const problem = await put(place.dataset["drop"] ?? "", next);
      progress.done += 1;
      if (problem !== null) progress.failed.push(`${next.path}: ${problem}`);
      show(place, progress);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (progress.failed.length === 0 && files.length > 0) location.reload();
};

/** What went wrong; null: it is stored. */
async function put(below: string, { path, file }: Dropped): Promise<string | null> {
  const address = `${below}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const headers = { "Content-Type": file.type || "application/octet-stream" };
  try {
    const answer = await fetch(address, { method: "PUT", body: file, headers });
    return answer.ok ? null : await errorIn(answer);
  } catch {
    return "the connection failed";
  }
}

async function errorIn(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const said: unknown =
    typeof body === "object" && body !== null ? Reflect.get(body, "error") : null;
  return typeof said === "string" ? said : `answered ${answer.status}`;
}

function show(place: HTMLElement, { done, failed, total }: Progress): void {
  const told = place.querySelector<HTMLElement>("[data-drop-progress]");
  if (told === null) return;
  told.hidden = false;
  const bar = told.querySelector("progress");
  if (bar !== null) Object.assign(bar, { max: Math.max(1, total), value: done });
  const words = told.querySelector("p");
  const bad = failed.length === 0 ? "" : `, ${failed.length} failed`;
  if (words !== null) {
    words.textContent =
      total === 0 ? "There are no files in it." : `${done} of ${total} files are uploaded${bad}.`;
  }
  const list = told.querySelector("ul");
  list?.replaceChildren(...failed.slice(0, FAILURES_SHOWN).map(itemOf));
}

function itemOf(text: string): HTMLLIElement {
  const item = document.createElement("li");
  item.textContent = text;
  item.className = "data";
  return item;
}
