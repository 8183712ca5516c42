import { documentFormat } from "../../../document-format.ts";

export const pptx = documentFormat({
  kind: "pptx",
  files: {
    "application/vnd.openxmlformats-officedocument.presentationml.presentation":
      "pptx pptm ppsx ppsm potx",
  },
  zip: {
    holds: "ppt/",
    types: /presentationml\.\w+\.main\+xml|ms-powerpoint\.\w+\.macroEnabled\.main/i,
  },
  isPacked: true,
  read: async () => ({ readBytes: (await import("./extract-pptx.ts")).extractPptx }),
});
