import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

import { checkClient, generate, generatorVersion, writeDocuments } from "../generated-client.ts";
import type { Counterpart, Tools } from "../tools.ts";

const KOTLIN = "2.4.0";
const LIBRARIES = [
  `org.jetbrains.kotlin:kotlin-compiler-embeddable:${KOTLIN}`,
  `org.jetbrains.kotlin:kotlin-reflect:${KOTLIN}`,
  "com.squareup.moshi:moshi-kotlin:1.15.2",
  "com.squareup.moshi:moshi-adapters:1.15.2",
  "com.squareup.okhttp3:okhttp-jvm:5.4.0",
];
const COMPILER = "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler";

function classPathOf({ cache }: Tools): string {
  const libraries = join(cache, "libraries");
  const jars = readdirSync(libraries).map((name) => join(libraries, name));
  return [join(cache, "classes"), ...jars].join(delimiter);
}

export const counterpart: Counterpart = {
  about: "Kotlin clients that openapi-generator makes of the documents",
  async install(tools) {
    const libraries = join(tools.cache, "libraries");
    if (!existsSync(libraries)) await tools.mavenCopy(LIBRARIES, libraries);
    await writeDocuments(tools.cache);
    const sources = [join(import.meta.dirname, "Main.kt")];
    for (const name of ["public", "panel"]) {
      const folder = join(tools.cache, name);
      const options = ["--additional-properties", `packageName=${name}`];
      await generate(tools, folder, ["-g", "kotlin", "-i", `${folder}.json`, ...options]);
      sources.push(join(folder, "src/main/kotlin"));
    }
    const classPath = classPathOf(tools);
    const options = ["-no-stdlib", "-no-reflect", "-nowarn", "-d", join(tools.cache, "classes")];
    const args = ["-cp", classPath, COMPILER, "-classpath", classPath, ...options, ...sources];
    await tools.run("java", args);
    return `${generatorVersion}, Kotlin ${KOTLIN}`;
  },
  async check(tools) {
    const args = ["-cp", classPathOf(tools), "MainKt"];
    await checkClient(tools, "Kotlin", { command: "java", args });
  },
};
