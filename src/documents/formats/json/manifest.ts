import { documentFormat } from "../../document-format.ts";

export const json = documentFormat({
  kind: "json",
  files: {
    "application/json": "json jsonl ndjson geojson json5 jsonc webmanifest",
    "application/x-ndjson": "",
    "application/jsonl": "",
  },
  read: async () => ({ readText: (await import("./extract-json.ts")).extractJson }),
});
