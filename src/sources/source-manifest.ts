import { z } from "zod";

import { settingFields } from "../core/input/setting-fields.ts";
import { isObject } from "../core/is-object.ts";
import type { Now } from "../core/time.ts";
import { SourceFailure } from "../ports/source-reader.ts";
import type { KnownFiles, ReaderStore, SourceReader } from "../ports/source-reader.ts";
import type { WatchNotification } from "../ports/source-watcher.ts";
import type { FetchClient } from "./guarded-fetch.ts";

/** Tools for a reader, in addition to its configuration. */
export type SourceTools = {
  outgoing: FetchClient;
  store: ReaderStore;
  known: KnownFiles;
  now: Now;
  bucket: R2Bucket;
  /** Whether who may read the files is to be listed with them. */
  readsPermissions: boolean;
};

/** Options of a drive's reader. */
export type DriveOptions = Pick<SourceTools, "outgoing" | "now" | "store" | "known"> & {
  readsPermissions?: boolean;
};

export type NotificationCall = {
  header(name: string): string | undefined;
  query(name: string): string | undefined;
  /** @throws QuarryError `too-large` */
  text(): Promise<string>;
};

type Notifications = {
  /** Where the provider calls: the address that the watcher gives it. */
  path: `/api/webhooks/${string}`;
  /** Answered to every call that is not an error, so that it reveals nothing. */
  status: 200 | 202;
  /** The first call of a quiet time starts a scan at once; else a scan waits 10 seconds. */
  startsAtOnce?: true;
  /**
   * Notifications of the call, without those that nobody understands; a text is sent back as it
   * is.
   */
  parse: (call: NotificationCall) => Promise<WatchNotification[] | string>;
};

type Manifest<Config extends z.ZodObject> = {
  /** Names it in the panel's addresses; `provider` too, where that is left out. */
  id: string;
  /** Stored with each source. Manifests that share one differ by the literals of `config`. */
  provider?: string;
  name: string;
  /** One sentence about the source, for people who choose. */
  summary: string;
  /** Kind of content that programs push to it; absent: none. */
  takes?: "files" | "addresses";
  /** Says on a source's page who may read its files, where the provider does not. */
  readersNote?: string;
  config: Config;
  /** Absent: its sources are not scanned. Imports the reader when it is called. */
  open?: (config: z.infer<Config>, tools: SourceTools) => Promise<SourceReader>;
  notifications?: Notifications;
  /**
   * Calls of the provider to `/api/webhooks/{id}/SOURCE`, signed with the secret of the source's
   * webhook, which a person gave it. Says whether the source is to be scanned.
   */
  events?: (call: NotificationCall, config: Record<string, unknown>) => Promise<boolean>;
};

/** All that the service knows of a kind of file source, its reader's type forgotten. */
export type SourceManifest = Omit<Manifest<z.ZodObject>, "open" | "provider"> & {
  provider: string;
  /** @throws SourceFailure `denied` for a configuration that no longer fits */
  open: ((config: unknown, tools: SourceTools) => Promise<SourceReader>) | null;
};

export function sourceManifest<Config extends z.ZodObject>(
  manifest: Manifest<Config>,
): SourceManifest {
  const { open, config: schema, provider = manifest.id } = manifest;
  return {
    ...manifest,
    provider,
    open:
      open === undefined ? null : async (raw, tools) => await open(parseStored(schema, raw), tools),
  };
}

/** Settings were checked when they were stored; what no longer fits is an error, not guessed. */
function parseStored<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path }) => path.join(".")).join(", ");
  throw new SourceFailure("denied", `file source: its configuration cannot be used: ${fields}`);
}

/** The settings of a configuration that have one value only, such as R2's `{ r2: true }`. */
export const literalsOf = ({ config }: SourceManifest): [string, unknown][] =>
  Object.entries(config.shape).flatMap(([name, schema]) =>
    schema instanceof z.ZodLiteral ? [[name, schema.value]] : [],
  );

/** Whether a configuration is of this manifest rather than of another of the same provider. */
export const holdsLiterals = (manifest: SourceManifest, config: unknown) =>
  literalsOf(manifest).every(([name, value]) => isObject(config) && config[name] === value);

/** The setting that holds the secret; null: this configuration has none. */
export const secretOf = ({ config }: SourceManifest): string | null =>
  settingFields(config).find(({ meta }) => meta.secret === true)?.path[0] ?? null;
