import { z } from "zod";

import { httpAddress } from "../guarded-url.ts";
import { sourceManifest } from "../source-manifest.ts";

const MAX_LENGTH = 2_048;
const MAX_ROOTS = 100;

const token = z.string().min(1).max(MAX_LENGTH);
/** With or without hyphens, or at the end of an address. */
const pageId = z
  .string()
  .max(MAX_LENGTH)
  .transform((text) =>
    text
      .replaceAll(/[?#].*|-/g, "")
      .slice(-32)
      .toLowerCase(),
  )
  .refine((id) => /^[0-9a-f]{32}$/.test(id), "must be the id or the address of a page or database")
  .transform((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));

export const notionConfig = z.strictObject({
  token: token.meta({ label: "Token of the connection", input: "password", secret: true }),
  rootPages: z.array(pageId).max(MAX_ROOTS).default([]).meta({
    label: "Only these pages, with their subpages",
    hint: "Addresses or ids, one a line. If empty, everything that is shared with the connection.",
  }),
  databases: z.boolean().default(true).meta({ label: "Read the rows of databases, too" }),
  apiBaseUrl: httpAddress
    .default("https://api.notion.com")
    .meta({ label: "Address of the API", folded: "Address", destination: true, encrypted: true }),
});
export type NotionConfig = z.infer<typeof notionConfig>;

export const notion = sourceManifest({
  id: "notion",
  name: "Notion",
  summary: "Pages and databases that are shared with a connection.",
  readersNote: "Notion reports no permissions: if they are on, every file has the default readers.",
  config: notionConfig,
  open: async (config, tools) => {
    const { notionReader } = await import("./notion-reader.ts");
    return notionReader(config, tools);
  },
});
