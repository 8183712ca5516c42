import { z } from "zod";

import { sourceManifest } from "../source-manifest.ts";

export const fileSystem = sourceManifest({
  id: "file_system",
  name: "Pushed folder",
  summary: "Upload files here, or push a folder from a program with one command.",
  takes: "files",
  config: z.strictObject({}),
});
