import { base64url, importPKCS8, SignJWT } from "jose";

import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";

/*
 * https://learn.microsoft.com/entra/identity-platform/certificate-credentials
 */
const ALGORITHM = "PS256";
const LIFETIME_MS = 5 * MINUTE_MS;

/** Whether a client secret is the PEM of a certificate with its key. */
export const isCertificate = (secret: string) => secret.includes("-----BEGIN ");

/**
 * A JWT that proves possession of the certificate's key to Microsoft Entra.
 * @throws SourceFailure `denied` when the PEM cannot be read; it holds nothing of it.
 */
export async function clientAssertion(
  pem: string,
  { clientId, audience, now }: { clientId: string; audience: string; now: number },
): Promise<string> {
  const certificate = pemBlock(pem, "CERTIFICATE");
  if (certificate === null) throw unreadable("it holds no certificate");
  const key = pemBlock(pem, "PRIVATE KEY");
  if (key === null) throw unreadable("it holds no unencrypted PKCS #8 private key");
  const issuedAt = Math.floor(now / SECOND_MS);
  try {
    const thumbprint = await crypto.subtle.digest("SHA-256", bytesOf(certificate));
    return await new SignJWT()
      .setProtectedHeader({
        alg: ALGORITHM,
        typ: "JWT",
        "x5t#S256": base64url.encode(new Uint8Array(thumbprint)),
      })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(audience)
      .setJti(crypto.randomUUID())
      .setNotBefore(issuedAt)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME_MS / SECOND_MS)
      .sign(await importPKCS8(key, ALGORITHM));
  } catch {
    // What the library says may quote the key.
    throw unreadable("its private key is damaged or not RSA");
  }
}

const unreadable = (why: string) =>
  new SourceFailure(
    "denied",
    `the certificate in clientSecret cannot be used: ${why}. Paste the PEM of the certificate and of its private key`,
  );

/** The first block of this label, its lines of dashes included. */
function pemBlock(pem: string, label: string): string | null {
  const begin = `-----BEGIN ${label}-----`;
  const end = `-----END ${label}-----`;
  const from = pem.indexOf(begin);
  const to = pem.indexOf(end, from);
  return from < 0 || to < 0 ? null : pem.slice(from, to + end.length);
}

function bytesOf(block: string): Uint8Array<ArrayBuffer> {
  const body = block.split("\n").slice(1, -1).join("").replace(/\s/g, "");
  return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
}
