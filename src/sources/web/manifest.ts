import { sourceManifest } from "../source-manifest.ts";
import { webConfig } from "./web-config.ts";

export const web = sourceManifest({
  id: "web",
  name: "Web site",
  summary: "Pages of a site, by links, sitemaps or addresses that you push.",
  takes: "addresses",
  config: webConfig,
  open: async (config, tools) => {
    const { webReader } = await import("./web-reader.ts");
    return webReader(config, tools);
  },
});
