import { expect, test } from "vitest";

import { openConfig, sealSecrets } from "../../../src/sources/source-secrets.ts";
import { parseConfig } from "../../../src/config.ts";

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const first = parseConfig({ ENVIRONMENT: "production", ENCRYPTION_KEY: keyOf(1) });
const rotated = parseConfig({
  ENVIRONMENT: "production",
  ENCRYPTION_KEY: keyOf(2),
  ENCRYPTION_KEY_PREVIOUS: keyOf(1),
});
const later = parseConfig({ ENVIRONMENT: "production", ENCRYPTION_KEY: keyOf(2) });

const provider = "document_site" as const;
const given = { tenantId: "t", clientId: "c", siteId: "s", clientSecret: "hush" };

test("a secret outlives the rotation of the key: read with the old, kept with the new", async () => {
  const sealed = await sealSecrets(first, { provider, config: given, before: null });
  expect(sealed.config).toEqual({ ...given, clientSecret: true });
  expect(JSON.stringify(sealed)).not.toContain("hush");
  expect(await openConfig(rotated, sealed)).toEqual(given);

  const { clientSecret: _left, ...others } = given;
  const before = sealed.sealedSecrets;
  const again = await sealSecrets(rotated, { provider, config: others, before });
  expect(await openConfig(later, again)).toEqual(given);
  await expect(openConfig(later, sealed)).rejects.toThrow("neither ENCRYPTION_KEY nor");
});

test("a secret whose key is missing must be given again", async () => {
  const { sealedSecrets } = await sealSecrets(first, { provider, config: given, before: null });
  const { clientSecret: _left, ...others } = given;
  const before = sealedSecrets;
  await expect(sealSecrets(later, { provider, config: others, before })).rejects.toThrow(
    "Invalid request: config.clientSecret is required",
  );
});
