import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";

import { trustedCertificates } from "../../../src/cli/worker/certificates.ts";
import { testFolder } from "../../support/test-folder.ts";

const [ROOT = ""] = rootCertificates;

test("without a store of the system, or with a named one, workerd trusts as Node.js", () => {
  const folder = testFolder();
  const [store, extra] = ["store.crt", "company.pem"].map((name) => join(folder, name));
  if (store === undefined || extra === undefined) throw new Error("two files");
  writeFileSync(store, "of the system");
  writeFileSync(extra, "of the company");
  const trusted = (environment: NodeJS.ProcessEnv, stores = [join(folder, "none"), store]) => {
    const { SSL_CERT_FILE: path } = trustedCertificates(folder, environment, stores);
    return path === undefined ? null : readFileSync(path, "utf8");
  };
  expect(trusted({})).toBeNull();
  const all = trusted({ NODE_EXTRA_CA_CERTS: extra });
  for (const part of [ROOT, "of the system", "of the company"]) expect(all).toContain(part);
  expect(trusted({}, [])).toContain(ROOT);
  expect(trusted({ NODE_EXTRA_CA_CERTS: "/none.pem" })).toContain("of the system");
  expect(trusted({ SSL_CERT_FILE: extra }, [])).toBeNull();
  const both = trusted({ SSL_CERT_FILE: store, NODE_EXTRA_CA_CERTS: extra }, []);
  for (const part of ["of the system", "of the company"]) expect(both).toContain(part);
});
