import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { checkClient, generate, generatorVersion, writeDocuments } from "../generated-client.ts";
import type { Counterpart, Tools } from "../tools.ts";

const GENERATOR = "openapi-python-client==0.29.1";
const NEEDED = ["pydantic", "python-dateutil", "urllib3", "typing-extensions"];
const PACKAGES = [GENERATOR, ...NEEDED];
const PROGRAMS = { "openapi-generator": "openapi_generator", [GENERATOR]: "openapi_python_client" };
/** Types of bodies that openapi-python-client does not know. */
const BYTES = ["application/zip", "text/csv", "application/x-ndjson", "application/jsonl"];
const OVERRIDES = Object.fromEntries(BYTES.map((type) => [type, "application/octet-stream"]));

async function makePackages(tools: Tools, document: string): Promise<void> {
  const file = join(tools.cache, `${document}.json`);
  const name = `${document}_client`;
  const args = ["-g", "python", "-i", file, "--additional-properties", `packageName=${name}`];
  await generate(tools, join(tools.cache, "openapi-generator", document), args);
  const config = join(tools.cache, `${document}.config.json`);
  writeFileSync(
    config,
    JSON.stringify({ content_type_overrides: OVERRIDES, package_name_override: name }),
  );
  const program = join(await tools.python(PACKAGES), "openapi-python-client");
  const output = ["--output-path", join(tools.cache, GENERATOR, document), "--overwrite"];
  await tools.run(program, ["generate", "--path", file, "--config", config, ...output]);
}

export const counterpart: Counterpart = {
  about: "Python clients that two generators make of the documents",
  async install(tools) {
    await writeDocuments(tools.cache);
    mkdirSync(join(tools.cache, GENERATOR), { recursive: true });
    for (const document of ["public", "panel"]) await makePackages(tools, document);
    return `${generatorVersion}, ${GENERATOR}`;
  },
  async check(tools) {
    const command = join(await tools.python(PACKAGES), "python");
    for (const [generator, program] of Object.entries(PROGRAMS)) {
      const folders = ["public", "panel"].map((document) => join(tools.cache, generator, document));
      const env = { PYTHONPATH: folders.join(delimiter) };
      const args = [join(import.meta.dirname, `${program}.py`)];
      await checkClient(tools, generator, { command, args, env });
    }
  },
};
