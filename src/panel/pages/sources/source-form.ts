import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import { freshForm, numberOf, typed, type Form, type FormState } from "../request/form.ts";

type Source = SourceWithScan["source"];

/** What a form asks for: a provider, or one of the two kinds of object storage. */
export const SOURCE_KINDS = [
  "file_system",
  "web",
  "s3",
  "r2",
  "cloud_drive",
  "document_site",
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export const kindOf = ({ provider, config }: Pick<Source, "provider" | "config">): SourceKind => {
  if (provider !== "object_storage") return provider;
  return config["r2"] === true ? "r2" : "s3";
};

const providerOf = (kind: SourceKind) => (kind === "s3" || kind === "r2" ? "object_storage" : kind);

type FieldKind = "text" | "number" | "list" | "flag" | "exact";

/** The fields of each kind's `config`, how each is typed, and which hold secrets. */
const FIELDS: Record<SourceKind, Record<string, FieldKind>> = {
  file_system: {},
  web: {
    startUrls: "list",
    sitemapUrls: "list",
    maxDepth: "number",
    maxPages: "number",
    include: "list",
    exclude: "list",
    pushHosts: "list",
    maxPushedUrls: "number",
  },
  s3: { endpoint: "text", region: "text", bucket: "text", prefix: "text", pathStyle: "flag" },
  r2: { prefix: "text" },
  cloud_drive: {
    rootFolderId: "text",
    sharedDriveId: "text",
    subject: "text",
    labelIds: "list",
    credentials: "exact",
    apiBaseUrl: "text",
  },
  document_site: {
    tenantId: "text",
    clientId: "text",
    clientSecret: "exact",
    siteId: "text",
    driveId: "text",
    apiBaseUrl: "text",
    loginBaseUrl: "text",
  },
};

const S3_SECRETS = ["accessKeyId", "secretAccessKey", "sessionToken"];

/** The names of all fields that a kind's form has. */
export const fieldsOf = (kind: SourceKind) => [
  "name",
  "identifier",
  "scanIntervalMinutes",
  ...Object.keys(FIELDS[kind]).map((field) => `config.${field}`),
  ...(kind === "s3" ? S3_SECRETS.map((field) => `config.credentials.${field}`) : []),
];

/** The body of `POST /panel/api/file-sources` that a form means. */
export function newSourceBody(form: Form, kind: SourceKind): Record<string, unknown> {
  return {
    name: form.text("name"),
    identifier: typed(form.text("identifier")),
    provider: providerOf(kind),
    config: configIn(form, kind),
    scanIntervalMinutes: intervalIn(form),
  };
}

/** The body of the change that a form means; an empty secret keeps the one that is stored. */
export const sourceChangeBody = (form: Form, kind: SourceKind) => ({
  name: form.text("name"),
  scanIntervalMinutes: intervalIn(form),
  ...(kind === "file_system" ? {} : { config: configIn(form, kind) }),
});

const intervalIn = (form: Form) =>
  form.has("scanIntervalMinutes") ? numberOf(form.text("scanIntervalMinutes")) : undefined;

function configIn(form: Form, kind: SourceKind): Record<string, unknown> {
  const entries = Object.entries(FIELDS[kind]).map(([field, of]) => [
    field,
    valueIn(form, `config.${field}`, of),
  ]);
  const config: Record<string, unknown> = Object.fromEntries(
    entries.filter(([, value]) => value !== undefined),
  );
  if (kind === "r2") config["r2"] = true;
  const secrets = kind === "s3" ? s3Secrets(form) : undefined;
  return secrets === undefined ? config : { ...config, credentials: secrets };
}

function valueIn(form: Form, name: string, kind: FieldKind): unknown {
  const text = form.text(name);
  if (kind === "flag") return text === "on";
  if (kind === "exact") return typed(form.exact(name).trim());
  if (text === "") return undefined;
  if (kind === "number") return numberOf(text);
  return kind === "list" ? linesOf(text) : text;
}

const linesOf = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

function s3Secrets(form: Form): Record<string, string> | undefined {
  const given = S3_SECRETS.map((field) => [field, form.text(`config.credentials.${field}`)]);
  const typedOnes = given.filter(([, value]) => value !== "");
  return typedOnes.length === 0 ? undefined : Object.fromEntries(typedOnes);
}

/** A stored source as its form shows it, without its secrets. */
export function formOfSource({ source }: SourceWithScan): FormState {
  const kind = kindOf(source);
  const values = Object.entries(FIELDS[kind]).map(([field, of]) => [
    `config.${field}`,
    shown(source.config[field], of),
  ]);
  return freshForm({
    name: source.name,
    scanIntervalMinutes: String(source.scanIntervalMinutes),
    ...Object.fromEntries(values),
  });
}

function shown(value: unknown, kind: FieldKind): string {
  if (kind === "exact") return "";
  if (kind === "flag") return value === true ? "on" : "";
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
