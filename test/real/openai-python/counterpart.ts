import { join } from "node:path";

import { answeringService, checkByProgram } from "../checked-program.ts";
import type { Counterpart } from "../tools.ts";

const PACKAGES = ["openai"];

export const counterpart: Counterpart = {
  about: "OpenAI's Python SDK against /v1",
  async install(tools) {
    const pip = join(await tools.python(PACKAGES), "pip");
    const { stdout } = await tools.run(pip, ["show", "openai"]);
    return /^Version: (.*)$/m.exec(stdout)?.[1] ?? "unknown";
  },
  async check(tools) {
    const { url, token } = await answeringService(tools);
    await checkByProgram(tools, {
      command: join(await tools.python(PACKAGES), "python"),
      args: [join(import.meta.dirname, "check.py")],
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: token },
    });
  },
};
