import { Command } from "commander";
import { createReadStream, createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";

import type { components } from "#api-types/panel";
import { cutIntoPieces } from "../../core/bytes/cut-into-pieces.ts";
import { dataOf, type PanelApi } from "../api/clients.ts";
import { CommandFailure } from "../failure.ts";
import { collect } from "../run-command.ts";
import { panelTarget, withTarget } from "../target-options.ts";
import { pathOfUser } from "../terminal.ts";
import { addBackup, archiveOfBackup } from "./backup-folder.ts";

type Target = { url: string; json?: true };
type Choice = {
  rag?: string[];
  source?: string[];
  all?: true;
  withoutVectors?: true;
  withAccess?: true;
};

/** The bytes of an archive. @throws CommandFailure when nothing is chosen */
async function download(
  api: PanelApi,
  { rag = [], source = [], all, withoutVectors, withAccess }: Choice,
  parts: "grouped" | "files",
) {
  if (all !== true && rag.length + source.length === 0) {
    throw new CommandFailure("Name what to export: --rag ID, --source ID, or --all.");
  }
  const vectors = flagOf(withoutVectors !== true);
  const flags = { all: flagOf(all), vectors, access: flagOf(withAccess) } as const;
  const query = { rags: rag.join(","), sources: source.join(","), ...flags, parts };
  const { response } = await api.GET("/archive", { params: { query }, parseAs: "stream" });
  if (response.body === null) throw new CommandFailure("The service sent an empty answer.");
  return explainTruncation(response.body);
}

/** @throws CommandFailure when the connection breaks */
async function* explainTruncation(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch {
    throw new CommandFailure("The archive broke off: it is not whole, and no file is changed.");
  }
}

/** Writes a file once it is whole: an earlier archive of that name stays until then. */
async function writeArchive(to: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  // A link stays one, and what nobody else may read stays so.
  const path = await realpath(to).catch(() => to);
  const existing = await stat(path).catch(() => null);
  // A pipe or a device is no file that another one could replace.
  const isStream = existing !== null && !existing.isFile();
  const draft = isStream ? path : `${path}.${process.pid}.tmp`;
  try {
    await pipeline(body, createWriteStream(draft, { mode: existing?.mode ?? 0o666 }));
    if (!isStream) await rename(draft, path);
  } finally {
    if (!isStream) await rm(draft, { force: true });
  }
}

const WITH_ACCESS = "also users without passwords, and hashes of tokens and keys";

export function exportCommand(): Command {
  return withTarget(new Command("export"), "QUARRY_KEY", "the size")
    .description("write an archive of RAGs, sources or the whole service")
    .option("--rag <id>", "a RAG with its source (may be repeated)", collect)
    .option("--source <id>", "a source with its RAGs (may be repeated)", collect)
    .option("--all", "the whole service")
    .option("--without-vectors", "leave the vectors out: an import embeds the passages")
    .option("--with-access", WITH_ACCESS)
    .requiredOption("--to <file>", "the archive, or - for standard output")
    .action(async (options: Target & Choice & { to: string }) => {
      const { api, terminal } = panelTarget(options);
      const path = pathOfUser(options.to);
      await stat(dirname(path));
      const body = await download(api, options, "grouped");
      if (options.to === "-") {
        await pipeline(body, process.stdout);
        return;
      }
      await writeArchive(path, body);
      const { size } = await stat(path);
      terminal.say(`${path}: ${size} bytes`);
      terminal.result({ path, size });
    });
}

export function backupCommand(): Command {
  return withTarget(new Command("backup"), "QUARRY_KEY", "the counts")
    .description("add a backup of the whole service to a folder; what is there already is kept")
    .argument("<folder>", "folder of the backups")
    .option("--keep <n>", "backups that are kept", Number, 14)
    .option("--with-access", WITH_ACCESS)
    .action(async (folder: string, { keep, ...options }: Target & Choice & { keep: number }) => {
      if (!(Number.isInteger(keep) && keep > 0))
        throw new CommandFailure("--keep must be 1 or more.");
      const { api, terminal } = panelTarget(options);
      const archive = await download(api, { ...options, all: true }, "files");
      const backup = await addBackup(pathOfUser(folder), archive, keep);
      const { parts, newParts, bytes, createdAt } = backup;
      terminal.say(`${createdAt}: ${parts} parts, ${newParts} of them new (${bytes} bytes)`);
      terminal.result(backup);
    });
}

type ImportOptions = Target & {
  at?: string;
  dryRun?: true;
  embed?: true;
  rename?: string | true;
  replace?: true;
  withoutAccess?: true;
};

export function importCommand(): Command {
  return withTarget(new Command("import"), "QUARRY_KEY", "what became of each thing")
    .description("restore an archive, or the last backup of a folder")
    .argument("<file>", "an archive, or a folder of backups")
    .option("--at <time>", "the last backup at or before this time")
    .option("--dry-run", "check the archive and say what would be made")
    .option("--embed", "embed passages whose vectors are of another model")
    .option("--rename [suffix]", "give taken identifiers a suffix (2)")
    .option("--replace", "replace what has a taken identifier")
    .option("--without-access", "leave out users, tokens and keys of the archive")
    .action(importArchive);
}

async function importArchive(file: string, options: ImportOptions): Promise<void> {
  const { api, terminal } = panelTarget(options);
  const path = pathOfUser(file);
  const at = options.at === undefined ? null : new Date(options.at);
  if (Number.isNaN(at?.getTime())) throw new CommandFailure(`--at is no time: ${options.at ?? ""}`);
  const isFolder = (await stat(path)).isDirectory();
  if (at !== null && !isFolder) throw new CommandFailure("--at needs a folder of backups.");
  let id = await upload(api, isFolder ? await archiveOfBackup(path, at) : createReadStream(path));
  for (;;) {
    const call = { params: { path: { id }, query: queryOf(options) }, fetch: api.repeating };
    const { data, response } = await api.POST("/archive/uploads/{id}/complete", call);
    if (data === undefined) throw new CommandFailure("The service sent an empty answer.");
    // An earlier import of the same archive is continued.
    ({ id } = data);
    if (response.status === ACCEPTED) {
      terminal.warn(`${data.state}: ${data.part} of ${data.parts} parts`);
      continue;
    }
    if (options.dryRun === true) {
      await api.DELETE("/archive/imports/{id}", { params: { path: { id } } });
      terminal.say("Dry run, nothing is written:");
    }
    return printOutcome(terminal, data);
  }
}

type Outcome = components["schemas"]["ArchiveImport"];

function printOutcome(terminal: ReturnType<typeof panelTarget>["terminal"], data: Outcome): void {
  for (const { thing, outcome, as } of data.things) {
    terminal.say(`${outcome} ${thing}${as === undefined ? "" : ` as ${as}`}`);
  }
  const calls = `${data.embedderCalls} calls of the embedder`;
  terminal.say(`${data.files} files, ${data.passages} passages, ${calls}`);
  terminal.result(data);
  if (!data.things.some(({ outcome }) => outcome === "taken")) return;
  terminal.warn(
    "Identifiers are taken: import with --rename [suffix], or --replace what is there.",
  );
  process.exitCode = 1;
}

/** The id of the import. */
async function upload(api: PanelApi, archive: AsyncIterable<Uint8Array>): Promise<string> {
  const { id, pieceBytes } = await dataOf(api.POST("/archive/uploads"));
  let part = 0;
  for await (const piece of cutIntoPieces(archive, pieceBytes)) {
    await api.PUT("/archive/uploads/{id}/{part}", {
      params: { path: { id, part: String(part++) } },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent as it is
      body: piece as unknown as string,
      bodySerializer: (bytes) => bytes,
      headers: { "Content-Type": "application/octet-stream" },
    });
  }
  return id;
}

const flagOf = (isSet: boolean | undefined) => (isSet === true ? "true" : "false");

function queryOf({ rename, replace, dryRun, embed, withoutAccess }: ImportOptions) {
  const unlessRenamed = replace === true ? "replace" : "refuse";
  const onConflict = rename === undefined ? unlessRenamed : "rename";
  const suffix = typeof rename === "string" ? { suffix: rename } : {};
  const flags = { dryRun: flagOf(dryRun), embed: flagOf(embed) } as const;
  return { ...flags, withoutAccess: flagOf(withoutAccess), onConflict, ...suffix } as const;
}

const ACCEPTED = 202;
