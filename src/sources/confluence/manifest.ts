import { sourceManifest } from "../source-manifest.ts";
import { confluenceConfig } from "./confluence-config.ts";

export const confluence = sourceManifest({
  id: "confluence",
  name: "Confluence",
  summary: "Spaces of a Confluence Cloud site: pages, blog posts and attachments.",
  config: confluenceConfig,
  open: async ({ apiToken, ...config }, tools) => {
    const { ConfluenceReader } = await import("./confluence-reader.ts");
    return new ConfluenceReader(config, apiToken, tools);
  },
});
