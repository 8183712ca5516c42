import { generateKeyPairSync, randomBytes } from "node:crypto";

/** A certificate as far as Entra knows it: its bytes, and its key. */
export function certificate() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const der = randomBytes(600);
  const body = der.toString("base64").match(/.{1,64}/g) ?? [];
  const pem = ["-----BEGIN CERTIFICATE-----", ...body, "-----END CERTIFICATE-----"].join("\r\n");
  return { privateKey, publicKey, der, pem };
}
