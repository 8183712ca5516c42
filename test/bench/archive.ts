import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { dataOf, panelApi, signIn } from "../../src/cli/api/clients.ts";
import { SERVICE } from "../../src/cli/installation.ts";
import { buildIfChanged } from "../../src/cli/worker/workerd.ts";
import { makeRag, scratchFolder, startService } from "../end-to-end/local-service.ts";
import { expectSuccess, runCli } from "../end-to-end/run-cli.ts";
import { untilIndexed } from "./support/fresh-service.ts";
import { peakAbove } from "./support/group-memory.ts";
import { textOf } from "./support/synthetic-text.ts";

const FILES = 150;
/** About 17 passages each. */
const WORDS_EACH = 6_100;
const CHANGED_SHARE = 0.01;
const FOLDERS = 50;
const NAME = "docs";
/**
 * V8's heap of the Worker may grow to it: 64 MiB above the 36 that it has at rest. workerd ends
 * where an isolate needs more.
 */
const HEAP_MIB = 100;
const LIMITED = "service-with-little-heap.capnp";

/** The usual configuration of workerd, except for the limit. */
async function writeLimited(): Promise<void> {
  await buildIfChanged("service");
  const config = readFileSync(join(SERVICE, "service.capnp"), "utf8");
  const flags = `v8Flags = ["--max-heap-size=${HEAP_MIB}"]`;
  writeFileSync(
    join(SERVICE, LIMITED),
    config.replace("(structuredLogging", `(${flags}, structuredLogging`),
  );
}

function writeDocuments(folder: string, count: number, seed: number): void {
  for (let at = 0; at < count; at++) {
    const path = join(folder, `${at % FOLDERS}`, `${at}.txt`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, textOf(seed + at, WORDS_EACH));
  }
}

type Target = { url: string; key: string; pid: number };
type Answer = { bytes: number; passages: number };

async function quarry({ url, key }: Target, ...args: string[]): Promise<Answer> {
  const finished = await runCli("quarry", [...args, "--url", url, "--json"], { QUARRY_KEY: key });
  expectSuccess(finished);
  return JSON.parse(finished.stdout) as Answer;
}

/** A command, and how far the service's memory rises meanwhile. */
async function measured(target: Target, ...args: string[]) {
  const { result, ...figures } = await peakAbove(target.pid, () => quarry(target, ...args));
  return { ...figures, bytes: result.bytes, passages: result.passages };
}

/**
 * `npm run bench -- archive [FILES]`: indexes made-up files (150 without an argument), then exports
 * them, backs them up twice with 1 % changed between, and imports them into a second service: time,
 * bytes, and how far the memory of the process rises above what it has when idle. The heap of the
 * Worker is limited all the while.
 */
export async function run([files = String(FILES)]: string[]): Promise<Record<string, unknown>> {
  const total = Number(files);
  const folder = scratchFolder();
  const at = (name: string) => join(folder.path, name);
  const stops: (() => Promise<void>)[] = [];
  const start = async (name: string) => {
    const service = await startService(at(name), undefined, [], LIMITED);
    stops.push(service.stop);
    return service;
  };
  await writeLimited();
  try {
    const service = await start("first");
    const { api, key } = await makeRag(service.url);
    writeDocuments(at("documents"), total, 0);
    const push = ["push", at("documents"), "--source", NAME];
    const { result: counts, ...indexing } = await peakAbove(service.pid, async () => {
      await quarry({ ...service, key }, ...push);
      return await untilIndexed({ api }, NAME, total);
    });
    await service.stop();
    // Started again, it has no memory of the indexing.
    const secondStart = await start("first");
    const first = { ...secondStart, key, api: panelApi(secondStart.url, key) };
    const exporting = await measured(first, "export", "--all", "--to", at("archive.zip"));
    const backup = await measured(first, "backup", at("backups"));
    writeDocuments(at("documents"), Math.ceil(total * CHANGED_SHARE), total);
    await quarry(first, ...push);
    await untilIndexed(first, NAME, total);
    const secondBackup = await measured(first, "backup", at("backups"));
    await secondStart.stop();
    const empty = await start("second");
    const panel = await signIn(empty.url, "admin@localhost", "quarry");
    const adminKey = await dataOf(panel.POST("/keys", { body: { name: "Bench", role: "admin" } }));
    const importing = await measured({ ...empty, key: adminKey.key }, "import", at("archive.zip"));
    const rows = { indexing, exporting, backup, secondBackup, importing };
    console.table(rows);
    return {
      files: total,
      passages: counts.numberVectors,
      archiveBytes: statSync(at("archive.zip")).size,
      secondBackupShare: secondBackup.bytes / backup.bytes,
      timesFasterThanIndexing: indexing.seconds / importing.seconds,
      timesLessWork: indexing.processor / importing.processor,
      ...rows,
    };
  } finally {
    for (const stop of stops) await stop();
    rmSync(join(SERVICE, LIMITED));
    folder.remove();
  }
}
