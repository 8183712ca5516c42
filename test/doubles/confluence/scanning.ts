import type { ConfluenceConfig } from "../../../src/sources/confluence/confluence-config.ts";
import { ConfluenceReader } from "../../../src/sources/confluence/confluence-reader.ts";
import { simulatedScans } from "../source/simulated-scans.ts";
import type { ConfluenceDouble } from "./confluence-double.ts";

/** Scans of a site. */
export function confluenceSource(
  site: ConfluenceDouble,
  settings: Partial<ConfluenceConfig> = {},
  readsPermissions = false,
) {
  const config = { siteUrl: site.baseUrl, email: site.email, ...settings };
  // A token that is made later is not known to the source.
  const { token } = site;
  const outgoing = { fetch: site.fetch, allowPrivate: false };
  return simulatedScans(
    (context) =>
      new ConfluenceReader(config, token, {
        outgoing,
        readsPermissions,
        ...context,
        now: () => site.clock,
      }),
  );
}
