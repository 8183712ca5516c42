import { isHidden } from "../../core/folders.ts";
import { filesIn, type DroppedFile } from "./dropped-files.ts";
import { refreshFrom } from "./refresh.ts";
import { pathInFolder, uploadInWords, type UploadResults } from "./uploads.ts";

/** Uploads at a time: browsers open six connections to one host. */
const AT_ONCE = 4;
const FAILURES_SHOWN = 20;

/** Places (`data-drop`: the address that files are put below) take files and whole folders. */
export function addDropPlaces(): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-drop]")) addPlace(place);
}

function addPlace(place: HTMLElement): void {
  const upload = uploader(place);
  place.classList.add("ready");
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    if (event.dataTransfer !== null) void filesIn(event.dataTransfer).then(upload);
  });
  for (const input of place.querySelectorAll<HTMLInputElement>("input[type=file]")) {
    input.addEventListener("change", () => {
      const dropped = [...(input.files ?? [])].map((file) => {
        return { path: pathInFolder(file.webkitRelativePath) || file.name, file };
      });
      // Files that failed can be chosen again.
      input.value = "";
      if (dropped.length > 0) void upload(dropped);
    });
  }
}

const noResults = (): UploadResults => ({ chosen: 0, uploaded: 0, skipped: 0, failed: [] });

/** Uploads what is chosen; what is chosen meanwhile joins the same queue. */
function uploader(place: HTMLElement): (files: DroppedFile[]) => Promise<void> {
  const waiting: DroppedFile[] = [];
  let results = noResults();
  let workers = 0;

  async function work(): Promise<void> {
    workers += 1;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const problem = await upload(place, next);
      if (problem === null) results.uploaded += 1;
      else results.failed.push(`${next.path}: ${problem}`);
      show(place, results);
    }
    workers -= 1;
  }

  return async (files) => {
    if (workers === 0) results = noResults();
    const wantedFiles = files.filter(({ path }) => !isHidden(path));
    results.chosen += files.length;
    results.skipped += files.length - wantedFiles.length;
    waiting.push(...wantedFiles);
    show(place, results);
    await Promise.all(Array.from({ length: AT_ONCE - workers }, work));
    if (workers === 0 && results.uploaded > 0) await refreshFrom(location.href);
  };
}

/** The reason for a failure; null: it is stored. The place shows how far the file has come. */
async function upload(place: HTMLElement, { path, file }: DroppedFile): Promise<string | null> {
  if (file === null) return "cannot be read";
  const below = place.dataset["drop"] ?? "";
  const line = itemOf(path);
  const bar = line.appendChild(document.createElement("progress"));
  bar.setAttribute("aria-label", path);
  place.querySelector("[data-drop-files]")?.append(line);
  const request = new XMLHttpRequest();
  request.open("PUT", `${below}/${path.split("/").map(encodeURIComponent).join("/")}`);
  request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    Object.assign(bar, { max: Math.max(1, total), value: loaded });
  });
  await new Promise((resolve) => {
    request.addEventListener("loadend", resolve);
    request.send(file);
  });
  line.remove();
  if (request.status === 0) return "the connection failed";
  return request.status < 300 ? null : errorIn(request);
}

function errorIn({ responseText, status }: XMLHttpRequest): string {
  try {
    const body: unknown = JSON.parse(responseText);
    const message: unknown =
      typeof body === "object" && body !== null ? Reflect.get(body, "error") : null;
    if (typeof message === "string") return message;
  } catch {
    // Something between the browser and the service answered.
  }
  return `answered ${status}`;
}

function show(place: HTMLElement, results: UploadResults): void {
  const progress = place.querySelector<HTMLElement>("[data-drop-progress]");
  if (progress === null) return;
  const { chosen: total, uploaded, skipped, failed } = results;
  const finished = uploaded + skipped + failed.length;
  progress.hidden = false;
  const bar = progress.querySelector<HTMLProgressElement>("progress");
  if (bar !== null) {
    Object.assign(bar, { max: Math.max(1, total), value: finished });
    bar.hidden = finished === total;
  }
  const words = progress.querySelector("p");
  if (words !== null) words.textContent = uploadInWords(results);
  const list = progress.querySelector("[data-drop-failed]");
  const more = failed.length - FAILURES_SHOWN;
  const lines = [...failed.slice(0, FAILURES_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])];
  list?.replaceChildren(...lines.map(itemOf));
}

function itemOf(text: string): HTMLLIElement {
  const item = document.createElement("li");
  item.textContent = text;
  item.className = "data";
  return item;
}
