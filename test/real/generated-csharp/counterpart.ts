import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { checkClient, generate, generatorVersion, writeDocuments } from "../generated-client.ts";
import type { Counterpart } from "../tools.ts";

/** Newtonsoft.Json as npm has it: NuGet is not needed. */
const JSON_PACKAGE = "jillejr.newtonsoft.json-for-unity@12.0.101";
const JSON_LIBRARY = "package/Plugins/Newtonsoft.Json Editor/Newtonsoft.Json.dll";
const SYSTEM = "System.Net.Http System.Runtime.Serialization System.ComponentModel.DataAnnotations";
const OPTIONS = "targetFramework=net48,library=httpclient,validatable=false";

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".cs"))
    .map((name) => join(folder, name));

export const counterpart: Counterpart = {
  about: "C# clients that openapi-generator makes of the documents, for .NET Framework",
  async install(tools) {
    const packages = "mono-mcs mono-runtime libmono-cil-dev";
    const compiler = tools.needs("mcs", packages);
    tools.needs("mono", packages);
    const library = join(tools.cache, "Newtonsoft.Json.dll");
    if (!existsSync(library)) {
      const { stdout } = await tools.run("npm", ["pack", "--silent", JSON_PACKAGE], {
        cwd: tools.cache,
      });
      const args = ["-xzf", stdout.trim(), "--strip-components=3", JSON_LIBRARY];
      await tools.run("tar", args, { cwd: tools.cache });
    }
    await writeDocuments(tools.cache);
    const sources = sourcesIn(import.meta.dirname);
    for (const [document, name] of Object.entries({
      public: "QuarryPublic",
      panel: "QuarryPanel",
    })) {
      const folder = join(tools.cache, document);
      const options = ["--additional-properties", `packageName=${name},${OPTIONS}`];
      await generate(tools, folder, ["-g", "csharp", "-i", `${folder}.json`, ...options]);
      sources.push(...sourcesIn(join(folder, "src", name)));
    }
    const references = [library, ...SYSTEM.split(" ").map((name) => `${name}.dll`)];
    const output = `-out:${join(tools.cache, "main.exe")}`;
    const flags = ["-langversion:latest", "-nowarn:0,1,2,3,4,168,219,414,472,618,649,1591,1998"];
    const args = [...flags, output, ...references.map((name) => `-r:${name}`), ...sources];
    await tools.run(compiler, args);
    return `${generatorVersion}, Mono`;
  },
  async check(tools) {
    await checkClient(tools, "C#", { command: "mono", args: [join(tools.cache, "main.exe")] });
  },
};
