import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { checkClient, generate, generatorVersion, writeDocuments } from "../generated-client.ts";
import type { Counterpart } from "../tools.ts";

const WORKSPACE = `[workspace]
members = ["program"]
resolver = "2"

[profile.dev]
debug = false
`;
const PROGRAM = `[package]
name = "program"
version = "1.0.0"
edition = "2021"

[dependencies]
public = { path = "../public" }
panel = { path = "../panel" }
reqwest = "*"
serde = "1"
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
`;

export const counterpart: Counterpart = {
  about: "Rust clients that openapi-generator makes of the documents",
  async install(tools) {
    const cwd = tools.cache;
    await writeDocuments(cwd);
    for (const name of ["public", "panel"]) {
      const options = ["--additional-properties", `packageName=${name}`];
      await generate(tools, join(cwd, name), [
        "-g",
        "rust",
        "-i",
        `${cwd}/${name}.json`,
        ...options,
      ]);
    }
    mkdirSync(join(cwd, "program/src"), { recursive: true });
    cpSync(join(import.meta.dirname, "main.rs"), join(cwd, "program/src/main.rs"));
    writeFileSync(join(cwd, "program/Cargo.toml"), PROGRAM);
    writeFileSync(join(cwd, "Cargo.toml"), WORKSPACE);
    await tools.run(tools.needs("cargo", "cargo"), ["build", "--quiet"], { cwd });
    return generatorVersion;
  },
  async check(tools) {
    const command = join(tools.cache, "target/debug/program");
    await checkClient(tools, "Rust", { command, args: [] });
  },
};
