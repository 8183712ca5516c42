import { newId } from "../../core/ids.ts";
import type { FileId, FileSourceId } from "../../core/ids.ts";
import { pushFiles } from "../../db/scans/webhook-store.ts";
import type { Services } from "../../services.ts";
import { pageAddress } from "../../sources/web/page-url.ts";
import { SWEPT_CLAIM_MS } from "../timeouts.ts";

/** A message holds 128 KB; an address may be long. */
const MESSAGE_LIMIT_CHARACTERS = 60_000;
const URLS_PER_MESSAGE = 200;

/**
 * Pushed addresses become files of a web source at once, and a scan that looks at just them is
 * queued. `urls` are http or https; those that differ only in fragment or
 * credentials are one, and neither is stored.
 */
export async function pushUrls(
  services: Pick<Services, "db" | "now" | "queue">,
  { sourceId, urls }: { sourceId: FileSourceId; urls: string[] },
): Promise<void> {
  const addresses = [...new Set(urls.flatMap((url) => addressOf(url) ?? []))];
  if (addresses.length === 0) return;
  const now = services.now();
  for (const urls of portionsOf(addresses)) {
    const pushed = urls.map((url) => ({ id: newId<FileId>(now), url, name: nameOf(url) }));
    await pushFiles(services.db, sourceId, pushed, { now, claimedUntil: now + SWEPT_CLAIM_MS });
    const message = { kind: "scan", fileSourceId: sourceId, confirmRemovals: false, urls } as const;
    await services.queue.scan(message);
  }
}

function addressOf(text: string): string | null {
  const url = URL.parse(text);
  return url === null || !/^https?:$/.test(url.protocol) ? null : pageAddress(url);
}

function nameOf(address: string): string {
  const { pathname, host } = new URL(address);
  return pathname.split("/").findLast((segment) => segment !== "") ?? host;
}

function portionsOf(addresses: string[]): string[][] {
  const portions: string[][] = [];
  let open: string[] = [];
  let characters = 0;
  for (const address of addresses) {
    const isFull = open.length >= URLS_PER_MESSAGE || characters > MESSAGE_LIMIT_CHARACTERS;
    if (open.length === 0 || isFull) {
      open = [];
      characters = 0;
      portions.push(open);
    }
    open.push(address);
    characters += address.length;
  }
  return portions;
}
