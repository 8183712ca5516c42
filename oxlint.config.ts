import { defineConfig } from "oxlint";
import type { OxlintOverride } from "oxlint";

/** The rooms of src/, lowest first. A room may import the rooms of lower layers and itself. */
const layers: string[][] = [
  ["core"],
  ["text"],
  ["ports", "documents"],
  ["adapters", "db", "rag-index"],
  ["access"],
  ["sources"],
  ["catalog"],
  ["retrieval", "ingestion"],
  ["inference"],
  ["evaluation"],
  ["http"],
  ["panel", "jobs", "protocols"],
];
const rooms = layers.flat();

/** `services.ts` is made of these rooms' types: they cannot know it. */
const BELOW_SERVICES = new Set(layers.slice(0, 4).flat());

/** The files at the root that every room may read, and the rooms whose types they are made of. */
const ROOT_FILES: Record<string, string[]> = {
  "services.ts": ["core", "text", "ports", "documents", "db", "rag-index"],
  "env.ts": ["core", "ports"],
  "config.ts": ["core"],
};

/** What the rooms read may not read the rooms that stand above it. */
function rootFile([file, below]: [string, string[]]): OxlintOverride {
  const above = [...rooms.filter((room) => !below.includes(room)), "durable-objects", "cli"];
  const wired = ["compose\\.ts", ...(file === "services.ts" ? [] : ["services\\.ts"])];
  const pattern = {
    regex: `^\\./(${[...above.map((room) => `${room}/`), ...wired].join("|")})`,
    message: `src/${file} may import ${below.join(", ")} only; see docs/architecture.md.`,
  };
  return {
    files: [`src/${file}`],
    rules: { "no-restricted-imports": ["error", { patterns: [pattern] }] },
  };
}

const onlyIn = (packageName: string, room: string) => ({
  group: [packageName, `${packageName}/*`],
  message: `${packageName} belongs to src/${room}.`,
});

function forbiddenFor(room: string) {
  const layer = layers.findIndex((names) => names.includes(room));
  const allowed = new Set([room, ...layers.slice(0, layer).flat()]);
  // Adapters are wired by compose.ts alone: every other room sees the ports.
  if (room !== "adapters") allowed.delete("adapters");
  return rooms.filter((name) => !allowed.has(name));
}

/** How deep folders may lie below a room. */
const DEPTHS = [1, 2, 3, 4];

/** The rules of a room's files that lie so deep: a relative path tells the room that it leads to. */
function importOrder(room: string, depth: number): OxlintOverride {
  return {
    files: [`src/${room}/${"*/".repeat(depth - 1)}*`],
    rules: { "no-restricted-imports": ["error", { patterns: roomPatterns(room, depth) }] },
  };
}

function roomPatterns(room: string, depth: number) {
  const top = "\\.\\./".repeat(depth);
  const forbidden = [...forbiddenFor(room), "durable-objects", "cli"].map((name) => `${name}/`);
  const files = ["compose\\.ts", ...(BELOW_SERVICES.has(room) ? ["services\\.ts"] : [])];
  return [
    {
      regex: `^${top}(${[...forbidden, ...files].join("|")})`,
      message: `src/${room} may import lower rooms only; see docs/architecture.md.`,
    },
    ...(room === "db" ? [] : [onlyIn("drizzle-orm", "db")]),
  ];
}

/** The folders of src/db, lowest first: each may import those before it. */
const DB_FOLDERS = [
  "schema",
  "catalog",
  "access",
  "usage",
  "files",
  "generations",
  "scans",
  "evaluation",
];

/** The rules of a folder of src/db, and again those of the room, which they would replace. */
function importOrderInDb(folder: string, at: number): OxlintOverride {
  const later = [...DB_FOLDERS.slice(at + 1), "maintenance"].map((name) => `${name}/`);
  const patterns = [
    {
      regex: `^\\.\\./(${later.join("|")})`,
      message: `src/db/${folder} may import these folders only: ${DB_FOLDERS.slice(0, at).join(", ")}.`,
    },
    ...roomPatterns("db", 2),
  ];
  return {
    files: [`src/db/${folder}/*`],
    rules: { "no-restricted-imports": ["error", { patterns }] },
  };
}

/** The panel's own order: components, below the frame of a page, below the pages. */
const PANEL_ORDER: [files: string[], forbidden: string][] = [
  [["src/panel/components/*"], "^\\.\\./(pages|api)/"],
  [
    ["src/panel/pages/page*.ts*", "src/panel/pages/error-page.tsx"],
    "^\\./(?!request/|page|error-page)",
  ],
  [["src/panel/pages/request/*"], "^\\.\\./(?!\\.\\./|page|error-page)"],
];

function importOrderInPanel([files, regex]: (typeof PANEL_ORDER)[number]): OxlintOverride {
  const depth = files[0]?.includes("/request/") === true ? 3 : 2;
  const message = "Components and the frame of a page import no pages; see docs/architecture.md.";
  const patterns = [{ regex, message }, ...roomPatterns("panel", depth)];
  return { files, rules: { "no-restricted-imports": ["error", { patterns }] } };
}

const measured = "Count steps, or compare processor time by test/support/growth/growth.ts.";
const patient = "Wait by test/support/eventually.ts, or expect.poll without a timeout.";
/** What a test must not call, as it would fail on a machine that is slow or busy. */
const timedCalls = [
  { object: "performance", property: "now", message: measured },
  ...["cpuUsage", "threadCpuUsage", "hrtime"].map((property) => {
    return { object: "process", property, message: measured };
  }),
  ...["waitFor", "waitUntil"].map((property) => ({ object: "vi", property, message: patient })),
];

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  env: { builtin: true },
  ignorePatterns: ["dist", ".wrangler", ".quarry", "node_modules", "test/fixtures"],
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-unassigned-import": "off",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-unsafe-type-assertion": "error",
    "max-lines": ["error", { max: 300 }],
    "max-lines-per-function": ["error", { max: 60 }],
    complexity: ["error", { max: 12 }],
    "no-console": "error",
    // A tagged template runs a statement of a database.
    "no-unused-expressions": ["error", { allowTaggedTemplates: true }],
    // Branded ids are chosen by the caller: newId<RagId>().
    "typescript/no-unnecessary-type-parameters": "off",
    // Code points are what the text rules mean.
    "typescript/no-misused-spread": "off",
    "no-await-in-loop": "off",
    "no-shadow": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/no-array-reverse": "off",
    "unicorn/consistent-function-scoping": "off",
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
  },
  overrides: [
    ...rooms.flatMap((room) => DEPTHS.map((depth) => importOrder(room, depth))),
    ...DB_FOLDERS.map(importOrderInDb),
    ...PANEL_ORDER.map(importOrderInPanel),
    ...Object.entries(ROOT_FILES).map(rootFile),
    {
      files: ["src/cli/**", "test/{support,bench,real}/**", "test/contract/run.ts"],
      rules: { "no-console": "off" },
    },
    {
      // Short, for people who copy them; they trust the service's answers.
      files: ["docs/examples/**"],
      rules: { "no-console": "off", "typescript/no-unsafe-type-assertion": "off" },
    },
    {
      // Route declarations follow each other in one function.
      files: ["src/panel/api/**"],
      rules: { "max-lines-per-function": ["error", { max: 90 }] },
    },
    {
      files: ["test/**"],
      rules: { "no-restricted-properties": ["error", ...timedCalls] },
    },
    {
      // Where `npm test` has not installed its packages, their types are unknown.
      files: ["test/witnesses/**"],
      rules: { "typescript/no-unnecessary-type-assertion": "off" },
    },
    {
      files: ["test/bench/**", "test/support/growth/growth.ts"],
      rules: { "no-restricted-properties": "off" },
    },
    {
      files: ["test/**"],
      // A step that a test calls may hold its assertions; a test says of an answer what it expects.
      rules: {
        "max-lines-per-function": "off",
        "vitest/expect-expect": "off",
        "vitest/no-standalone-expect": "off",
        "vitest/no-conditional-expect": "off",
        "typescript/no-unsafe-type-assertion": "off",
      },
    },
  ],
});
