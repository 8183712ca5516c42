import type { DocumentSiteConfig } from "../../../src/sources/sharepoint/sharepoint-config.ts";
import { SharePointReader } from "../../../src/sources/sharepoint/sharepoint-reader.ts";
import { simulatedScans } from "../source/simulated-scans.ts";
import { LOGIN_BASE, type GraphDouble } from "./graph-double.ts";

/** The configuration of a source that reads the double; the secret aside. */
export function graphConfig(graph: GraphDouble, settings: Partial<DocumentSiteConfig>) {
  const { tenantId, clientId } = graph.entra;
  const loginBaseUrl = LOGIN_BASE;
  return { tenantId, clientId, apiBaseUrl: graph.baseUrl, loginBaseUrl, ...settings };
}

/** Scans of what the settings name: a site, a library, a drive. */
export function graphSource(graph: GraphDouble, settings: Partial<DocumentSiteConfig>) {
  return simulatedScans((kept) => {
    const outgoing = { fetch: graph.fetch, allowPrivate: false };
    const secret = graph.entra.secret;
    return new SharePointReader(graphConfig(graph, settings), secret, { outgoing, ...kept });
  });
}
