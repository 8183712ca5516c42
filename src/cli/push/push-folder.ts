import { isMassRemoval } from "../../core/mass-removal.ts";
import { toBatches } from "../../core/work/batches.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { dataOf, type PanelApi } from "../api/clients.ts";
import { ApiError } from "../api/patient-fetch.ts";
import { whileWaiting } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { chooser, listFolder, reasonOf, type FileChoice } from "./list-folder.ts";
import { localReaders, READERS_FILE } from "./local-readers.ts";
import { planPush, readManifest, type PushPlan } from "./plan-push.ts";
import { uploadFiles, uploadsOf } from "./upload-files.ts";

export type PushRequest = FileChoice & {
  folder: string;
  /** Id or identifier of a `file_system` source. */
  source: string;
  confirmRemovals?: boolean | undefined;
  dryRun?: boolean;
};

export type PushSummary = Awaited<ReturnType<typeof pushFolder>>;

const UPLOADS_AT_ONCE = 4;
const READERS_AT_ONCE = 8;
/** Files that one call moves or removes: the service takes 500. */
const FILES_PER_CALL = 250;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** Makes a file source equal a folder: uploads new and changed files, removes deleted ones. */
export async function pushFolder(api: PanelApi, terminal: Terminal, request: PushRequest) {
  const choose = chooser(request);
  const compare = async () => {
    const [listing, manifest, source] = await Promise.all([
      listFolder(request.folder, choose),
      readManifest(api, request.source),
      dataOf(api.GET("/file-sources/{id}", { params: { path: { id: request.source } } })),
    ]);
    const paths = listing.files.map(({ path }) => path);
    const readersOf = await localReaders(request.folder, paths);
    const plan = await planPush(listing, manifest, { choose, readersOf });
    const readers = (path: string) =>
      readersOf(path) ?? manifest.get(path)?.readers ?? source.defaultReaders;
    const isUnread = (path: string) => source.permissions === "on" && readers(path).length === 0;
    return { listing, manifest, plan, unread: paths.filter(isUnread).length };
  };
  const label = "Comparing the folder with the source";
  const { listing, manifest, plan, unread } = await whileWaiting(terminal.output, label, compare());
  if (unread > 0)
    terminal.warn(`${unread} of ${listing.files.length} files could be read by nobody`);
  const isMass = isMassRemoval(plan.remove.length, manifest.size);
  const isHeld = isMass && request.confirmRemovals !== true;
  const remove = isHeld ? [] : plan.remove;
  const added = plan.upload.filter(({ isNew }) => isNew).length;
  const summary = {
    added,
    changed: plan.upload.length - added,
    moved: plan.move.length,
    removed: remove.length,
    unchanged: plan.unchanged,
    /** Removals that wait for a confirmation. */
    held: plan.remove.length - remove.length,
    failed: plan.failed,
    skipped: {
      hidden: listing.hidden.filter(isNoReadersFile),
      links: listing.links,
      ignored: listing.ignored,
    },
    /** Unchanged files whose readers were set. */
    readers: plan.readers.length,
    /** Files that nobody could read. */
    unread,
  };
  if (request.dryRun === true) {
    for (const { path, isNew } of plan.upload) {
      terminal.say(`${isNew ? "add   " : "change"} ${path}`);
    }
    for (const { from, to } of plan.move) terminal.say(`move   ${from} to ${to}`);
    for (const path of remove) terminal.say(`remove ${path}`);
    for (const { path } of plan.readers) terminal.say(`readers ${path}`);
  } else if (sizeOf({ ...plan, remove }) > 0) {
    await carryOut(api, terminal, request.source, { ...plan, remove }, summary);
  }
  return summary;
}

const sizeOf = ({ upload, remove, move, readers }: PushPlan) =>
  upload.length + remove.length + move.length + readers.length;

const isNoReadersFile = (path: string) =>
  path !== READERS_FILE && !path.endsWith(`/${READERS_FILE}`);

async function carryOut(
  api: PanelApi,
  terminal: Terminal,
  source: string,
  plan: PushPlan,
  summary: PushSummary,
) {
  const { upload, remove, move, readers } = plan;
  const isRemoval = remove.length === sizeOf(plan);
  using progress = terminal.progress(isRemoval ? "Removing " : "Pushing ", sizeOf(plan));
  let fileCount = 0;
  const record = (
    path: string,
    count: "added" | "changed" | "moved" | "removed",
    reason: string | null,
  ) => {
    if (reason !== null) {
      summary[count]--;
      summary.failed.push({ path, reason });
    }
    progress.update(++fileCount, path);
  };
  const id = { params: { path: { id: source } } };
  // Before readers of a new path are set.
  for (const moves of toBatches(move, FILES_PER_CALL)) {
    const call = dataOf(api.POST("/file-sources/{id}/moves", { ...id, body: { moves } }));
    const missing = await call.then((answer) => answer.missing, reasonForFile);
    for (const { from } of moves) {
      const isMissing = typeof missing !== "string" && missing.includes(from);
      record(from, "moved", typeof missing === "string" ? missing : isMissing ? NOT_MOVED : null);
    }
  }
  // First, so that whoever may no longer read a file finds it no more.
  await mapParallel(readers, READERS_AT_ONCE, async ({ path, readers: principals }) => {
    const params = { path: { id: source, path } };
    const body = { readers: principals };
    await api.PATCH("/file-sources/{id}/files/{path}/readers", { params, body });
    progress.update(++fileCount, path);
  });
  await mapParallel(uploadsOf(upload), UPLOADS_AT_ONCE, async (files) => {
    const reasons = await uploadFiles(api, source, files).catch(reasonForFile);
    for (const [at, { path, isNew }] of files.entries()) {
      const reason = typeof reasons === "string" ? reasons : (reasons[at] ?? null);
      record(path, isNew ? "added" : "changed", reason);
    }
  });
  for (const paths of toBatches(remove, FILES_PER_CALL)) {
    // A file that no longer exists counts as removed.
    const removal = api.POST("/file-sources/{id}/removals", { ...id, body: { paths } });
    const reason = await removal.then(() => null, reasonForFile);
    for (const path of paths) record(path, "removed", reason);
  }
}

const NOT_MOVED = "the source changed meanwhile: push again";

/** A refused file fails alone. @throws what concerns the whole push, such as a refused key */
function reasonForFile(thrown: unknown): string {
  const isOfFile =
    thrown instanceof ApiError && thrown.status !== UNAUTHORIZED && thrown.status !== FORBIDDEN;
  if (!isOfFile) throw thrown;
  return reasonOf(thrown);
}

const SHOWN = 10;

export function reportPush(terminal: Terminal, summary: PushSummary, dryRun = false): void {
  const { added, changed, moved, removed, unchanged, failed, skipped } = summary;
  const moves = moved > 0 ? `${moved} moved, ` : "";
  const counts = `${added} added, ${changed} changed, ${moves}${removed} removed, ${unchanged} unchanged`;
  terminal.say(dryRun ? `Dry run: ${counts}` : counts);
  if (summary.readers > 0) terminal.say(`${summary.readers} unchanged files have new readers`);
  listSome(terminal, "skipped, a link", skipped.links);
  listSome(terminal, "skipped, hidden", skipped.hidden);
  const { ignored } = skipped;
  const rules = ".gitignore, .ignore or .git/info/exclude (--no-ignore)";
  listSome(terminal, `skipped ${ignored.length} by ${rules}`, ignored);
  for (const { path, reason } of failed.slice(0, SHOWN)) {
    terminal.warn(`not pushed: ${path === "" ? "the folder" : path} (${reason})`);
  }
  if (failed.length > SHOWN) terminal.warn(`not pushed: ${failed.length - SHOWN} more`);
  if (summary.held > 0) {
    terminal.warn(
      `${summary.held} files are no longer in the folder, or ignored: more than half of the source. They were not ` +
        "removed: check the folder, then use --confirm-removals.",
    );
  }
}

function listSome(terminal: Terminal, why: string, paths: string[]) {
  if (paths.length === 0) return;
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : "";
  terminal.say(`${why}: ${paths.slice(0, SHOWN).join(", ")}${more}`);
}
