import { z } from "@hono/zod-openapi";

import { checkReader, fileReaders } from "../../catalog/file-sources/file-readers.ts";
import { findFileSource } from "../../catalog/file-sources/find-file-source.ts";
import { namedReader, principals } from "../../core/input/input-fields.ts";
import { unknownGroups } from "../../db/access/member-store.ts";
import { previewPermissions } from "../../ingestion/readers/preview-permissions.ts";
import { setReaders } from "../../ingestion/uploads/pushed-files.ts";
import { action } from "../action.ts";
import { fieldsOfKind, Endpoints, timeOrNull, schema } from "./request/endpoint.ts";
import { findPushedFile } from "./source-files.ts";

const readers = z.array(z.object({ principal: z.string(), from: z.string() }));
const FileReaders = schema("FileReaders", {
  permissions: z.enum(["off", "on"]),
  readers: readers
    .nullable()
    .describe("Who may read the file, and where each comes from; null: never told."),
  unreadable: z.string().nullable().describe("Why they could not be read."),
  readAt: timeOrNull,
});
const Checked = schema("ReaderCheck", {
  mayRead: z.boolean(),
  ...fieldsOfKind(z.string().nullable(), "by", "from"),
});
const Preview = schema("PermissionsPreview", {
  files: z.int(),
  nobody: z.int().describe("Files that nobody can read."),
  unreadable: z.int().describe("Those whose readers could not be read."),
  problems: z.array(z.object({ path: z.string(), message: z.string() })),
  unknownGroups: z
    .array(z.object({ name: z.string(), reason: z.string(), files: z.int() }))
    .describe("Groups whose members are not known: only calls name their members."),
  isComplete: z.boolean().describe("False: of the first files only."),
});

const FILE = "/file-sources/{id}/files/{path}/readers";

const readersChange = action({
  name: "file-sources.files.change",
  route: `patch ${FILE}`,
  about:
    "Set who may read a pushed file. Searches follow when this call answers; nothing is read or embedded again.",
  find: findPushedFile,
  body: z.object({ readers: principals }),
  work: ({ services, subject, body: { readers } }) => setReaders(services, { ...subject, readers }),
  readPrevious: async (services, file) => {
    const { readers } = await fileReaders(services, file);
    return { readers: readers?.map(({ principal }) => principal) };
  },
  target: ({ source, path }) => `${source.identifier}/${path}`,
});

/** Who may read files; before the routes of files, whose paths may end in anything. */
export const fileReaderRoutes = new Endpoints("sources", findFileSource)
  .json(
    `get ${FILE}`,
    "Who may read a file. Each with where it comes from; `readAt` is when it last changed.",
    { answer: FileReaders },
    ({ services, subject: { source }, path }) => fileReaders(services, { source, path }),
  )
  .action(readersChange)
  .json(
    `post ${FILE}/check`,
    "Check whether a person may read a file. The answer names what lets that person in.",
    { body: z.object(namedReader), answer: Checked },
    ({ services, subject: { source }, path, body }) =>
      checkReader(services, { source, path, ...body }),
  )
  .json(
    "get /file-sources/{id}/permissions",
    "What permissions do, or would do. Where they are off, the source is listed for up to 20 seconds.",
    { answer: Preview },
    async ({ services, subject }) => {
      const preview = await previewPermissions(services, subject);
      return { ...preview, unknownGroups: await unknownGroups(services.db, subject.source.id) };
    },
  ).app;
