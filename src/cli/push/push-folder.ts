import { isMassRemoval } from "../../core/mass-removal.ts";
import { inParallel } from "../../core/work/parallel.ts";
import { dataUnless, type PanelApi } from "../api/clients.ts";
import { ApiError } from "../api/patient-fetch.ts";
import type { Terminal } from "../terminal.ts";
import { chooser, type FileChoice } from "./choose-files.ts";
import { listFolder, reasonOf } from "./list-folder.ts";
import { planPush, readManifest, type PushPlan } from "./plan-push.ts";
import { uploadFiles, uploadsOf } from "./upload-files.ts";

export type PushRequest = {
  folder: string;
  /** Id or identifier of a `file_system` source. */
  source: string;
  choice: FileChoice;
  confirmRemovals: boolean;
  dryRun: boolean;
};

export type PushSummary = {
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  /** Removals that wait for a confirmation. */
  held: number;
  failed: { path: string; reason: string }[];
  skipped: { hidden: string[]; links: string[] };
};

const UPLOADS_AT_ONCE = 4;
const REMOVALS_AT_ONCE = 8;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;

/** Makes a file source equal a folder: uploads new and changed files, removes deleted ones. */
export async function pushFolder(
  api: PanelApi,
  terminal: Terminal,
  request: PushRequest,
): Promise<PushSummary> {
  const choose = chooser(request.choice);
  const [listing, manifest] = await Promise.all([
    listFolder(request.folder, choose),
    readManifest(api, request.source),
  ]);
  const plan = await planPush(listing, manifest, choose);
  const held = !request.confirmRemovals && isMassRemoval(plan.remove.length, manifest.size);
  const remove = held ? [] : plan.remove;
  const summary: PushSummary = {
    added: plan.upload.filter(({ isNew }) => isNew).length,
    changed: plan.upload.filter(({ isNew }) => !isNew).length,
    removed: remove.length,
    unchanged: plan.unchanged,
    held: held ? plan.remove.length : 0,
    failed: plan.failed,
    skipped: { hidden: listing.hidden, links: listing.links },
  };
  if (request.dryRun) listPlan(terminal, plan, remove);
  else await carryOut(api, terminal, request.source, plan.upload, remove, summary);
  return summary;
}

function listPlan(terminal: Terminal, plan: PushPlan, remove: string[]) {
  for (const { path, isNew } of plan.upload) terminal.say(`${isNew ? "add   " : "change"} ${path}`);
  for (const path of remove) terminal.say(`remove ${path}`);
}

async function carryOut(
  api: PanelApi,
  terminal: Terminal,
  source: string,
  upload: PushPlan["upload"],
  remove: string[],
  summary: PushSummary,
) {
  const total = upload.length + remove.length;
  if (total === 0) return;
  const progress = terminal.progress(upload.length > 0 ? "Pushing " : "Removing ", total);
  let done = 0;
  const end = (path: string, count: "added" | "changed" | "removed", reason: string | null) => {
    if (reason !== null) {
      summary[count]--;
      summary.failed.push({ path, reason });
    }
    progress.update(++done, path);
  };
  try {
    await inParallel(uploadsOf(upload), UPLOADS_AT_ONCE, async (files) => {
      const reasons = await unlessRefused(uploadFiles(api, source, files), files.length);
      for (const [at, { path, isNew }] of files.entries()) {
        end(path, isNew ? "added" : "changed", reasons[at] ?? null);
      }
    });
    await inParallel(remove, REMOVALS_AT_ONCE, async (path) => {
      const removal = removeFile(api, source, path).then(() => [null]);
      const [reason = null] = await unlessRefused(removal, 1);
      end(path, "removed", reason);
    });
  } finally {
    progress.stop();
  }
}

/** A file that no longer exists counts as removed. */
const removeFile = (api: PanelApi, id: string, path: string) =>
  dataUnless(
    NOT_FOUND,
    api.DELETE("/file-sources/{id}/files/{path}", { params: { path: { id, path } } }),
  );

/** Why each file of a call failed, or null. @throws what concerns the whole push. */
async function unlessRefused(
  call: Promise<(string | null)[]>,
  files: number,
): Promise<(string | null)[]> {
  try {
    return await call;
  } catch (thrown) {
    if (concernsAll(thrown)) throw thrown;
    return Array.from({ length: files }, () => reasonOf(thrown));
  }
}

/** A refused file fails alone; a refused key fails the whole push. */
function concernsAll(thrown: unknown): boolean {
  if (!(thrown instanceof ApiError)) return true;
  return thrown.status === UNAUTHORIZED || thrown.status === FORBIDDEN;
}

const SHOWN = 10;

/** Prints what a push did, every skipped file included. */
export function reportPush(terminal: Terminal, summary: PushSummary, dryRun = false): void {
  const { added, changed, removed, unchanged, held, failed, skipped } = summary;
  const counts = `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  terminal.say(dryRun ? `Would be: ${counts}` : counts);
  listSome(terminal, "skipped, a link", skipped.links);
  listSome(terminal, "skipped, hidden", skipped.hidden);
  for (const { path, reason } of failed.slice(0, SHOWN)) {
    terminal.warn(`not pushed: ${path === "" ? "the folder" : path} (${reason})`);
  }
  if (failed.length > SHOWN) terminal.warn(`not pushed: ${failed.length - SHOWN} more`);
  if (held > 0) {
    terminal.warn(
      `${held} files are no longer in the folder, more than half of the source. They were not ` +
        "removed: check the folder, then use --confirm-removals.",
    );
  }
}

function listSome(terminal: Terminal, why: string, paths: string[]) {
  if (paths.length === 0) return;
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : "";
  terminal.say(`${why}: ${paths.slice(0, SHOWN).join(", ")}${more}`);
}
