import { documentFormat } from "../../document-format.ts";

export const rtf = documentFormat({
  kind: "rtf",
  files: { "application/rtf": "rtf", "text/rtf": "" },
  signature: "{\\rtf",
  read: async () => ({ readBytes: (await import("./extract-rtf.ts")).extractRtf }),
});
