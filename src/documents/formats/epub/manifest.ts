import { documentFormat } from "../../document-format.ts";

export const epub = documentFormat({
  kind: "epub",
  files: { "application/epub+zip": "epub" },
  zip: { declared: /^application\/epub\+zip/, holds: "META-INF/container.xml" },
  isPacked: true,
  read: async () => ({ readBytes: (await import("./extract-epub.ts")).extractEpub }),
});
