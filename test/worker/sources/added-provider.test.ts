import { html } from "hono/html";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";

import { formFrom, freshForm } from "../../../src/panel/components/form.tsx";
import { SettingFields } from "../../../src/panel/components/setting-fields.tsx";
import { sourceBody, sourceForm } from "../../../src/panel/pages/sources/settings-tab.tsx";
import { openSource } from "../../../src/sources/open-source.ts";
import { SOURCES } from "../../../src/sources/registry.ts";
import { sourceManifest } from "../../../src/sources/source-manifest.ts";
import { sealSecrets } from "../../../src/sources/source-secrets.ts";
import { World } from "../../support/ingestion-world.ts";
import { lastRun, scan } from "./scanning.ts";

/** A contributor's part: one folder's manifest, and below one line of the registry. */
const notes = sourceManifest({
  id: "notes",
  name: "Notes",
  summary: "Notes of a small server.",
  config: z.strictObject({
    words: z.array(z.string()).meta({ label: "Words", hint: "One a line." }),
    key: z.string().meta({ label: "Key", input: "password", secret: true }),
  }),
  open: async ({ words, key }) => ({
    list: async () => {
      const file = { externalId: null, url: null, size: 9, mimeType: "text/plain", version: "1" };
      const files = words.map((name) => ({ ...file, path: name, name }));
      const whole = files.map((entry) => Object.assign(entry, { metadata: {}, sourceState: null }));
      return { files: whole, deleted: [], next: null };
    },
    open: async ({ name }) => {
      const body = new Blob([`${name}, read with ${key}`]).stream();
      return { body, size: null, mimeType: "text/plain" };
    },
  }),
});

beforeAll(() => void SOURCES.push(notes));
afterAll(() => void SOURCES.pop());

test("a provider of one manifest has a form, keeps its secret and is scanned", async () => {
  const form =
    await html`${SettingFields({ fields: sourceForm(notes, true).fields, state: freshForm(), isStored: false })}`;
  for (const part of ["Words</label>", "One a line.", 'type="password"']) {
    expect(String(form)).toContain(part);
  }
  const typed = { name: "N", "config.words": "oak.txt\r\nelm.txt", "config.key": "hush" };
  const { provider } = notes;
  const { config } = sourceBody(formFrom(new URLSearchParams(typed)), notes);
  const world = new World();
  const { services } = world;
  const sealed = await sealSecrets(services.config, { provider, config, before: null });
  expect(sealed.config).toEqual({ words: ["oak.txt", "elm.txt"], key: true });

  services.sourceReaders = async ({ id }) =>
    await openSource(services, { id, provider, ...sealed });
  const { source, rag } = await world.addSourceAndRag(provider, sealed.config);
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 2, failed: 0, error: null });
  expect(await world.texts(rag, "hush")).toEqual({
    "oak.txt": ["oak.txt, read with hush"],
    "elm.txt": ["elm.txt, read with hush"],
  });
});
