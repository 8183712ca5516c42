import { z } from "zod";

import { conflict } from "../../core/errors.ts";
import { MAX_IDENTIFIER_LENGTH } from "../../core/ids.ts";
import { MAX_NAME_LENGTH } from "../../core/input/input-fields.ts";
import { KINDS, type Values } from "../config/kinds.ts";

export const importWish = z.object({
  onConflict: z
    .enum(["refuse", "rename", "replace"])
    .default("refuse")
    .meta({
      label: "If an identifier is taken",
      choices: {
        refuse: "refuse the import",
        rename: "give the new one a suffix",
        replace: "replace what is there",
      },
    }),
  suffix: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .max(20)
    .default("2")
    .meta({ label: "Suffix", placeholder: "2" }),
  embed: z.boolean().default(false).meta({
    label: "Embed passages whose vectors are missing or of another model",
  }),
  withoutAccess: z.boolean().default(false).meta({ label: "Leave out users, tokens and keys" }),
});
export type ImportWish = z.output<typeof importWish>;

/** `taken`: a dry run says what an import would be refused for. */
type Outcome = "made" | "made disabled" | "replaced" | "skipped" | "renamed" | "taken";
export type PlannedThing = { thing: string; outcome: Outcome; as?: string };

export type Settings = Partial<Record<string, Record<string, Values>>>;

/** `tokenIds`: of tokens that are here or will be. */
type Wish = Pick<ImportWish, "onConflict" | "suffix"> & { tokenIds: Set<unknown>; dryRun: boolean };
type NamingScheme = { names: Map<string, string>; things: Map<string, unknown>; wish: Wish };

export const tokenOfLimit = (limit: string) => /^token (\S+)/.exec(limit)?.[1] ?? null;

/** The thing that a limit is of, as in `inferences.ask`. */
function subjectOf(kind: string, identifier: string): string {
  const { key, subjectOf: subjects } = KINDS[kind] ?? {};
  return subjects?.(key?.(identifier) ?? {})[0]?.name ?? "";
}

/** A restored copy sends nothing to receivers, which would not have its new secret either. */
const OUTCOMES_IF_NEW: Partial<Record<string, Outcome>> = { eventEndpoints: "made disabled" };

function outcomeOf(
  kind: string,
  identifier: string,
  { names, things, wish }: NamingScheme,
): PlannedThing {
  const thing = `${kind}.${identifier}`;
  const newSubject = names.get(subjectOf(kind, identifier));
  // A limit follows what it is of.
  if (newSubject !== undefined) {
    return { thing, outcome: "renamed", as: identifier.split(" ").with(1, newSubject).join(" ") };
  }
  const token = kind === "limits" ? tokenOfLimit(identifier) : null;
  if (token !== null && !wish.tokenIds.has(token)) return { thing, outcome: "skipped" };
  if (!things.has(thing)) return { thing, outcome: OUTCOMES_IF_NEW[kind] ?? "made" };
  const { onConflict, suffix } = wish;
  if (kind === "prices") return { thing, outcome: "skipped" };
  if (onConflict !== "rename") {
    return { thing, outcome: onConflict === "replace" ? "replaced" : "taken" };
  }
  // The address of an endpoint cannot be another one.
  if (KINDS[kind]?.key !== undefined) return { thing, outcome: "skipped" };
  const as = `${identifier.slice(0, MAX_IDENTIFIER_LENGTH - suffix.length - 1)}-${suffix}`;
  return { thing, outcome: "renamed", as };
}

/** The settings under the identifiers that they get here, and what becomes of each thing. */
export function renameThings(settings: Settings, things: Map<string, unknown>, wish: Wish) {
  const names = new Map<string, string>();
  // Each kind stands after those that it refers to.
  const outcomes = Object.entries(settings).flatMap(([kind, values = {}]) =>
    Object.keys(values).map((identifier) => {
      const planned = outcomeOf(kind, identifier, { names, things, wish });
      if (planned.as !== undefined) names.set(planned.thing, planned.as);
      return planned;
    }),
  );
  const finalNames = outcomes.map(({ thing, as }) =>
    thing.replace(/(?<=\.).*/s, (name) => as ?? name),
  );
  const sharing = Map.groupBy(finalNames, (name) => name);
  const conflicts = finalNames.filter((name, at) => {
    const outcome = outcomes[at]?.outcome;
    if (outcome === "taken") return !wish.dryRun;
    // Another one of the archive may have the new name.
    return outcome === "renamed" && (things.has(name) || sharing.get(name)?.[1] !== undefined);
  });
  if (conflicts.length > 0) {
    const list = conflicts.join(", ");
    const isRenaming = wish.onConflict === "rename";
    const remedy = isRenaming ? "Set another suffix" : "Set onConflict (--rename, --replace)";
    throw conflict(`These identifiers are taken: ${list}. ${remedy}.`);
  }
  const local = renameInSettings(settings, { names, outcomes, suffix: wish.suffix });
  /** The name here of a thing of the archive. */
  const nameOf = (kind: string, name: string) => {
    const as = names.get(`${kind}.${name}`) ?? name;
    return local[kind]?.[as] === undefined ? undefined : as;
  };
  return { settings: local, nameOf, outcomes };
}

type Renaming = { names: Map<string, string>; outcomes: PlannedThing[]; suffix: string };

/**
 * Leaves out things that stay as they are here; what is made disabled is so. The panel shows names:
 * the name of what gets another identifier has the suffix too.
 */
function renameInSettings(settings: Settings, { names, outcomes, suffix }: Renaming): Settings {
  const outcomeBy = new Map(outcomes.map(({ thing, outcome }) => [thing, outcome]));
  const local = Object.entries(settings).map(([kind, values = {}]) => {
    const { references: fields = {} } = KINDS[kind] ?? {};
    const remaining = Object.entries(values).filter(
      ([name]) => outcomeBy.get(`${kind}.${name}`) !== "skipped",
    );
    const entries = remaining.map(([identifier, value]) => {
      const isDisabled = outcomeBy.get(`${kind}.${identifier}`) === "made disabled";
      // An import enables no endpoint: one that it replaces stays as it is here.
      const { enabled: _archived, ...rest } = value;
      const local: Values = { ...rest, ...(isDisabled && { enabled: false }) };
      const as = names.get(`${kind}.${identifier}`);
      if (as !== undefined && typeof rest["name"] === "string")
        local["name"] = `${rest["name"].slice(0, MAX_NAME_LENGTH - suffix.length - 3)} (${suffix})`;
      for (const [field, kindOf] of Object.entries(fields)) {
        const renameOne = (name: unknown) => names.get(`${kindOf}.${String(name)}`) ?? name;
        const name = value[field];
        if (name !== undefined)
          local[field] = Array.isArray(name) ? name.map(renameOne) : renameOne(name);
      }
      return [as ?? identifier, local];
    });
    return [kind, Object.fromEntries(entries)];
  });
  return Object.fromEntries(local);
}
