import { z } from "zod";

import { omitUndefined } from "../../core/input/omit-undefined.ts";
import { isObject } from "../../core/is-object.ts";
import { finishDocument } from "../../http/finish-document.ts";
import { parseKnownOrRefuse } from "../../http/validation.ts";
import type { Services } from "../../services.ts";
import { KINDS, type Kind, type Values } from "./kinds.ts";

const PAGE = 500;

const maps = z.record(z.string(), z.record(z.string(), z.unknown()));
/** Things by identifier, under their kinds. */
export const settingsMaps = z.record(z.string(), maps);
const document = z.object({
  $schema: z.string().optional(),
  ...Object.fromEntries(Object.keys(KINDS).map((name) => [name, maps.optional()])),
});

/** @throws QuarryError `invalid`: it is no document of settings, or names an unknown kind */
export function parseSettings(input: unknown): Partial<z.output<typeof settingsMaps>> {
  const { $schema: _, ...kinds } = parseKnownOrRefuse(document, input);
  return settingsMaps.parse(omitUndefined(kinds));
}

/** A thing that settings name: as it is, and as a document wants it. */
export type Entry = {
  name: string;
  kind: Kind;
  identifier: string;
  portableName: string | null;
  /** The record; undefined: it is to be made. */
  subject: unknown;
  before: Values;
  values: Values;
};

/** All things that exist, by `rags.handbook`, each kind after those that it refers to. */
export async function readThings(
  services: Services,
  names: readonly string[] = Object.keys(KINDS),
): Promise<Map<string, Entry>> {
  const kinds = Object.entries(KINDS).map(async ([name, kind]) => {
    if (!names.includes(name)) return [];
    const things: Entry[] = [];
    let page: unknown[];
    do {
      page = await kind.list(services, { offset: things.length, limit: PAGE });
      for (const subject of page) {
        const record: Values = { ...kind.change.previousValues?.(subject) };
        const identifier = kind.identifierOf?.(subject) ?? String(record["identifier"]);
        const values = pick(record, Object.keys(shapeOf(kind)));
        const portableName = kind.portableName?.(subject) ?? null;
        things.push({ name, kind, identifier, portableName, subject, before: values, values });
      }
    } while (page.length === PAGE);
    return things.map((thing) => [`${name}.${thing.identifier}`, thing] as const);
  });
  return new Map((await Promise.all(kinds)).flat());
}

export const keyOf = ({ key }: Kind, identifier: string) => key?.(identifier) ?? { identifier };

/** The body of a new thing, without what its identifier says. */
function shapeOf(kind: Kind): z.core.$ZodShape {
  const { reference, body } = kind.creation;
  const { shape } = z.instanceof(z.ZodObject).parse(reference ?? body);
  const keys = Object.keys(keyOf(kind, ""));
  return Object.fromEntries(Object.entries(shape).filter(([name]) => !keys.includes(name)));
}

export const pick = (values: Values, names: string[]): Values =>
  Object.fromEntries(
    names.flatMap((name) =>
      values[name] === undefined ? [] : [[name, normalizeList(values[name])]],
    ),
  );

/** The order of a list says nothing. */
function normalizeList(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const items = new Map(value.map((item: unknown) => [JSON.stringify(item), item]));
  return [...items.keys()].sort().map((key) => items.get(key));
}

/** Things whose portable name is theirs alone, by `limits.token Program usd month`. */
export function thingsByPortableName(things: Map<string, Entry>): Map<string, Entry> {
  const groups = Map.groupBy(things.values(), (thing) => `${thing.name}.${thing.portableName}`);
  return new Map(
    [...groups].flatMap(([path, [thing, namesake]]) =>
      thing === undefined || thing.portableName === null || namesake !== undefined
        ? []
        : [[path, thing]],
    ),
  );
}

/** The settings as one document; a secret is the name of a variable. `portable`: for any service. */
export async function readSettings(
  services: Services,
  portable: boolean,
): Promise<z.output<typeof settingsMaps>> {
  const settings = Object.fromEntries(Object.keys(KINDS).map((name) => [name, {}]));
  const things = await readThings(services);
  const portableThings = new Set(portable ? thingsByPortableName(things).values() : []);
  for (const thing of things.values()) {
    const { name, kind, identifier, portableName, values } = thing;
    const key = portableThings.has(thing) && portableName !== null ? portableName : identifier;
    const variable = (_true: unknown, field: string) => ({ env: variableOf(identifier, field) });
    settings[name] = { ...settings[name], [key]: replaceSecret(kind, values, variable) };
  }
  return settings;
}

/** `CONTRACTS_CLIENT_SECRET` */
const variableOf = (identifier: string, field: string) =>
  `${identifier}_${field.replaceAll(/([A-Z])/g, "_$1")}`
    .replaceAll("-", "_")
    .replace(/^(?=\d)/, "_")
    .toUpperCase();

/** The values with another secret, if they have one; `before` says what they leave out. */
export function replaceSecret(
  { secret }: Kind,
  values: Values,
  replace: (value: unknown, field: string) => unknown,
  before: Values = {},
): Values {
  const [group = "", field = ""] = secret?.({ ...before, ...values }) ?? [];
  const inner = values[group];
  if (!isObject(inner) || inner[field] === undefined) return values;
  return { ...values, [group]: { ...inner, [field]: replace(inner[field], field) } };
}

/** The JSON Schema of the document, made of the schemas of the panel API. */
export function settingsSchema(): Values {
  const kinds = Object.entries(KINDS).map(([name, kind]) => {
    return [name, z.record(z.string(), z.strictObject(shapeOf(kind)).partial())] as const;
  });
  const whole = z.strictObject({ $schema: z.string(), ...Object.fromEntries(kinds) }).partial();
  const schema: Values = z.toJSONSchema(whole, { io: "input", unrepresentable: "any" });
  const { components: _none, ...finished } = finishDocument({ ...schema, components: {} });
  return finished;
}
