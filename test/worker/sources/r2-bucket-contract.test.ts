import { env } from "cloudflare:workers";

import { r2BucketReader } from "../../../src/sources/r2-bucket/r2-bucket-reader.ts";
import { sourceReaderContract } from "../../contract/ports/source-reader.ts";

const PREFIX = "reader-contract/";

sourceReaderContract("the bound bucket", {
  files: 10,
  refuses: false,
  follows: false,
  begin: async () => ({
    async hold(files) {
      const { objects } = await env.FILES.list({ prefix: PREFIX });
      await env.FILES.delete(objects.map(({ key }) => key));
      for (const [path, text] of files) await env.FILES.put(`${PREFIX}${path}`, text);
    },
    newReader: () => r2BucketReader(env.FILES, { prefix: PREFIX }, { pageSize: 4 }),
  }),
});
