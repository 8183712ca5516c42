import { join } from "node:path";

import { OpenAiDouble } from "../../doubles/openai-compatible/openai-double.ts";
import { serveOpenAi } from "../../doubles/openai-compatible/serve.ts";
import { checkByScript } from "../python-script.ts";
import type { Counterpart } from "../tools.ts";
import { indexNotes } from "../notes.ts";

const PACKAGES = ["openai"];

export const counterpart: Counterpart = {
  about: "OpenAI's Python SDK against /v1",
  async install(tools) {
    const pip = join(await tools.python(PACKAGES), "pip");
    const { stdout } = await tools.run(pip, ["show", "openai"]);
    return /^Version: (.*)$/m.exec(stdout)?.[1] ?? "unknown";
  },
  async check(tools) {
    const model = await serveOpenAi(new OpenAiDouble({ models: ["chat"] }));
    tools.onClose(model.close);
    const { url, api, token } = await tools.quarryWithRag([
      `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
      "OPENAI_COMPATIBLE_API_KEY:none",
    ]);
    await indexNotes(api);
    const naming = { name: "Answering", identifier: "answering" };
    const body = { ...naming, model: "local/chat", systemPrompt: "Be brief.", rags: ["docs"] };
    await api.POST("/inferences", { body });
    await checkByScript(tools, {
      bin: await tools.python(PACKAGES),
      script: join(import.meta.dirname, "check.py"),
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: token },
    });
  },
};
