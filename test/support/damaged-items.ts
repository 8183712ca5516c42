import { isObject } from "../../src/core/is-object.ts";
import type { ListingPage, SourceReader } from "../../src/ports/source-reader.ts";
import type { FetchClient } from "../../src/sources/guarded-fetch.ts";
import { FOREVER } from "../doubles/source/simulated-scans.ts";

/** Each answer shows the item of this id or path without its other fields being as documented. */
export function damage(server: { fetch: FetchClient["fetch"] }, name: string, fields: object) {
  const { fetch } = server;
  const damaged = (_key: string, value: unknown): unknown =>
    isObject(value) && [value["id"], value["path"]].includes(name)
      ? { ...value, ...fields }
      : value;
  const altered: FetchClient["fetch"] = async (address, request) => {
    const answer = await fetch(address, request);
    return new Response(JSON.stringify(JSON.parse(await answer.text(), damaged)), answer);
  };
  Object.assign(server, { fetch: altered });
}

export async function listAll(reader: SourceReader) {
  const pages: ListingPage[] = [];
  for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)?.next ?? null)
    pages.push(await reader.list(cursor ?? null, FOREVER));
  return {
    files: pages.flatMap(({ files }) => files.map(({ name }) => name)),
    unread: pages.flatMap(({ unread = [] }) => unread),
    failing: pages.flatMap(({ files }) => files.filter(({ failure }) => failure !== undefined)),
  };
}
