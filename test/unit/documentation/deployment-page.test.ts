import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync("docs/deployment.md", "utf8");
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  scripts: Record<string, string>;
};
const workflow = readFileSync(".github/workflows/deploy.yml", "utf8");

const npmScripts = (text: string) =>
  [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name = ""]) => name);

test("the installed wrangler prints what the page says it prints", () => {
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
  expect(printed.filter((words) => !page.includes(words))).toEqual([]);
  expect(printed.filter((words) => !wrangler.includes(words))).toEqual([]);
});

test("every npm script that the page or the workflow runs exists", () => {
  const scriptNames = [...npmScripts(page), ...npmScripts(workflow)];
  expect(scriptNames).toContain("deploy");
  expect(scriptNames.filter((name) => !(name in manifest.scripts))).toEqual([]);
});

test("the workflow deploys tested code from main with the secrets that the page names", () => {
  const [tests = "", deploys = ""] = workflow.split(/^  deploy:$/m);
  expect(tests).toContain("- run: npm test");
  expect(deploys).toContain("needs: test");
  expect(deploys).toContain("github.ref == 'refs/heads/main'");
  expect(deploys).toContain("environment: production");
  const secrets = [...deploys.matchAll(/secrets\.([A-Z_]+)/g)].map(([, name = ""]) => name);
  expect(secrets).toHaveLength(3);
  const about = page.split("\n").find((line) => line.startsWith("**GitHub Actions**")) ?? "";
  expect(secrets.filter((name) => !about.includes(`\`${name}\``))).toEqual([]);
});

test("every action of the workflow is pinned by its digest", () => {
  const used = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action = ""]) => action);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
});

test("the workflow's actions are pinned by digest", () => {
  const used = [...workflow.matchAll(/uses: (\S+)/g)].map(([, name = ""]) => name);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
});
