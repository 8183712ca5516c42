import { z } from "zod";

declare module "zod" {
  /** Facts of a setting for forms, references and the secrets' keeper, given to its `.meta()`. */
  interface GlobalMeta {
    /** The setting's name in a form; without one no form shows it. */
    label?: string;
    hint?: string;
    placeholder?: string;
    /** Labels of an enum's values. */
    choices?: Record<string, string>;
    /** A change needs a new index. */
    newIndex?: true;
    /** Settings in a row that have the same heading are folded below it. */
    folded?: string;
    /** Settings in a row that have the same heading stand under it. */
    group?: string;
    /** Short: two of them fit in a line. */
    isHalf?: boolean;
    /** Lines of a text box. */
    rows?: number;
    input?: "url" | "email" | "password" | "date";
    /** The value that a browser may fill in; absent: nothing, or a new password. */
    autocomplete?: "current-password";
    /** A setting that is stored encrypted and never shown; a configuration has at most one. */
    secret?: true;
    /** Says where the secret is sent, or what it opens: if changed, the secret is entered again. */
    destination?: true;
    /** An address to which the secret travels, or the access that it gives: https only. */
    encrypted?: true;
  }
}

/** Facts that only forms use. */
export const FORM_FACTS = new Set([
  "label",
  "hint",
  "placeholder",
  "choices",
  "newIndex",
  "folded",
  "group",
  "isHalf",
  "rows",
  "input",
  "autocomplete",
  "secret",
  "destination",
  "encrypted",
]);

export type SettingField = {
  /** `["credentials", "accessKeyId"]` */
  path: string[];
  kind: "text" | "number" | "list" | "flag" | "group" | "choice";
  meta: z.GlobalMeta;
  /** The secret, or a part of it. */
  isSecret: boolean;
  isRequired: boolean;
  isNullable: boolean;
  isInteger: boolean;
  /** Values of a choice; null for other kinds. */
  choices: string[] | null;
  /** Bounds of a number; null: none. */
  min: number | null;
  max: number | null;
  /** The value that applies where nothing is given; undefined: none. */
  fallback: unknown;
};

/** Every setting of a schema, each before its parts. */
export function settingFields(
  settings: z.core.$ZodType,
  path: string[] = [],
  isSecret = false,
): SettingField[] {
  const inner = unwrapSchema(settings);
  if (!(inner instanceof z.ZodObject)) return [];
  const fields: SettingField[] = [];
  for (const [name, schema] of Object.entries(inner.shape)) {
    const field = fieldOf([...path, name], schema, isSecret);
    fields.push(field, ...settingFields(schema, field.path, field.isSecret));
  }
  return fields;
}

function fieldOf(path: string[], schema: z.core.$ZodType, isInSecret: boolean): SettingField {
  const inner = unwrapSchema(schema);
  const meta = metaOf(schema);
  const absent = z.safeParse(schema, undefined);
  return {
    path,
    kind: kindOf(inner),
    meta,
    isSecret: isInSecret || meta.secret === true || hasSecretOption(inner),
    isRequired: !absent.success,
    isNullable: z.safeParse(schema, null).success,
    ...boundsOf(inner),
    choices: inner instanceof z.ZodEnum ? inner.options.map(String) : null,
    fallback: absent.data,
  };
}

/** A secret, or what stands for it: a form that keeps it sends `true`. */
const hasSecretOption = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodUnion && schema.options.some((option) => metaOf(option).secret === true);

/** Its own and that of what it wraps; the outer one counts. */
function metaOf(schema: z.core.$ZodType): z.GlobalMeta {
  const inner = innerSchema(schema);
  return { ...(inner === null ? {} : metaOf(inner)), ...z.globalRegistry.get(schema) };
}

function boundsOf(schema: z.core.$ZodType) {
  if (!(schema instanceof z.ZodNumber)) return { isInteger: false, min: null, max: null };
  const isInteger = schema.format === "safeint";
  return { isInteger, min: finiteBound(schema.minValue), max: finiteBound(schema.maxValue) };
}

const finiteBound = (bound: number | null) =>
  bound !== null && Number.isFinite(bound) && Math.abs(bound) !== Number.MAX_SAFE_INTEGER
    ? bound
    : null;

function kindOf(schema: z.core.$ZodType): SettingField["kind"] {
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodArray) return "list";
  if (schema instanceof z.ZodBoolean) return "flag";
  if (schema instanceof z.ZodEnum) return "choice";
  return schema instanceof z.ZodObject ? "group" : "text";
}

/** The schema inside a default, null, absence or a transformation; null: none. */
function innerSchema(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return schema.unwrap();
  }
  if (!(schema instanceof z.ZodPipe)) return null;
  return schema.out instanceof z.ZodTransform ? schema.in : schema.out;
}

function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = innerSchema(schema);
  return inner === null ? schema : unwrapSchema(inner);
}

type StoredSetting<Setting> =
  Setting extends z.ZodDefault<infer Inner>
    ? Inner
    : Setting extends z.ZodOptional<infer Inner>
      ? Inner
      : Setting;

/** The settings as a stored record has them: each is there, none has a default. */
export function storedSettings<Shape extends z.ZodRawShape>(settings: z.ZodObject<Shape>) {
  const shape = Object.entries(settings.shape).map(([name, schema]) => {
    const isGiven = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional;
    return [name, isGiven ? schema.unwrap() : schema];
  });
  type Stored = { [Name in keyof Shape]: StoredSetting<Shape[Name]> };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the loop has unwrapped them
  return z.object(Object.fromEntries(shape) as Stored);
}
