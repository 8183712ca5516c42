import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { checkStorage } from "../object-storage.ts";
import type { Counterpart } from "../tools.ts";

const MODULE = "github.com/rclone/rclone@v1.71.2";

export const counterpart: Counterpart = {
  about: "rclone serve s3 over a folder, beside the double of object storage",
  async install(tools) {
    const { stdout } = await tools.run(await tools.goInstall(MODULE), ["version"]);
    return /v\S+/.exec(stdout)?.[0] ?? "unknown";
  },
  async check(tools) {
    const port = await tools.port();
    const folder = join(tools.scratch, "buckets");
    mkdirSync(folder);
    const credentials = { accessKeyId: "quarry", secretAccessKey: "quarry-secret-0000" };
    const { accessKeyId, secretAccessKey } = credentials;
    const keys = ["--auth-key", `${accessKeyId},${secretAccessKey}`];
    const args = ["serve", "s3", folder, "--addr", `127.0.0.1:${port}`, ...keys];
    await tools.start(await tools.goInstall(MODULE), args, port);
    // It stores both forms of a character under one name.
    const refuses = /\u0301/;
    await checkStorage(tools, { endpoint: `http://127.0.0.1:${port}`, credentials, refuses });
  },
};
