import { filesIn, isMeant, type Dropped } from "./dropped-files.ts";
import { pathInFolder } from "./upload-paths.ts";

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
    const chosen = files
      .map((file) => ({ path: pathInFolder(file.webkitRelativePath) || file.name, file }))
      .filter(isMeant);
    if (chosen.length === 0) return;
    event.preventDefault();
    void upload(place)(chosen);
  });
}

type Progress = { done: number; failed: string[]; total: number };

/** What was dropped while another folder is being uploaded joins the same queue. */
const waiting: Dropped[] = [];
const progress: Progress = { done: 0, failed: [], total: 0 };
let workers = 0;

const upload = (place: HTMLElement) => async (files: Dropped[]) => {
  waiting.push(...files);
  progress.total += files.length;
  show(place, progress);
  const free = AT_ONCE - workers;
  await Promise.all(Array.from({ length: free }, async () => await work(place)));
  // The last upload refreshes the list; failures stay visible.
  if (workers > 0 || progress.failed.length > 0 || progress.total === 0) return;
  location.reload();
};

async function work(place: HTMLElement): Promise<void> {
  workers += 1;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const problem = await put(place.dataset["drop"] ?? "", next);
    progress.done += 1;
    if (problem !== null) progress.failed.push(`${next.path}: ${problem}`);
    show(place, progress);
  }
  workers -= 1;
}

/** What went wrong; null: it is stored. */
async function put(below: string, { path, file }: Dropped): Promise<string | null> {
  if (file === null) return "cannot be read";
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
      total === 0
        ? "There are no files in it."
        : `${done - failed.length} of ${total} files are uploaded${bad}.`;
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
