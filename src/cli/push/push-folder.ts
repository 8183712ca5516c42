import { readFile } from "node:fs/promises";

import { inParallel } from "../../core/work/parallel.ts";
import type { PanelApi } from "../api/panel-api.ts";
import { ApiError } from "../api/send.ts";
import type { Terminal } from "../terminal.ts";
import { chooser } from "./choose-files.ts";
import type { FileChoice } from "./choose-files.ts";
import { contentTypeOf } from "./content-types.ts";
import { listFolder, reasonOf } from "./list-folder.ts";
import { isSuspicious, planPush } from "./plan-push.ts";
import type { PushPlan } from "./plan-push.ts";

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

const UPLOADS_AT_ONCE = 8;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** Makes a file source equal a folder: uploads new and changed files, removes deleted ones. */
export async function pushFolder(
  api: PanelApi,
  terminal: Terminal,
  request: PushRequest,
): Promise<PushSummary> {
  const choose = chooser(request.choice);
  const [listing, manifest] = await Promise.all([
    listFolder(request.folder, choose),
    api.manifest(request.source),
  ]);
  const plan = await planPush(listing, manifest, choose);
  const held = !request.confirmRemovals && isSuspicious(plan.remove.length, manifest.size);
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
  const progress = terminal.progress("Pushing ", total);
  let done = 0;
  const step = async (
    path: string,
    count: "added" | "changed" | "removed",
    work: Promise<void>,
  ) => {
    try {
      await work;
    } catch (thrown) {
      if (concernsAll(thrown)) throw thrown;
      summary[count]--;
      summary.failed.push({ path, reason: reasonOf(thrown) });
    }
    progress.update(++done, path);
  };
  try {
    await inParallel(upload, UPLOADS_AT_ONCE, ({ path, absolutePath, isNew }) =>
      step(path, isNew ? "added" : "changed", uploadFile(api, source, path, absolutePath)),
    );
    await inParallel(remove, UPLOADS_AT_ONCE, (path) =>
      step(
        path,
        "removed",
        api.removeFile(source, path).then(() => undefined),
      ),
    );
  } finally {
    progress.stop();
  }
}

async function uploadFile(api: PanelApi, source: string, path: string, absolutePath: string) {
  await api.putFile(
    source,
    path,
    new Uint8Array(await readFile(absolutePath)),
    contentTypeOf(path),
  );
}

/** A refused file fails alone; a refused key fails the whole push. */
function concernsAll(thrown: unknown): boolean {
  if (!(thrown instanceof ApiError)) return !isFileSystemError(thrown);
  return thrown.status === UNAUTHORIZED || thrown.status === FORBIDDEN;
}

function isFileSystemError(thrown: unknown): boolean {
  return thrown instanceof Error && "syscall" in thrown && "path" in thrown;
}
