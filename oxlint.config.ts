import { defineConfig } from "oxlint";
import type { OxlintOverride } from "oxlint";

/** The rooms of src/, lowest first. A room may import the rooms of lower layers and itself. */
const layers: string[][] = [
  ["core"],
  ["ports"],
  ["adapters", "db", "index-store"],
  ["access"],
  ["catalog"],
  ["retrieval", "ingestion"],
  ["inference"],
  ["http"],
  ["panel", "jobs"],
];
const rooms = layers.flat();

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

function importOrder(room: string): OxlintOverride {
  const forbidden = forbiddenFor(room);
  const services = layers.findIndex((names) => names.includes(room)) < 3 ? ["**/services.ts"] : [];
  const patterns = [
    {
      group: [
        ...forbidden.map((name) => `**/${name}/**`),
        ...services,
        "**/compose.ts",
        "**/durable-objects/**",
        "**/cli/**",
      ],
      message: `src/${room} may import lower rooms only; see the order in the README.`,
    },
    ...(room === "db" ? [] : [onlyIn("drizzle-orm", "db")]),
  ];
  return { files: [`src/${room}/**`], rules: { "no-restricted-imports": ["error", { patterns }] } };
}

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  env: { builtin: true },
  ignorePatterns: [
    "dist",
    ".wrangler",
    ".quarry",
    "node_modules",
    "test/contract/generated",
    "test/fixtures",
  ],
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-unassigned-import": "off",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-unsafe-type-assertion": "off",
    "max-lines": ["error", { max: 300 }],
    "max-lines-per-function": ["error", { max: 60 }],
    complexity: ["error", { max: 12 }],
    "no-console": "error",
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
    ...rooms.map((room) => importOrder(room)),
    {
      files: ["src/cli/**", "test/support/**", "test/bench/**", "test/contract/run.ts"],
      rules: { "no-console": "off" },
    },
    {
      files: ["test/**"],
      // A step that a test calls may hold its assertions.
      rules: {
        "max-lines-per-function": "off",
        "vitest/expect-expect": "off",
        "vitest/no-standalone-expect": "off",
        "vitest/no-conditional-expect": "off",
      },
    },
  ],
});
