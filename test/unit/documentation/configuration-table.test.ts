import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { unstable_readConfig as readWranglerConfig } from "wrangler";
import { z } from "zod";

import { variables } from "../../../src/config.ts";

const PAGE = "docs/configuration.md";
const HEAD = ["variable", "default", "allowed", "meaning"];

const valuesIn = (env?: string) =>
  z
    .record(z.string(), z.string())
    .parse(
      readWranglerConfig({ config: "wrangler.toml", ...(env === undefined ? {} : { env }) }).vars,
    );

/** Reads a field of the metadata of a schema, or of one that it wraps. */
function saidBy(schema: unknown, name: "allowed" | "description"): string {
  if (!(schema instanceof z.ZodType)) return "";
  const description = schema.meta()?.[name];
  if (typeof description === "string") return description;
  const def = schema.def as { innerType?: unknown; in?: unknown; out?: unknown };
  return [def.innerType, def.in, def.out].map((inner) => saidBy(inner, name)).find(Boolean) ?? "";
}

function defaultOf(name: string, schema: z.ZodType): string {
  const value: unknown = schema.safeParse(undefined).data ?? "";
  const places = { here: valuesIn()[name], production: valuesIn("production")[name] };
  const otherValues = Object.entries({ "`npm start`": places.here, production: places.production })
    .filter(([, placeValue]) => placeValue !== undefined && placeValue !== String(value))
    .map(([place, placeValue]) => `${place} \`${placeValue}\``);
  return [value === "" ? "–" : `\`${String(value)}\``, ...otherValues].join("; ");
}

const rowOf = (cells: string[]) => `| ${cells.join(" | ")} |`;

test("the table of variables is made from their declaration", async () => {
  const rows = Object.entries(variables.shape).map(([name, schema]) => [
    `\`${name}\``,
    defaultOf(name, schema),
    saidBy(schema, "allowed") || "text",
    saidBy(schema, "description"),
  ]);
  expect(rows.filter(([, , , meaning]) => meaning === "")).toEqual([]);
  const page = readFileSync(PAGE, "utf8");
  const expected = page.replace(
    /\| variable +\| default[^]*?\n(?=\n)/,
    `${[HEAD, HEAD.map(() => "---"), ...rows].map(rowOf).join("\n")}\n`,
  );
  // After a change: npx vitest run --project unit test/unit/documentation -u
  await expect(expected).toMatchFileSnapshot(`../../../${PAGE}`);
});
