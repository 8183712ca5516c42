import assert from "node:assert/strict";
import { join } from "node:path";

import type { Counterpart } from "../tools.ts";

const PACKAGES = ["schemathesis"];
const DOCUMENTS = [
  "/api/openapi.json",
  "/api/openapi-agents-and-webhooks.json",
  "/panel/api/openapi.json",
];

export const counterpart: Counterpart = {
  about: "calls that schemathesis generates from the three OpenAPI documents",
  async install(tools) {
    const { stdout } = await tools.run(join(await tools.python(PACKAGES), "st"), ["--version"]);
    return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? "unknown";
  },
  async check(tools) {
    const { url, key, token } = await tools.quarryWithRag();
    const st = join(await tools.python(PACKAGES), "st");
    for (const document of DOCUMENTS) {
      const credential = document.startsWith("/panel") ? key : token;
      const bounds = ["--max-examples", "10", "--seed", "1", "--request-timeout", "60"];
      const checks = ["--checks", "not_a_server_error", "--phases", "examples,coverage,fuzzing"];
      const authorization = ["-H", `Authorization: Bearer ${credential}`];
      await tools.check(`${document}: no call ends with 5xx`, async () => {
        const args = ["run", `${url}${document}`, ...authorization, ...bounds, ...checks];
        const { code, stdout } = await tools.tryRun(st, args, { cwd: tools.scratch });
        assert.equal(code, 0, stdout.slice(-4_000));
      });
    }
  },
};
