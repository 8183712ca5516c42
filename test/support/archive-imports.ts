import type { FileSourceId } from "../../src/core/ids.ts";
import type { ActionContext } from "../../src/panel/action.ts";
import { exportArchive } from "../../src/panel/archive/export-archive.ts";
import { importWish } from "../../src/panel/archive/rename-things.ts";
import { continueImport, storeUpload } from "../../src/panel/archive/run-import.ts";
import { rowsOf, type World } from "./ingestion-world.ts";

export const WISH = { ...importWish.parse({ onConflict: "rename" }), dryRun: false };

/** The archive of a source as the service sends it. */
export async function archiveOf(
  world: World,
  source: FileSourceId,
  parts: "grouped" | "files" = "grouped",
): Promise<Uint8Array<ArrayBuffer>> {
  const choice = { rags: [], sources: [source], all: false, vectors: true, access: false, parts };
  const stream = await exportArchive(world.services, choice);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export const contextOf = (world: World) =>
  ({
    get: (name: string) => (name === "services" ? world.services : undefined),
    set: () => undefined,
  }) as unknown as ActionContext;

export const upload = async (world: World, bytes: Uint8Array<ArrayBuffer>) =>
  await storeUpload(world.services, new Response(bytes).body ?? new ReadableStream());

export async function importInto(world: World, bytes: Uint8Array<ArrayBuffer>) {
  return await continueImport(contextOf(world), await upload(world, bytes), WISH);
}

/** Lists the copies of a source that an import with `WISH` made. */
export const copiesOf = async (source: FileSourceId) =>
  await rowsOf<{ id: FileSourceId; rag: string }>(
    `select s.id, r.id as rag from file_sources s left join rags r on r.file_source_id = s.id
      where s.identifier = ?1`,
    `${source}-2`,
  );
