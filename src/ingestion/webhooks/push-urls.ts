import { newId, type FileId, type FileSourceId } from "../../core/ids.ts";
import { webUrlIn } from "../../core/input/web-address.ts";
import { splitBySize } from "../../core/work/batches.ts";
import { notePushesRefused, pushFiles } from "../../db/scans/webhook-store.ts";
import type { Services } from "../../services.ts";
import { nameOfPage, pageAddress } from "../../sources/web/pages/page-url.ts";
import type { PushLimits } from "../../sources/web/web-config.ts";
import { SWEPT_CLAIM_MS } from "../timeouts.ts";

/** A message holds 128 KB; an address may be long. */
const MESSAGE_LIMIT = { total: 60_000, count: 200 };

/**
 * Makes pushed URLs files of a web source at once and queues a scan of just them; returns whether
 * one was queued. `urls` are http or https; fragments and credentials are stripped. URLs beyond
 * the source's limits are logged and counted at the source, so that its owner notices.
 */
export async function pushUrls(
  services: Pick<Services, "db" | "log" | "now" | "queue">,
  { sourceId, urls, limits }: { sourceId: FileSourceId; urls: string[]; limits: PushLimits },
): Promise<boolean> {
  const addresses = new Set(urls.flatMap((url) => addressOf(url) ?? []));
  const allowedUrls = [...addresses].filter((address) => isOfHosts(address, limits.pushHosts));
  const now = services.now();
  const push = { now, claimedUntil: now + SWEPT_CLAIM_MS, maxFiles: limits.maxPushedUrls };
  let count = 0;
  for (const part of splitBySize(allowedUrls, MESSAGE_LIMIT, ({ length }) => length)) {
    const pushed = part.map((url) => ({
      id: newId<FileId>(now),
      url,
      name: nameOfPage(new URL(url)),
    }));
    const urls = await pushFiles(services.db, sourceId, pushed, push);
    count += urls.length;
    if (urls.length === 0) continue;
    const message = { kind: "scan", fileSourceId: sourceId, confirmRemovals: false, urls } as const;
    await services.queue.scan(message);
  }
  const beyondCap = allowedUrls.length - count;
  const ofOtherHosts = addresses.size - allowedUrls.length;
  if (beyondCap + ofOtherHosts > 0) {
    services.log.warn("pushed addresses not taken", { sourceId, beyondCap, ofOtherHosts });
    await notePushesRefused(services.db, sourceId, beyondCap + ofOtherHosts, now);
  }
  return count > 0;
}

const isOfHosts = (address: string, hosts: PushLimits["pushHosts"]) =>
  hosts === undefined || hosts.includes(new URL(address).hostname);

function addressOf(text: string): string | null {
  const url = webUrlIn(text);
  return url === null ? null : pageAddress(url);
}
