import { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";
import { apiAddress } from "../guarded-url.ts";

export const API_BASE_URL = "https://api.github.com";
const MAX_NAME_LENGTH = 256;
const MAX_KEY_LENGTH = 16_384;
const MAX_LIST = 1_000;
const name = z.string().min(1).max(MAX_NAME_LENGTH);
const patterns = z.array(name).max(MAX_LIST).optional();
/** Ids are numbers, which people also paste as text. */
const id = z.union([z.int().positive().transform(String), z.string().regex(/^[\w.]{1,100}$/)]);

/** As an object, or as text: a token, or an app's credentials as JSON. */
const credentials = z.preprocess(
  (value) => (typeof value === "string" ? (parseJson(value) ?? { token: value.trim() }) : value),
  z.union([
    z.strictObject({ token: z.string().regex(/^[\x21-\x7e]{1,1024}$/) }),
    z.strictObject({ appId: id, installationId: id, privateKey: z.string().max(MAX_KEY_LENGTH) }),
  ]),
);

const TOKEN_HINT =
  'May read contents. Or of an app, as JSON: {"appId": …, "installationId": …, "privateKey": "…"}.';
const PATTERNS_HINT = "One pattern a line, such as docs/ or *.md; * stands for anything.";
const FURTHER = "Branch, paths, another address";
const branch = { label: "Branch", hint: "If empty, each default branch.", folded: FURTHER };
const inclusion = { label: "Only paths that match", hint: PATTERNS_HINT, folded: FURTHER };
const exclusion = { label: "Leave out", hint: "One pattern a line.", folded: FURTHER };
const SERVER_HINT = "For an Enterprise Server: https://HOST/api/v3.";

export const githubConfig = z.strictObject({
  owner: z
    .string()
    .regex(/^[\w-]{1,100}$/, "must be the name alone, without an address")
    .meta({ label: "Owner", hint: "The organization or person that has the repositories." }),
  repositories: patterns.meta({
    label: "Repositories",
    hint: "Names, one a line; * stands for anything. If empty, all that the credential sees.",
  }),
  credentials: credentials.meta({ label: "Token", hint: TOKEN_HINT, rows: 3, secret: true }),
  issues: z.boolean().default(false).meta({ label: "Read issues and pull requests" }),
  branch: name.optional().meta(branch),
  paths: z
    .strictObject({ include: patterns.meta(inclusion), exclude: patterns.meta(exclusion) })
    .optional(),
  apiBaseUrl: apiAddress({ hint: SERVER_HINT, folded: FURTHER }),
});
export type GithubConfig = Omit<z.infer<typeof githubConfig>, "credentials">;
export type GithubCredentials = z.infer<typeof credentials>;
