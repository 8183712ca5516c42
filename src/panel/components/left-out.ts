import type { LeftOut } from "../../ports/source-reader.ts";
import { manifestOf } from "../../sources/registry.ts";
import { settingFields } from "../../core/input/setting-fields.ts";
import { valueAt } from "../../sources/source-secrets.ts";
import { count, counted } from "./figures.ts";

type Limited = { provider: string; config: unknown };

/** `At least 169 addresses are left out by “Pages at most” (1,000).`, a sentence for each limit. */
export function leftOutSentences(source: Limited, leftOut: readonly LeftOut[]): string[] {
  const fields = settingFields(manifestOf(source).config);
  return leftOut.map(({ limit, addresses, isAtLeast }) => {
    const label = fields.find(({ path }) => path.join(".") === limit)?.meta.label ?? limit;
    const value = Number(valueAt(source.config, [limit]));
    const verb = addresses === 1 ? "is" : "are";
    const what = `${isAtLeast ? "At least " : ""}${counted(addresses, "address", "addresses")}`;
    const setting = Number.isNaN(value) ? `“${label}”` : `“${label}” (${count(value)})`;
    return `${what} ${verb} left out by ${setting}.`;
  });
}
