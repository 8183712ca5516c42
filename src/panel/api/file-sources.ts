import { z } from "@hono/zod-openapi";

import { checkFileSource, type SourceCheck } from "../../catalog/file-sources/check-file-source.ts";
import { createFileSource } from "../../catalog/file-sources/create-file-source.ts";
import { newSource, newSourceOf } from "../../catalog/file-sources/file-source-settings.ts";
import { sourcePatch, sourcePatchOf } from "../../catalog/file-sources/file-source-settings.ts";
import { findFileSource, type FileSource } from "../../catalog/file-sources/find-file-source.ts";
import { removeFileSource } from "../../catalog/file-sources/remove-file-source.ts";
import { renewWebhookSecret } from "../../catalog/file-sources/renew-webhook-secret.ts";
import { requestScan } from "../../catalog/file-sources/request-scan.ts";
import { updateFileSource } from "../../catalog/file-sources/update-file-source.ts";
import { asId } from "../../core/ids.ts";
import { relativePath } from "../../core/input/input-fields.ts";
import { omitUndefined } from "../../core/input/omit-undefined.ts";
import { settingFields } from "../../core/input/setting-fields.ts";
import { listScanRuns, listSourceRows, type ScanRunRow } from "../../db/catalog/source-store.ts";
import { listFolder } from "../../db/files/source-file-list.ts";
import { copySource } from "../../ingestion/copies/copy-source.ts";
import { storedPath } from "../../sources/file-names.ts";
import { manifestOf, PROVIDERS, SOURCES } from "../../sources/registry.ts";
import type { SourceManifest } from "../../sources/source-manifest.ts";
import { action } from "../action.ts";
import {
  fieldsOfKind,
  Endpoints,
  pageOf,
  queued,
  time,
  timeOrNull,
  schema,
} from "./request/endpoint.ts";
import { mayReadAll } from "./request/guards.ts";
import { refuseChange } from "./request/route.ts";

const Scan = schema("Scan", {
  startedAt: time,
  finishedAt: timeOrNull,
  ...fieldsOfKind(z.int(), "added", "changed", "removed", "unchanged", "failed"),
  problems: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .describe("The first 20 that failed or have no text, and why."),
  heldRemovals: z.int(),
  leftOut: z
    .array(
      z.object({
        limit: z.string(),
        about: z.string().optional(),
        addresses: z.int(),
        isAtLeast: z.boolean(),
      }),
    )
    .describe(
      "Addresses that a limit of the settings kept out, or that are `about` something else.",
    ),
  mended: z.object({ added: z.int(), changed: z.int(), removed: z.int() }).nullable(),
  error: z.string().nullable(),
});

const scanOf = (scan: ScanRunRow) => ({
  ...scan,
  mended: scan.verified
    ? { added: scan.mendedAdded, changed: scan.mendedChanged, removed: scan.mendedRemoved }
    : null,
});

const config = z
  .record(z.string(), z.unknown())
  .describe("The provider's settings; `true` for a set secret.");

const sourceFields = {
  ...fieldsOfKind(z.string(), "id", "name", "identifier"),
  provider: z.enum(PROVIDERS),
  config,
  scanIntervalMinutes: z.int(),
  permissions: z.enum(["off", "on"]),
  defaultReaders: z.array(z.string()),
  imageModel: z.string().nullable().describe("What reads pictures; null: nothing."),
  pictures: z.boolean(),
  status: z.enum(["active", "error"]),
  lastScan: z.object(Scan.shape).nullable(),
  pushed: z
    .object({ files: z.int(), refused: z.int(), lastRefusedAt: timeOrNull })
    .optional()
    .describe("Addresses that were pushed; web sources only."),
  notifications: z
    .object({ until: timeOrNull, error: z.string().nullable() })
    .optional()
    .describe("Until when the provider notifies of changes."),
  createdAt: time,
};
export const Source = schema("FileSource", sourceFields);

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

const FOLDER_ENTRIES = 200;
/** Both fit into an address of 64 KB, the longest that workerd takes, whatever their letters. */
const MAX_PATH_LENGTH = 2_048;
const folderQuery = z.object({
  path: relativePath
    .max(MAX_PATH_LENGTH)
    .default("")
    .transform((path) => storedPath(path === "" || path.endsWith("/") ? path : `${path}/`)),
  after: z.string().max(MAX_PATH_LENGTH).optional(),
});

const Check = schema("SourceCheck", { ok: z.boolean().nullable(), message: z.string() });
const Folder = schema("Folder", {
  path: z.string(),
  entries: z.array(z.object({ path: z.string(), isFolder: z.boolean() })),
  after: z.string().nullable(),
});
/** For the reference; a body is checked by the schema of its own provider. */
const configs = config.describe(
  `The provider's settings; a patch may send \`true\` for a set secret.\n\n${SOURCES.map(settingsText).join("\n")}`,
);

function settingsText({ provider, name, summary, config: settings }: SourceManifest): string {
  const fields = settingFields(settings).map(
    ({ path, isRequired, meta: { hint = "" } }) =>
      `\n  - \`${path.join(".")}\`${isRequired ? "" : " (optional)"} ${hint}`,
  );
  return `- \`${provider}\` (${name}): ${summary}${fields.join("")}`;
}

/** The provider's answer about a source that was saved; nothing for one that is not asked. */
const checkOf = (check: SourceCheck | null) => (check?.ok == null ? {} : { check });

const SOURCE = "/file-sources/{id}";
const targetOf = ({ source }: FileSource) => source.identifier;

export const sourceCreation = action({
  name: "file-sources.create",
  about:
    "Add a file source. `webhookSecret` is shown this once; `check` says what its provider answered.",
  reference: z.object({ ...newSource, config: configs.optional() }),
  body: ({ input }) => newSourceOf(input),
  errors: [409, 422],
  work: async ({ services, body, id }) => {
    const { source, webhookSecret } = await createFileSource(services, body, asId(id));
    return { source, webhookSecret, checked: await checkFileSource(services, { source }) };
  },
  answer: schema("CreatedFileSource", {
    ...sourceFields,
    webhookSecret: z.string(),
    check: Check.optional(),
  }),
  answerOf: ({ source, webhookSecret, checked }) => ({
    ...sourceOf(source),
    webhookSecret,
    ...checkOf(checked),
  }),
});

const sourceCopy = action({
  name: "file-sources.copy",
  about:
    "Copy a file source. Files and RAGs follow in the background; a RAG's copy is named `<rag>-<identifier>`. Secrets are copied as well.",
  find: findFileSource,
  body: z.object({ name: newSource.name, identifier: newSource.identifier.unwrap() }),
  errors: [409, 422],
  work: ({ services, subject: { source }, body, id }) =>
    copySource(services, { source, copy: body, id: asId(id) }),
  target: targetOf,
  status: 201,
  answer: schema("CopiedFileSource", { ...sourceFields, webhookSecret: z.string() }),
  answerOf: ({ source, webhookSecret }) => ({ ...sourceOf(source), webhookSecret }),
});

export const sourceChange = action({
  name: "file-sources.change",
  about:
    "Change a file source. Provider and identifier never change. A secret that is left out is kept.",
  find: findFileSource,
  reference: z.object({ ...sourcePatch, config: configs }).partial(),
  body: ({ subject, input }) => sourcePatchOf(subject, input),
  errors: [409, 422],
  work: async ({ services, subject, body }) => {
    const { identifier, provider, ...patch } = omitUndefined(body);
    refuseChange("identifier", subject.source.identifier, identifier);
    refuseChange("provider", subject.source.provider, provider);
    const source = await updateFileSource(services, { source: subject, patch });
    const checked = patch.config === undefined ? null : await checkFileSource(services, { source });
    return { source, checked };
  },
  target: targetOf,
  previousValues: ({ source }) => source,
  answer: schema("CheckedFileSource", { ...sourceFields, check: Check.optional() }),
  answerOf: ({ source, checked }) => ({ ...sourceOf(source), ...checkOf(checked) }),
});

export const sourceRemoval = action({
  name: "file-sources.remove",
  about: "Remove a file source. Refused while a RAG uses it.",
  find: findFileSource,
  errors: [409],
  work: ({ services, subject: source }) => removeFileSource(services, { source }),
  target: targetOf,
  previousValues: ({ source: { name } }) => ({ name }),
  notice: (_none, { source }) => `“${source.name}” is removed.`,
});

export const webhookSecretRenewal = action({
  name: "file-sources.webhook-secret",
  about: "Renew the webhook's secret. The old one stops working at once.",
  find: findFileSource,
  work: ({ services, subject: source }) => renewWebhookSecret(services, { source }),
  target: targetOf,
  answer: z.object({ webhookSecret: z.string() }),
  answerOf: (webhookSecret) => ({ webhookSecret }),
});

export const sourceScan = action({
  name: "file-sources.scan",
  about: "Scan now. `confirmRemovals` lets a scan remove as much as an earlier one held back.",
  find: findFileSource,
  body: z.object({ confirmRemovals: z.boolean().default(false) }),
  errors: [409, 422],
  work: ({ services, subject: { source }, body: { confirmRemovals } }) =>
    requestScan(services, { sourceId: source.id, confirmRemovals, urls: null }),
  target: targetOf,
  ...queued,
  notice: "The scan is queued; it shows here in a moment.",
});

export const fileSourceRoutes = new Endpoints("sources", findFileSource)
  .list(
    "get /file-sources",
    "File sources. With the last scan of each.",
    { item: Source },
    async ({ services, caller, paging: { offset, limit } }) => {
      const slice = { offset, limit };
      return pageOf(await listSourceRows(services.db, slice, mayReadAll(caller)), sourceOf);
    },
  )
  .action(sourceCreation)
  .json(
    `get ${SOURCE}`,
    "A file source. Its settings, state and last scan; of secrets only whether they are set.",
    { answer: Source },
    ({ subject }) => sourceOf(subject),
  )
  .action(sourceChange)
  .action(sourceRemoval)
  .action(sourceCopy)
  .action(webhookSecretRenewal)
  .json(
    `post ${SOURCE}/check`,
    "Ask the provider whether the source can be read. One cheap call; nothing is stored.",
    { answer: Check },
    async ({ services, subject: source }) => await checkFileSource(services, { source }),
  )
  .action(sourceScan)
  .list(
    `get ${SOURCE}/runs`,
    "Scans, the newest first. What each scan found, removed, held back and repaired, or why it failed.",
    { item: Scan },
    async ({ services, subject, paging }) =>
      pageOf(await listScanRuns(services.db, subject.source.id, paging), scanOf),
  )
  .json(
    `get ${SOURCE}/folders`,
    "The entries of a folder. 200 entries at a time; `after` leads to the next.",
    { query: folderQuery, answer: Folder },
    async ({ services, subject, query: { path: folder, after = null } }) => {
      const slice = { sourceId: subject.source.id, folder, after, limit: FOLDER_ENTRIES };
      const entries = await listFolder(services.db, slice);
      const last = entries.length === FOLDER_ENTRIES ? entries.at(-1)?.path : undefined;
      return { path: folder, entries, after: last ?? null };
    },
  ).app;
