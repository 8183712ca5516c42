import { sourceManifest } from "../source-manifest.ts";
import { githubConfig } from "./github-config.ts";
import { isAboutSource } from "./github-events.ts";

export const github = sourceManifest({
  id: "github",
  name: "GitHub",
  summary: "Files, issues and pull requests of an owner's repositories.",
  config: githubConfig,
  open: async ({ credentials, ...config }, tools) => {
    const { GithubReader } = await import("./github-reader.ts");
    return new GithubReader(config, credentials, tools);
  },
  events: isAboutSource,
});
