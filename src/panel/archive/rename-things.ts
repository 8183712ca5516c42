import { conflict } from "../../core/errors.ts";
import { MAX_IDENTIFIER_LENGTH } from "../../core/ids.ts";
import { KINDS, type Values } from "../config/kinds.ts";

export type ImportWish = {
  onConflict: "refuse" | "rename" | "replace";
  suffix: string;
  embed: boolean;
};

type Outcome = "made" | "replaced" | "skipped" | "renamed";
export type PlannedThing = { thing: string; outcome: Outcome; as?: string };

export type Settings = Partial<Record<string, Record<string, Values>>>;

/** The settings under the identifiers that they get here, and what becomes of each thing. */
export function renameThings(
  settings: Settings,
  things: Map<string, unknown>,
  { onConflict, suffix }: ImportWish,
) {
  const all = Object.entries(settings).flatMap(([kind, values = {}]) =>
    Object.keys(values).map((identifier) => ({ kind, identifier, thing: `${kind}.${identifier}` })),
  );
  const names = new Map<string, string>();
  const outcomes = all.map(({ kind, identifier, thing }): PlannedThing => {
    if (!things.has(thing)) return { thing, outcome: "made" };
    if (kind === "prices") return { thing, outcome: "skipped" };
    if (onConflict !== "rename") return { thing, outcome: "replaced" };
    const as = `${identifier.slice(0, MAX_IDENTIFIER_LENGTH - suffix.length - 1)}-${suffix}`;
    names.set(thing, as);
    return { thing, outcome: "renamed", as };
  });
  const finalNames = outcomes.map(({ thing, as }) =>
    thing.replace(/(?<=\.).*/s, (name) => as ?? name),
  );
  const conflicts = outcomes.filter(({ outcome }, at) => {
    if (onConflict === "refuse") return outcome === "replaced";
    const name = finalNames[at] ?? "";
    // Another one of the archive may have the new name.
    return (
      outcome === "renamed" &&
      (things.has(name) || finalNames.lastIndexOf(name) > finalNames.indexOf(name))
    );
  });
  if (conflicts.length > 0) {
    const list = conflicts.map(({ thing, as }) => as ?? thing).join(", ");
    throw conflict(`These identifiers are taken: ${list}. Rename or replace them.`);
  }
  const local = Object.entries(settings).map(([kind, values = {}]) => {
    const { references: fields = {} } = KINDS[kind] ?? {};
    const entries = Object.entries(values).map(([identifier, value]) => {
      const changed = Object.entries(fields).map(([field, kindOf]) => {
        const renameOne = (name: unknown) => names.get(`${kindOf}.${String(name)}`) ?? name;
        const references = value[field];
        return [
          field,
          Array.isArray(references) ? references.map(renameOne) : renameOne(references),
        ];
      });
      const defined = changed.filter(([, name]) => name !== undefined);
      return [
        names.get(`${kind}.${identifier}`) ?? identifier,
        { ...value, ...Object.fromEntries(defined) },
      ];
    });
    return [kind, Object.fromEntries(entries)];
  });
  const renamedSettings: Settings = Object.fromEntries(local);
  return { settings: renamedSettings, names, outcomes };
}
