import type { Child } from "hono/jsx";

import type { SettingField } from "../../core/input/setting-fields.ts";
import { valueAt } from "../../sources/source-secrets.ts";
import { Data } from "./data.tsx";
import { count } from "./figures.ts";

/** Settings as labels and values, for pages where they cannot be changed. */
export const settingFacts = (fields: readonly SettingField[], settings: object) =>
  fields.map(({ meta, path }): readonly [string, Child] => [
    meta.label ?? path.join("."),
    shown(valueAt(settings, path), meta.choices),
  ]);

function shown(value: unknown, choices: Record<string, string> = {}): Child {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return choices[text] ?? <Data>{text}</Data>;
}
