import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";

import { answeringService, checkByProgram } from "../checked-program.ts";
import { consentingBrowser } from "../consenting-browser.ts";
import type { Counterpart } from "../tools.ts";

const MODULES = [
  "github.com/openai/openai-go/v3@v3.98.0",
  "github.com/modelcontextprotocol/go-sdk@v1.8.0",
];

export const counterpart: Counterpart = {
  about: "the Go SDKs of OpenAI and of MCP against /v1 and /mcp",
  async install(tools) {
    const go = tools.needs("go", "golang");
    const options = { cwd: tools.cache, env: { ...process.env, GOFLAGS: "-p=1" } };
    if (!existsSync(join(tools.cache, "go.mod"))) {
      await tools.run(go, ["mod", "init", "quarry.example/real"], { cwd: tools.cache });
      await tools.run(go, ["get", ...MODULES], { cwd: tools.cache });
    }
    for (const name of ["main.go", "oauth.go"]) {
      copyFileSync(join(import.meta.dirname, name), join(tools.cache, name));
    }
    await tools.run(go, ["mod", "tidy"], { cwd: tools.cache });
    await tools.run(go, ["build", "-o", "sdk", "."], options);
    return MODULES.map((module) => module.split("@v").at(-1)).join(", ");
  },
  async check(tools) {
    const { url, token } = await answeringService(tools);
    const browser = await consentingBrowser(tools);
    const env = { QUARRY_URL: url, QUARRY_TOKEN: token, BROWSER_URL: browser };
    await checkByProgram(tools, { command: join(tools.cache, "sdk"), args: [], env });
  },
};
