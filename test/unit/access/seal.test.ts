import { expect, test } from "vitest";

import { seal, unseal } from "../../../src/access/seal.ts";

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const production = { ENVIRONMENT: "production" as const };
const first = { ...production, ENCRYPTION_KEY: keyOf(1) };
const rotated = { ...production, ENCRYPTION_KEY: keyOf(2), ENCRYPTION_KEY_PREVIOUS: keyOf(1) };

test("what was sealed is read again and is not to be seen in the sealed text", async () => {
  const sealed = await seal(first, "päss wörd");
  expect(sealed).toMatch(/^[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
  expect(await unseal(first, sealed)).toBe("päss wörd");
  expect(await seal(first, "päss wörd")).not.toBe(sealed);
});

test("after a rotation the earlier key still reads, and new seals name the new key", async () => {
  const before = await seal(first, "secret");
  expect(await unseal(rotated, before)).toBe("secret");
  const after = await seal(rotated, "secret");
  expect(after.split(".")[0]).not.toBe(before.split(".")[0]);
  await expect(unseal(first, after)).rejects.toThrow("neither ENCRYPTION_KEY nor");
});

test("a changed text is refused", async () => {
  const [id, iv, ciphertext = ""] = (await seal(first, "secret")).split(".");
  const changed = ciphertext.startsWith("A")
    ? `B${ciphertext.slice(1)}`
    : `A${ciphertext.slice(1)}`;
  await expect(unseal(first, [id, iv, changed].join("."))).rejects.toThrow(/./);
});

test("development needs no key, production does", async () => {
  const development = { ENVIRONMENT: "development" as const };
  expect(await unseal(development, await seal(development, "secret"))).toBe("secret");
  await expect(seal(production, "secret")).rejects.toThrow("ENCRYPTION_KEY is not set");
});
