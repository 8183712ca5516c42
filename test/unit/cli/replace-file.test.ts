import { closeSync, openSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { bundleCommands } from "../../../src/cli/build/build-service.ts";
import { replaceFile } from "../../../src/cli/replace-file.ts";
import { testFolder } from "../../support/test-folder.ts";

test("who reads a file while it is replaced has the whole of the old one", () => {
  const folder = testFolder();
  const path = join(folder, "index.js");
  writeFileSync(path, "old and whole");
  const reading = openSync(path, "r");
  replaceFile(path, "new", folder);
  expect(readFileSync(reading, "utf8")).toBe("old and whole");
  closeSync(reading);
  expect(readFileSync(path, "utf8")).toBe("new");
  const { ino } = statSync(path);
  replaceFile(path, Buffer.from("new"), folder);
  expect(statSync(path).ino).toBe(ino);
  expect(readdirSync(folder)).toEqual(["index.js"]);
});

/** Named exports that Node.js 20.11 lacks: a module that imports one by name does not load there. */
const NEWER = new Set(
  (
    "parseEnv styleText getCallSites diff glob globSync hash loadEnvFile matchesGlob duplexPair " +
    "enableCompileCache findPackageJSON registerHooks stripTypeScriptTypes getBuiltinModule"
  ).split(" "),
);
const NEWER_CALLS =
  /\b(?:(?:Map|Object)\.groupBy|Promise\.(?:try|withResolvers)|Array\.fromAsync|new Float16Array)\b/;
const NEWER_MODULES = new Set(["node:sqlite", "node:quic", "node:ffi"]);

test("the packed commands load on Node.js 20.11", async () => {
  const folder = testFolder();
  await bundleCommands(folder);
  const bundle = readFileSync(join(folder, "cli/quarry.js"), "utf8");
  const imports = [...bundle.matchAll(/^import (?:\{([^}]*)\}|[^{]*?) from "([^"]+)";$/gm)];
  const names = imports.flatMap(([, list = ""]) => list.split(","));
  const imported = names.map((name) => name.trim().split(" as ")[0] ?? "");
  expect(imported).toContain("existsSync");
  expect(imported.filter((name) => NEWER.has(name))).toEqual([]);
  expect(imports.filter(([, , module = ""]) => NEWER_MODULES.has(module))).toEqual([]);
  const own = bundle
    .split(/^\/\/ (?=\S+\.\w+$)/m)
    .filter((part) => /^src\/(?!documents)/.test(part));
  expect(own.some((part) => part.startsWith("src/cli/push/plan-push.ts"))).toBe(true);
  expect(own.filter((part) => NEWER_CALLS.test(part))).toEqual([]);
});
