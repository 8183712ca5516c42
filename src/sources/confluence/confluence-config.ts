import { z } from "zod";

import { apiAddress, httpAddress } from "../guarded-url.ts";

const MAX_TEXT_LENGTH = 2_048;
/** All keys are named in one address. */
const MAX_SPACES = 100;
const PARTS = "Parts of the site, another address";
export const KINDS = ["pages", "blogposts", "attachments"] as const;

export const confluenceConfig = z.strictObject({
  siteUrl: httpAddress.meta({
    label: "Site",
    placeholder: "https://example.atlassian.net",
    destination: true,
    encrypted: true,
  }),
  email: z.email().max(MAX_TEXT_LENGTH).meta({ label: "E-mail of the account", input: "email" }),
  apiToken: z.string().min(1).max(MAX_TEXT_LENGTH).meta({
    label: "API token",
    hint: "Quarry reads what its account may read.",
    input: "password",
    secret: true,
  }),
  spaces: z
    .array(z.string().regex(/^~?[\w:.-]{1,255}$/, "must be a space's key"))
    .max(MAX_SPACES)
    .optional()
    .meta({ label: "Spaces", hint: "Their keys, one a line. If empty, all.", folded: PARTS }),
  include: z
    .array(z.enum(KINDS))
    .optional()
    .meta({
      label: "Kinds of content",
      hint: `${KINDS.join(", ")}, one a line. If empty, all.`,
      folded: PARTS,
    }),
  apiBaseUrl: apiAddress({
    hint: "For tokens with scopes: https://api.atlassian.com/ex/confluence/ and the cloud id.",
    folded: PARTS,
  }),
});
export type ConfluenceConfig = Omit<z.infer<typeof confluenceConfig>, "apiToken">;
