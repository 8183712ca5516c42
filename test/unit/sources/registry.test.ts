import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { settingFields } from "../../../src/core/input/setting-fields.ts";
import { panelDocument } from "../../../src/panel/api/app.ts";
import { formOfSettings } from "../../../src/panel/components/setting-fields.tsx";
import { PROVIDERS, SOURCES } from "../../../src/sources/registry.ts";
import { secretOf } from "../../../src/sources/source-manifest.ts";
import { configSchemaOf } from "../../../src/sources/source-secrets.ts";

test("each provider of the registry has words, and a form with labels", () => {
  expect(PROVIDERS.length).toBeGreaterThan(4);
  expect(new Set(SOURCES.map(({ id }) => id)).size).toBe(SOURCES.length);
  for (const { name, summary, open, config } of SOURCES) {
    expect(`${name}: ${summary}`).toMatch(/^\w.*: \w.*\.$/);
    const labels = settingFields(config).filter(({ meta }) => meta.label !== undefined);
    expect({ name, hasForm: labels.length > 0 }).toEqual({ name, hasForm: open !== null });
  }
});

test("a secret is required, and what guards it is a text: nothing else is checked", () => {
  for (const { config } of SOURCES) {
    const fields = settingFields(config);
    const guards = fields.filter(({ meta }) => meta.destination ?? meta.encrypted);
    expect(guards.filter(({ kind }) => kind === "list")).toEqual([]);
    expect(fields.filter(({ meta, isRequired }) => meta.secret && !isRequired)).toEqual([]);
  }
});

test.each(SOURCES)("the panel's reference has the settings of $name", (manifest) => {
  const { provider, name, summary, config } = manifest;
  const text = JSON.stringify(panelDocument("https://quarry.test"));
  const [, section = ""] = text.split(
    JSON.stringify(`\`${provider}\` (${name}): ${summary}`).slice(1, -1),
  );
  const [own = ""] = section.split("\\n- ");
  const documented = Array.from(own.matchAll(/\\n {2}- `(\w+)`/g), ([, setting]) => setting);
  expect(documented).toEqual(Object.keys(config.shape));
  expect(text.split(`\`${provider}\` (${name})`)).toHaveLength(3);
});

const rows = readFileSync("docs/panel-api.md", "utf8").split("\n");

test.each(SOURCES)("the docs' list of providers names $name with its settings", (manifest) => {
  const row = rows.find((line) => line.startsWith(`- \`${manifest.provider}\``)) ?? "no row";
  const settings = settingFields(manifest.config).filter(({ path }) => path.length === 1);
  const settingNames = settings.map(
    ({ path: [name], isRequired }) => `${name}${isRequired ? "" : "?"}`,
  );
  expect(settingNames.filter((name) => !row.includes(name))).toEqual([]);
  expect(row).not.toBe("no row");
});

test("the README names every provider, and no other", () => {
  const [line = ""] = /^- \*\*Sources:\*\* .*$/m.exec(readFileSync("README.md", "utf8")) ?? [];
  const providerNames = [...line.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(new Set(providerNames)).toEqual(new Set(PROVIDERS));
});

test("every setting has a field: a form that is saved loses none of a source", () => {
  for (const manifest of SOURCES) {
    const formFields = new Set(formOfSettings(manifest.config).fields.map(({ path }) => path[0]));
    const unshown = settingFields(manifest.config).filter(
      ({ path: [name] }) => !formFields.has(name),
    );
    expect(unshown.map(({ path }) => path.join(".")).filter((name) => name !== "r2")).toEqual([]);
  }
});

test("a stored secret is known as one in every form of a provider's settings", () => {
  const withSecret = SOURCES.filter((manifest) => secretOf(manifest) !== null);
  expect(withSecret.length).toBeGreaterThan(2);
  for (const manifest of withSecret) {
    for (const isSet of [true, false]) {
      const fields = settingFields(configSchemaOf(manifest, isSet));
      const field = fields.find(({ path }) => path.join(".") === secretOf(manifest));
      expect([manifest.id, isSet, field?.isSecret]).toEqual([manifest.id, isSet, true]);
    }
  }
});
