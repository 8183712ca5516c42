import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { checkClient, generate, generatorVersion, writeDocuments } from "../generated-client.ts";
import type { Counterpart, Tools } from "../tools.ts";

const OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const OGEN = "github.com/ogen-go/ogen/cmd/ogen@v1.24.0";
const GENERATORS = ["openapi-generator", "oapi-codegen", "ogen"];
/** Files that openapi-generator writes around the package. */
const AROUND = ["go.mod", "go.sum", "test", "docs", "git_push.sh"];

const moduleOf = (tools: Tools) => join(tools.cache, "module");

/** Makes the package of one document with one generator. */
async function makePackage(tools: Tools, generator: string, document: string): Promise<void> {
  const folder = join(moduleOf(tools), generator, document);
  const file = join(moduleOf(tools), `${document}.json`);
  if (generator === "openapi-generator") {
    const options = ["--additional-properties", `packageName=${document}`];
    await generate(tools, folder, ["-g", "go", "-i", file, ...options]);
    for (const name of AROUND) rmSync(join(folder, name), { recursive: true, force: true });
    return;
  }
  mkdirSync(folder, { recursive: true });
  const [command, args] =
    generator === "ogen"
      ? [await tools.goInstall(OGEN), ["--target", folder, "--clean"]]
      : [
          await tools.goInstall(OAPI_CODEGEN),
          ["-generate", "types,client", "-o", join(folder, "client.go")],
        ];
  await tools.run(command, [...args, "-package", document, file]);
}

export const counterpart: Counterpart = {
  about: "Go clients that three generators make of the documents",
  async install(tools) {
    const go = tools.needs("go", "golang");
    const cwd = moduleOf(tools);
    const options = { cwd, env: { ...process.env, GOFLAGS: "-p=1" } };
    await writeDocuments(cwd);
    for (const name of ["calls", ...GENERATORS]) {
      cpSync(join(import.meta.dirname, name), join(cwd, name), { recursive: true });
    }
    for (const generator of GENERATORS) {
      for (const document of ["public", "panel"]) await makePackage(tools, generator, document);
    }
    if (!existsSync(join(cwd, "go.mod"))) {
      await tools.run(go, ["mod", "init", "quarry.example/real"], { cwd });
    }
    await tools.run(go, ["mod", "tidy"], { cwd });
    for (const name of GENERATORS) {
      await tools.run(go, ["build", "-o", `${name}/program`, `./${name}`], options);
    }
    return `${generatorVersion}, ${[OAPI_CODEGEN, OGEN].map((name) => name.split("@v")[1]).join(", ")}`;
  },
  async check(tools) {
    for (const name of GENERATORS) {
      const command = join(moduleOf(tools), name, "program");
      await checkClient(tools, name, { command, args: [] });
    }
  },
};
