import type { DocumentSiteConfig } from "../../../src/sources/sharepoint/sharepoint-config.ts";
import { SharePointReader } from "../../../src/sources/sharepoint/sharepoint-reader.ts";
import { simulatedScans } from "../source/simulated-scans.ts";
import { GraphDouble, LOGIN_BASE } from "./graph-double.ts";

/** The configuration of a source that reads the double; the secret aside. */
export function graphConfig(graph: GraphDouble, settings: Partial<DocumentSiteConfig>) {
  const { tenantId, clientId } = graph.entra;
  const loginBaseUrl = LOGIN_BASE;
  return { tenantId, clientId, apiBaseUrl: graph.baseUrl, loginBaseUrl, ...settings };
}

/** Scans of what the settings name: a site, a library, a drive. */
export function graphSource(
  graph: GraphDouble,
  settings: Partial<DocumentSiteConfig>,
  readsPermissions = false,
) {
  return simulatedScans((context) => {
    const outgoing = { fetch: graph.fetch, allowPrivate: false };
    const { secret } = graph.entra;
    return new SharePointReader(graphConfig(graph, settings), secret, {
      outgoing,
      readsPermissions,
      ...context,
    });
  });
}

/** A site with one library, read as a library. */
export function libraryOf(settings: Parameters<typeof graphSource>[1] = {}) {
  const graph = new GraphDouble();
  const site = graph.site("hr");
  const drive = site.library;
  return { graph, site, drive, source: graphSource(graph, { driveId: drive.id, ...settings }) };
}
