import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

import { answeringService, checkByProgram } from "../checked-program.ts";
import type { Counterpart, Tools } from "../tools.ts";

/** Apart, because they need different versions of the same. */
const PROGRAMS = {
  OpenAi: "com.openai:openai-java:4.101.0",
  Mcp: "io.modelcontextprotocol.sdk:mcp:2.1.0",
};

const classPathOf = (tools: Tools, name: string) =>
  [join(tools.cache, name, "*"), join(tools.cache, `${name}-classes`)].join(delimiter);

export const counterpart: Counterpart = {
  about: "the Java SDKs of OpenAI and of MCP against /v1 and /mcp",
  async install(tools) {
    tools.needs("javac", "default-jdk-headless");
    for (const [name, artifact] of Object.entries(PROGRAMS)) {
      const folder = join(tools.cache, name);
      if (!existsSync(folder)) await tools.mavenCopy([artifact], folder);
      const source = join(import.meta.dirname, `${name}.java`);
      const classes = join(tools.cache, `${name}-classes`);
      await tools.run("javac", ["-cp", classPathOf(tools, name), "-d", classes, source]);
    }
    return Object.values(PROGRAMS)
      .map((artifact) => artifact.split(":").at(-1))
      .join(", ");
  },
  async check(tools) {
    const { url, token } = await answeringService(tools);
    const env = { QUARRY_URL: url, QUARRY_TOKEN: token };
    for (const name of Object.keys(PROGRAMS)) {
      const args = ["-cp", classPathOf(tools, name), name];
      await checkByProgram(tools, { command: "java", args, env });
    }
  },
};
