import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { checkStorage } from "../object-storage.ts";
import type { Counterpart, Tools } from "../tools.ts";

const ARTIFACT = "org.gaul:s3proxy:2.6.0";

/** Its classes and those that they need, by Maven. */
async function classesOf(tools: Tools): Promise<string> {
  const folder = join(tools.cache, "jars");
  if (!existsSync(folder)) await tools.mavenCopy([ARTIFACT], folder);
  return join(folder, "*");
}

export const counterpart: Counterpart = {
  about: "S3Proxy over a folder, beside the double of object storage",
  async install(tools) {
    tools.needs("java", "default-jre-headless");
    await classesOf(tools);
    return ARTIFACT.split(":").at(-1) ?? "unknown";
  },
  async check(tools) {
    const port = await tools.port();
    const folder = join(tools.scratch, "buckets");
    mkdirSync(folder);
    const credentials = { accessKeyId: "quarry", secretAccessKey: "quarry-secret-0000" };
    const settings = join(tools.scratch, "s3proxy.conf");
    writeFileSync(
      settings,
      `s3proxy.authorization=aws-v2-or-v4
s3proxy.endpoint=http://127.0.0.1:${port}
s3proxy.identity=${credentials.accessKeyId}
s3proxy.credential=${credentials.secretAccessKey}
jclouds.provider=filesystem-nio2
jclouds.identity=any
jclouds.credential=any
jclouds.filesystem.basedir=${folder}
`,
    );
    const main = ["org.gaul.s3proxy.Main", "--properties", settings];
    await tools.start("java", ["-cp", await classesOf(tools), ...main], port);
    await checkStorage(tools, { endpoint: `http://127.0.0.1:${port}`, credentials });
  },
};
