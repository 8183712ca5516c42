import { requestScan } from "../../../../src/catalog/file-sources/request-scan.ts";
import { FollowedSource } from "../../../doubles/source/followed-source.ts";
import { World, statement } from "../../../support/ingestion-world.ts";

export const notes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}.txt`, `A note, ${at}.`]));

/** A source that was listed once and has a cursor from there. */
export async function followedWorld(files: Record<string, string>, provider = "cloud_drive") {
  const reader = new FollowedSource(files);
  const world = new World({ sourceReaders: async () => reader });
  const { source, rag } = await world.addSourceAndRag(provider);
  const scan = async (confirmRemovals = false) => {
    world.now += 1_000;
    await requestScan(world.services, { sourceId: source, confirmRemovals, urls: null });
    await world.deliver();
  };
  await scan();
  return { reader, world, source, rag, scan };
}

export const cursorOf = async (source: string) =>
  (
    await statement("select change_cursor as cursor from file_sources where id = ?", source).first<{
      cursor: string | null;
    }>()
  )?.cursor;
