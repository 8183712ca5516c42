import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

const readme = readFileSync("README.md", "utf8");
const chapter = readme.split("## Deployment\n")[1]?.split("\n## ")[0] ?? "";
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  scripts: Record<string, string>;
};
const workflow = readFileSync(".github/workflows/deploy.yml", "utf8");

const npmScripts = (text: string) =>
  [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name = ""]) => name);

test("what the chapter says that wrangler prints stands in the installed wrangler", () => {
  const wrangler = readFileSync("node_modules/wrangler/wrangler-dist/cli.js", "utf8");
  const printed = [
    "Successfully logged in.",
    "Successfully created DB '",
    "Created bucket '",
    "Created queue",
    "Successfully created a new Vectorize index",
    "Successfully enqueued metadata index creation request",
    "Enter a secret value:",
    "Success! Uploaded secret",
  ];
  expect(printed.filter((words) => !chapter.includes(words))).toEqual([]);
  expect(printed.filter((words) => !wrangler.includes(words))).toEqual([]);
});

test("every npm script that the chapter or the workflow runs is there", () => {
  const named = [...npmScripts(chapter), ...npmScripts(workflow)];
  expect(named).toContain("deploy");
  expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
});

test("the workflow deploys what was tested, from main alone, with the secrets that the chapter names", () => {
  const [tests = "", deploys = ""] = workflow.split(/^  deploy:$/m);
  expect(tests).toContain("- run: npm test");
  expect(deploys).toContain("needs: test");
  expect(deploys).toContain("github.ref == 'refs/heads/main'");
  expect(deploys).toContain("environment: production");
  const secrets = [...deploys.matchAll(/secrets\.([A-Z_]+)/g)].map(([, name = ""]) => name);
  expect(secrets).toHaveLength(3);
  const about = chapter.split("\n").find((line) => line.startsWith("**GitHub Actions**")) ?? "";
  expect(secrets.filter((name) => !about.includes(`\`${name}\``))).toEqual([]);
});
