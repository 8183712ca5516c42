import { build } from "esbuild";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { checkClient, writeDocuments } from "../generated-client.ts";
import type { Counterpart } from "../tools.ts";

const PACKAGES = ["@hey-api/openapi-ts@0.99.0", "orval@8.38.0", "typescript@5.9.3"];
const COMPILER = { strict: true, module: "esnext", moduleResolution: "bundler", noEmit: true };
const LIBRARIES = { target: "es2022", lib: ["es2022", "dom", "dom.iterable"], skipLibCheck: true };
const TSCONFIG = {
  compilerOptions: { ...COMPILER, ...LIBRARIES, types: [], allowImportingTsExtensions: true },
  include: ["hey", "orval", "program.ts"],
};

/** Compiled with the clients, so that their types are checked, too. */
const PROGRAM = `
declare const process: { env: Record<string, string> };
import * as panel from "./hey/panel";
import { client as panelClient } from "./hey/panel/client.gen";
import * as api from "./hey/public";
import { client } from "./hey/public/client.gen";

const { QUARRY_URL: url, QUARRY_TOKEN: token, QUARRY_KEY: key } = process.env as Record<string, string>;
client.setConfig({ baseUrl: url, auth: token });
panelClient.setConfig({ baseUrl: url + "/panel/api", auth: key });

type Answer<Data> = { data?: Data; error?: unknown; response?: Response };
async function call<Data>(operation: string, attempt: () => Promise<Answer<Data>>, show = (data: Data): unknown => data) {
  const line = await attempt().then(
    async ({ data, error, response }) =>
      data === undefined
        ? "failed " + response?.status + " " + JSON.stringify(error)
        : JSON.stringify(await show(data)),
    (thrown: unknown) => "thrown " + String(thrown),
  );
  console.log(operation + "\\t" + line);
}

const path = { identifier: "docs" };
const answering = { identifier: "answering" };
const semanticSearch = ["days of leave"];
const search = { semanticSearch, topK: 2, includeSources: true };
await call("listRags", () => api.listRags());
await call("getRag", () => api.getRag({ path }));
await call("getRag none", () => api.getRag({ path: { identifier: "none" } }));
await call("listRagFiles", () => api.listRagFiles({ path, query: { page: 1 } }));
await call("retrieveFromRag", () => api.retrieveFromRag({ path, body: search }));
await call("retrieveFromRag by score", async () => {
  const { data } = await api.retrieveFromRag({ path, body: search, throwOnError: true });
  return api.retrieveFromRag({ path, body: { semanticSearch, similarityThreshold: data.chunks[0].score } });
});
const scope = { type: "path", value: "notes/" } as const;
await call("addRagScope", () => api.addRagScope({ path, body: scope }));
await call("removeRagScope", () => api.removeRagScope({ path, body: scope }));
await call("listInferences", () => api.listInferences());
const prompt = "How many days?";
await call("runInference", () => api.runInference({ path: answering, body: { prompt, semanticSearch } }));
await call("retrieveForInference", () => api.retrieveForInference({ path: answering, body: { semanticSearch } }));
await call("listInferenceFiles", () => api.listInferenceFiles({ path: answering, query: { page: 1 } }));
await call("getFileStatus", () =>
  api.getFileStatus({ path: { ...answering, file_source_identifier: "docs" }, query: { file: "leave.md" } }),
);

const files = ["one.md", "two.md"].map((name) => new File(["# " + name], name));
await call("postFileSourcesIdFiles", () => panel.postFileSourcesIdFiles({ path: { id: "uploads" }, body: { file: files } }));
await call("getFileSources", () => panel.getFileSources({ query: { page: 1 } }));
await call("getQuestionSets", () => panel.getQuestionSets({ query: { page: 1 } }));
const asked = { id: "asked" };
await call("export as NDJSON", () => panel.getQuestionSetsIdExport({ path: asked, query: { format: "jsonl" } }), textOf);
await call("export as CSV", () => panel.getQuestionSetsIdExport({ path: asked, query: { format: "csv" } }), textOf);
await call("getArchive", () => panel.getArchive({ query: { rags: "docs" } }), async (zip) => (await textOf(zip)).slice(0, 2));

/** It decides by the media type of the answer whether a text or a blob is given. */
async function textOf(data: unknown): Promise<string> {
  return data instanceof Blob ? await data.text() : String(data);
}
`;

export const counterpart: Counterpart = {
  about: "TypeScript clients that hey-api and orval make of the documents",
  async install(tools) {
    const cwd = tools.cache;
    const bin = join(cwd, "node_modules/.bin");
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true, type: "module" }));
    if (!existsSync(join(bin, "orval"))) {
      await tools.run("npm", ["install", "--no-audit", "--no-fund", ...PACKAGES], { cwd });
    }
    await writeDocuments(cwd);
    for (const document of ["public", "panel"]) {
      const file = `${document}.json`;
      const hey = ["-i", file, "-o", `hey/${document}`, "--silent"];
      await tools.run(join(bin, "openapi-ts"), hey, { cwd });
      const orval = ["--input", file, "--output", `orval/${document}.ts`, "--client", "fetch"];
      await tools.run(join(bin, "orval"), orval, { cwd });
    }
    writeFileSync(join(cwd, "program.ts"), PROGRAM);
    writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify(TSCONFIG));
    await tools.run(join(bin, "tsc"), ["-p", "."], { cwd });
    const outfile = join(cwd, "program.mjs");
    const entry = { entryPoints: [join(cwd, "program.ts")], outfile };
    await build({ ...entry, bundle: true, format: "esm", platform: "node" });
    return PACKAGES.slice(0, 2).join(", ");
  },
  async check(tools) {
    const args = [join(tools.cache, "program.mjs")];
    await checkClient(tools, "hey-api", { command: process.execPath, args });
  },
};
