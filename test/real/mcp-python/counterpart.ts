import { join } from "node:path";

import { checkByProgram } from "../checked-program.ts";
import { indexNotes } from "../notes.ts";
import type { Counterpart } from "../tools.ts";

const PACKAGES = ["mcp"];

export const counterpart: Counterpart = {
  about: "the official Python SDK's client against /mcp",
  async install(tools) {
    const { stdout } = await tools.run(join(await tools.python(PACKAGES), "pip"), ["show", "mcp"]);
    return /^Version: (.*)$/m.exec(stdout)?.[1] ?? "unknown";
  },
  async check(tools) {
    const { url, api, token } = await tools.quarryWithRag();
    await indexNotes(api);
    await checkByProgram(tools, {
      command: join(await tools.python(PACKAGES), "python"),
      args: [join(import.meta.dirname, "check.py")],
      env: { MCP_URL: `${url}/mcp`, MCP_TOKEN: token },
    });
  },
};
