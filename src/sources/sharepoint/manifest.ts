import { sourceManifest } from "../source-manifest.ts";
import { GRAPH_WEBHOOK, graphNotifications } from "./graph-notifications.ts";
import { documentSiteConfig } from "./sharepoint-config.ts";

export const sharePoint = sourceManifest({
  id: "document_site",
  name: "SharePoint",
  summary: "Libraries of a site, by an app registration.",
  config: documentSiteConfig,
  open: async ({ clientSecret, ...config }, tools) => {
    const { SharePointReader } = await import("./sharepoint-reader.ts");
    return new SharePointReader(config, clientSecret, tools);
  },
  notifications: {
    path: GRAPH_WEBHOOK,
    status: 202,
    startsAtOnce: true,
    parse: graphNotifications,
  },
});
