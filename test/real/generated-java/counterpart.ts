import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";

import { checkClient, generate, generatorVersion, writeDocuments } from "../generated-client.ts";
import type { Counterpart, Tools } from "../tools.ts";

const LIBRARIES = ["okhttp-gson", "native"];
const PACKAGES = { public: "quarry", panel: "quarry.panel" };

const folderOf = (tools: Tools, library: string) => join(tools.cache, library);

const classPathOf = (tools: Tools, library: string) =>
  ["classes", "dependency/*"]
    .map((name) => join(folderOf(tools, library), "panel/target", name))
    .join(delimiter);

/** Both clients in one project of Maven, which compiles them with the program. */
async function build(tools: Tools, library: string): Promise<void> {
  const project = folderOf(tools, library);
  for (const [document, name] of Object.entries(PACKAGES)) {
    const folder = join(project, document);
    const file = join(tools.cache, `${document}.json`);
    const packages = ["--api-package", `${name}.api`, "--model-package", `${name}.model`];
    const options = ["--library", library, "--invoker-package", name, ...packages];
    await generate(tools, folder, ["-g", "java", "-i", file, ...options]);
  }
  // The panel's project has what uploads need, too.
  const sources = join(project, "panel/src/main/java");
  await tools.run("cp", ["-r", join(project, "public/src/main/java/quarry"), sources]);
  const goals = ["-DskipTests", "compile", "dependency:copy-dependencies"];
  const maven = ["-q", "-f", join(project, "panel/pom.xml"), ...goals];
  await tools.run(tools.needs("mvn", "maven"), maven);
  const program = ["Main.java", `${library}/Library.java`].map((name) =>
    join(import.meta.dirname, name),
  );
  const classes = join(project, "panel/target/classes");
  await tools.run("javac", ["-cp", classPathOf(tools, library), "-d", classes, ...program]);
}

export const counterpart: Counterpart = {
  about: "Java clients that openapi-generator makes of the documents",
  async install(tools) {
    mkdirSync(tools.cache, { recursive: true });
    await writeDocuments(tools.cache);
    for (const library of LIBRARIES) await build(tools, library);
    return `${generatorVersion}: ${LIBRARIES.join(", ")}`;
  },
  async check(tools) {
    for (const library of LIBRARIES) {
      const args = ["-cp", classPathOf(tools, library), "Main"];
      await checkClient(tools, library, { command: "java", args });
    }
  },
};
