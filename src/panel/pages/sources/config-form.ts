import { isObject } from "../../../core/is-object.ts";
import type { SourceWithScan } from "../../../db/catalog/source-store.ts";
import { manifestOf } from "../../../sources/registry.ts";
import { valueAt } from "../../../sources/source-secrets.ts";
import {
  configFields,
  literalsOf,
  type ConfigField,
  type SourceManifest,
} from "../../../sources/source-manifest.ts";
import { freshForm, numberOf, typed, type Form, type FormState } from "../request/form.ts";

/** The settings that a form asks for. */
export const shownFields = ({ config }: SourceManifest) =>
  configFields(config).filter(({ meta }) => meta.label !== undefined);

/** A setting's name in a form: its path in the body that the API takes. */
export const formName = ({ path }: ConfigField) => ["config", ...path].join(".");

/** The names of all fields of a manifest's form. */
export const fieldsOf = (manifest: SourceManifest) => [
  "name",
  "identifier",
  "scanIntervalMinutes",
  ...shownFields(manifest).map(formName),
];

/** The body of `POST /panel/api/file-sources` that a form means. */
export const newSourceBody = (form: Form, manifest: SourceManifest) => ({
  ...sourceChangeBody(form, manifest),
  identifier: typed(form.text("identifier")),
  provider: manifest.provider,
});

/** The body of the change that a form means; an empty secret keeps the one that is stored. */
export const sourceChangeBody = (form: Form, manifest: SourceManifest) => ({
  name: form.text("name"),
  scanIntervalMinutes: form.has("scanIntervalMinutes")
    ? numberOf(form.text("scanIntervalMinutes"))
    : undefined,
  config: configIn(form, manifest),
});

function configIn(form: Form, manifest: SourceManifest): Record<string, unknown> {
  const config: Record<string, unknown> = Object.fromEntries(literalsOf(manifest));
  for (const field of shownFields(manifest)) {
    const value = valueIn(form.exact(formName(field)).trim(), field);
    if (value !== undefined) setAt(config, field.path, value);
  }
  return config;
}

function setAt(into: Record<string, unknown>, [name = "", ...inner]: string[], value: unknown) {
  if (inner.length === 0) {
    into[name] = value;
    return;
  }
  const part = { ...(isObject(into[name]) ? into[name] : {}) };
  into[name] = part;
  setAt(part, inner, value);
}

function valueIn(text: string, { kind }: ConfigField): unknown {
  if (kind === "flag") return text === "on";
  if (text === "") return undefined;
  if (kind === "number") return numberOf(text);
  return kind === "list" ? linesOf(text) : text;
}

const linesOf = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** What a form shows of a configuration, never a secret; of an empty one what applies then. */
export const configValues = (manifest: SourceManifest, config: Record<string, unknown>) =>
  Object.fromEntries(
    shownFields(manifest).map((field) => [
      formName(field),
      shown(valueAt(config, field.path), field),
    ]),
  );

function shown(value: unknown, { kind, fallback, isSecret }: ConfigField): string {
  if (isSecret) return "";
  if (kind === "flag") return (value ?? fallback) === true ? "on" : "";
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export const formOfSource = ({ source }: SourceWithScan): FormState =>
  freshForm({
    name: source.name,
    scanIntervalMinutes: String(source.scanIntervalMinutes),
    ...configValues(manifestOf(source), source.config),
  });
