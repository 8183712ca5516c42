import { join } from "node:path";

import { checkStorage } from "../object-storage.ts";
import type { Counterpart } from "../tools.ts";

const PACKAGES = ["moto[s3,server]"];

export const counterpart: Counterpart = {
  about: "moto's S3, beside the double of object storage",
  async install(tools) {
    const bin = await tools.python(PACKAGES);
    const { stdout } = await tools.run(join(bin, "pip"), ["show", "moto"]);
    return /^Version: (.*)$/m.exec(stdout)?.[1] ?? "unknown";
  },
  async check(tools) {
    const port = await tools.port();
    const args = ["-H", "127.0.0.1", "-p", String(port)];
    await tools.start(join(await tools.python(PACKAGES), "moto_server"), args, port);
    const credentials = { accessKeyId: "quarry", secretAccessKey: "quarry-secret" };
    const endpoint = `http://127.0.0.1:${port}`;
    await checkStorage(tools, { endpoint, credentials, isOpen: true, isVersioned: true });
  },
};
