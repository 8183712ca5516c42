import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";

import { OWNER_ONLY } from "./state-files.ts";
import type { Variables } from "./worker-variables.ts";

/** Where systems keep the certificates that they trust; images of containers often have none. */
const STORES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * workerd trusts what the system trusts, or the file in `SSL_CERT_FILE`. It gets one with what
 * Node.js trusts where the system has no store, or `NODE_EXTRA_CA_CERTS` names the certificate of
 * an own authority or of a company's proxy.
 */
export function trustedCertificates(
  stateFolder: string,
  environment: NodeJS.ProcessEnv,
  stores = STORES,
): Variables {
  const { SSL_CERT_FILE, SSL_CERT_DIR, NODE_EXTRA_CA_CERTS: extra } = environment;
  const store = SSL_CERT_FILE ?? stores.find((path) => existsSync(path));
  if (extra === undefined && (store ?? SSL_CERT_DIR) !== undefined) return {};
  const files = [store, extra].flatMap((path) => (path === undefined ? [] : [textOf(path)]));
  const path = join(stateFolder, "certificates.pem");
  writeFileSync(path, [...rootCertificates, ...files].join("\n"), { mode: OWNER_ONLY });
  return { SSL_CERT_FILE: path };
}

/** Empty for what cannot be read: Node.js has warned of it. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
