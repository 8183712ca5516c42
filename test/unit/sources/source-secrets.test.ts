import { expect, test } from "vitest";

import { parseConfig } from "../../../src/config.ts";
import { objectStorageConfig } from "../../../src/sources/object-storage/object-storage-config.ts";
import { openConfig, sealSecrets } from "../../../src/sources/source-secrets.ts";

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const first = parseConfig({ ENVIRONMENT: "production", ENCRYPTION_KEY: keyOf(1) });
const rotated = parseConfig({
  ENVIRONMENT: "production",
  ENCRYPTION_KEY: keyOf(2),
  ENCRYPTION_KEY_PREVIOUS: keyOf(1),
});
const later = parseConfig({ ENVIRONMENT: "production", ENCRYPTION_KEY: keyOf(2) });

const provider = "document_site" as const;
const settings = { tenantId: "t", clientId: "c", siteId: "s", clientSecret: "hush" };

test("a secret outlives the rotation of the key: read with the old, kept with the new", async () => {
  const sealed = await sealSecrets(first, { provider, config: settings, before: null });
  expect(sealed.config).toEqual({ ...settings, clientSecret: true });
  expect(JSON.stringify(sealed)).not.toContain("hush");
  expect(await openConfig(rotated, sealed)).toEqual(settings);

  const { clientSecret: _left, ...otherFields } = settings;
  const resealed = await sealSecrets(rotated, { provider, config: otherFields, before: sealed });
  expect(await openConfig(later, resealed)).toEqual(settings);
  await expect(openConfig(later, sealed)).rejects.toMatchObject({
    kind: "denied",
    message: expect.stringMatching(/enter them again$/),
  });
});

test("a secret whose key is missing must be given again", async () => {
  const before = await sealSecrets(first, { provider, config: settings, before: null });
  const { clientSecret: _left, ...otherFields } = settings;
  await expect(sealSecrets(later, { provider, config: otherFields, before })).rejects.toThrow(
    "Invalid request: config.clientSecret is required",
  );
});

const account = { client_email: "a@example.com", private_key: "hush" };
const keys = { accessKeyId: "id", secretAccessKey: "hush" };

test.each([
  [provider, settings, "clientSecret", { tenantId: "another" }],
  [provider, settings, "clientSecret", { loginBaseUrl: "https://login.example.net" }],
  [provider, settings, "clientSecret", { apiBaseUrl: "https://graph.example.net" }],
  [
    "cloud_drive",
    { rootFolderId: "r", credentials: account },
    "credentials",
    { apiBaseUrl: "https://drive.example.net" },
  ],
  [
    "object_storage",
    { endpoint: "https://s3.example.com", bucket: "b", credentials: keys },
    "credentials",
    { endpoint: "https://s3.example.net" },
  ],
] as const)(
  "a kept secret of %s is not sent elsewhere: %#",
  async (kind, before, field, change) => {
    const sealed = await sealSecrets(first, { provider: kind, config: before, before: null });
    const moved = { ...sealed.config, ...change };
    const [name] = Object.keys(change);
    await expect(
      sealSecrets(first, { provider: kind, config: moved, before: sealed }),
    ).rejects.toThrow(`config.${field} is required when ${name} changes`);
    const newConfig = { ...before, ...change };
    const resealed = await sealSecrets(first, {
      provider: kind,
      config: newConfig,
      before: sealed,
    });
    expect(await openConfig(first, resealed)).toEqual(newConfig);
  },
);

test("neither a secret nor the access that it gives travels without encryption", async () => {
  const credentials = { ...account, token_uri: "http://oauth2.example.com/token" };
  for (const [kind, config, name] of [
    [provider, { ...settings, loginBaseUrl: "http://login.example.com" }, "loginBaseUrl"],
    [provider, { ...settings, apiBaseUrl: "http://graph.example.com" }, "apiBaseUrl"],
    ["cloud_drive", { rootFolderId: "r", credentials }, "credentials.token_uri"],
  ] as const) {
    await expect(sealSecrets(first, { provider: kind, config, before: null })).rejects.toThrow(
      `config.${name} must be an https URL`,
    );
    const local = { ...first, ALLOW_PRIVATE_URLS: true };
    await sealSecrets(local, { provider: kind, config, before: null });
  }
});

test("a bucket that is a part of the host name leads to no other host", () => {
  const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
  const rest = { endpoint: "https://s3.example.com", region: "x", pathStyle: false, credentials };
  const isValid = (bucket: string) => objectStorageConfig.safeParse({ ...rest, bucket }).success;
  expect(["docs.v1", "else.example/", "a\\", "a?", "a#"].filter(isValid)).toEqual(["docs.v1"]);
});
