import { cutIntoPieces } from "../../core/bytes/cut-into-pieces.ts";
import { writeZip } from "../../core/bytes/zip/write-zip.ts";
import { invalidField, notFound, reasonOf } from "../../core/errors.ts";
import { attempt } from "../../core/log.ts";
import { listExportedRags, listExportedSources } from "../../db/archive/export-store.ts";
import { insertionOfEvent } from "../../db/catalog/event-store.ts";
import { runBatch } from "../../db/sql.ts";
import { textStream } from "../../http/text-stream.ts";
import { exportContent } from "../../ingestion/archive/export-content.ts";
import type { Services } from "../../services.ts";
import { readSettings } from "../config/settings.ts";
import { accessPart } from "./archive-access.ts";
import { questionParts } from "./rest-of-import.ts";

const PIECE_BYTES = 256 * 1_024;

export type ExportChoice = {
  rags: string[];
  sources: string[];
  all: boolean;
  vectors: boolean;
  /** Whether users, keys and tokens are inside. */
  access: boolean;
  parts: "grouped" | "files";
};

/**
 * The archive as a stream of bytes: everything, or sources with their RAGs, or RAGs with their
 * sources. @throws QuarryError `not-found`, or `invalid` where nothing is chosen
 */
export async function exportArchive(services: Services, choice: ExportChoice) {
  const { db, now, version } = services;
  if (!choice.all && choice.rags.length + choice.sources.length === 0)
    throw invalidField("all", "must be true, or rags or sources be named");
  const [rags, sources] = await Promise.all([listExportedRags(db), listExportedSources(db)]);
  const missing = [
    ...choice.rags.filter((name) => !rags.some(({ identifier }) => identifier === name)),
    ...choice.sources.filter((name) => !sources.some(({ identifier }) => identifier === name)),
  ];
  if (missing.length > 0) throw notFound(`there is no ${missing.join(", ")}`);
  const selection = sources.flatMap((source) => {
    const isWhole = choice.all || choice.sources.includes(source.identifier);
    const own = rags.filter(
      ({ fileSourceId, identifier }) =>
        fileSourceId === source.id && (isWhole || choice.rags.includes(identifier)),
    );
    return isWhole || own.length > 0 ? [{ ...source, rags: own }] : [];
  });
  const settings = await readSettings(services, false);
  const inside = {
    fileSources: pickNamed(settings["fileSources"], selection),
    rags: pickNamed(
      settings["rags"],
      selection.flatMap((source) => source.rags),
    ),
  };
  const content = exportContent(services, {
    sources: selection,
    settings: choice.all ? settings : inside,
    more: furtherParts(services, choice, settings["questionSets"]),
    vectors: choice.vectors,
    partPerFile: choice.parts === "files",
    version: version?.tag || version?.id || "unknown",
  });
  const things = { sources: Object.keys(inside.fileSources), rags: Object.keys(inside.rags) };
  const pieces = cutIntoPieces(writeZip(content, new Date(now())), PIECE_BYTES);
  return textStream(recordExport(services, things, pieces));
}

async function* furtherParts(services: Services, { access, all }: ExportChoice, sets?: object) {
  if (access) yield await accessPart(services);
  if (all) yield* questionParts(services, sets);
}

/** An archive that was sent to its end is an event, one that was cut is none. */
async function* recordExport(
  { db, log, now }: Services,
  things: { sources: string[]; rags: string[] },
  pieces: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      bytes += piece.length;
      yield piece;
    }
  } catch (thrown) {
    // The answer has begun, so that its status cannot say it.
    log.error("export failed", { reason: reasonOf(thrown) });
    throw thrown;
  }
  const data = { export: { ...things, bytes } };
  await attempt(log, "export not told", {}, () =>
    runBatch(db, [insertionOfEvent({ type: "export.finished", at: now(), data })]),
  );
}

const pickNamed = (values: Record<string, unknown> = {}, things: { identifier: string }[]) =>
  Object.fromEntries(things.map(({ identifier }) => [identifier, values[identifier]]));
