import { z } from "@hono/zod-openapi";

import { findFileSource, type FileSource } from "../../catalog/file-sources/find-file-source.ts";
import type { Services } from "../../services.ts";
import type { ScanRunRow } from "../../db/catalog/source-store.ts";
import { manifestOf, PROVIDERS } from "../../sources/registry.ts";
import { time, timeOrNull } from "./request/endpoint.ts";

export const fileSourceOf = (services: Services, key: string) => findFileSource(services, { key });

export const Scan = z
  .object({
    startedAt: time,
    finishedAt: timeOrNull,
    added: z.int(),
    changed: z.int(),
    removed: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    problems: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .openapi({ description: "The first 20 that failed or have no text, and why." }),
    heldRemovals: z.int(),
    leftOut: z
      .array(z.object({ limit: z.string(), addresses: z.int(), isAtLeast: z.boolean() }))
      .openapi({ description: "Addresses that a limit of the settings kept out." }),
    mended: z.object({ added: z.int(), changed: z.int(), removed: z.int() }).nullable(),
    error: z.string().nullable(),
  })
  .openapi("Scan");

export const scanOf = (scan: ScanRunRow) => ({
  ...scan,
  mended: scan.verified
    ? { added: scan.mendedAdded, changed: scan.mendedChanged, removed: scan.mendedRemoved }
    : null,
});

const config = z
  .record(z.string(), z.unknown())
  .openapi({ description: "The provider's settings; `true` for a set secret." });

/** A file source as the panel answers it. */
export const sourceFields = {
  id: z.string(),
  name: z.string(),
  identifier: z.string(),
  provider: z.enum(PROVIDERS),
  config,
  scanIntervalMinutes: z.int(),
  permissions: z.enum(["off", "on"]),
  defaultReaders: z.array(z.string()),
  status: z.enum(["active", "error"]),
  lastScan: Scan.nullable(),
  pushed: z
    .object({ files: z.int(), refused: z.int(), lastRefusedAt: timeOrNull })
    .optional()
    .openapi({ description: "Addresses that were pushed; web sources only." }),
  notifications: z
    .object({ until: timeOrNull, error: z.string().nullable() })
    .optional()
    .openapi({ description: "Until when the provider notifies of changes." }),
  createdAt: time,
};
export const Source = z.object(sourceFields).openapi("FileSource");

export const sourceOf = ({ source, lastScan }: FileSource) => ({
  ...source,
  lastScan: lastScan === null ? null : scanOf(lastScan),
  ...(manifestOf(source).takes === "addresses"
    ? {
        pushed: {
          files: source.pushedFiles,
          refused: source.pushesRefused,
          lastRefusedAt: source.pushesRefusedAt,
        },
      }
    : {}),
  ...(source.watchDueAt === null
    ? {}
    : { notifications: { until: source.watchedUntil, error: source.watchError } }),
});
