import { afterAll, expect, test } from "vitest";

import { Browser } from "../../support/browser-without-script.ts";
import { queuesSettled } from "../../support/queues-settled.ts";
import { signedIn } from "../../support/worker-client.ts";

const MEMBER = { email: "reader@localhost", password: "quiet amber lantern" };

afterAll(queuesSettled);

test("a question is kept from a search, asked with two settings, and compared", async () => {
  const api = await signedIn();
  await api.folderWithRag("Moor");
  await api.put("/file-sources/moor/files/leave.md", "# Leave\n\nThirty days of leave a year.");
  await api.put("/file-sources/moor/files/vpn.md", "# VPN\n\nThe tunnel needs a certificate.");
  await queuesSettled();

  const admin = new Browser();
  await admin.signIn();
  await admin.open("/panel/search?rag=moor&q=days+of+leave");
  const [, keep = ""] = /href="(\/panel\/new\/question\?[^"]*)"/.exec(admin.html) ?? [];
  const address = keep.replaceAll("&amp;", "&");
  expect(address).toContain("expected=leave.md");
  await admin.open(address);
  expect(admin.text).toContain("No question set asks this RAG yet.");
  const response = await admin.post("/panel/new/question-set", {
    name: "Moor",
    subject: "rag moor",
  });
  expect(response.location).toBe("/panel/evaluation/moor");
  const location = (await admin.open(address)).headers.get("Location") ?? "";
  await admin.open(location);
  expect(admin.html).toMatch(/name="question"[^>]*>\s*days of leave<.*value="leave\.md"/s);
  const fields = { question: "days of leave", expected: "leave.md" };
  expect((await admin.post("/panel/evaluation/moor/questions", fields)).location).toMatch(/\?add#/);
  expect(admin.html).toMatch(/<details [^>]*open="".*<datalist.*"leave\.md".*"vpn\.md"/s);
  expect(admin.text).toMatch(/The question is saved\..*days of leave.*leave\.md/);

  const csv = "question,file\n<b>Which certificate?</b>,vpn.md\nWrong,";
  await admin.post("/panel/evaluation/moor/import", { format: "csv", text: csv });
  expect(admin.text).toContain("Line 3: file is required");
  expect(admin.html).toContain("&lt;b&gt;Which certificate?&lt;/b&gt;,vpn.md");
  const mended = csv.replace("\nWrong,", "");
  await admin.post("/panel/evaluation/moor/import", { format: "csv", text: mended });
  expect(admin.text).toContain("1 question imported.");
  expect(admin.html).not.toContain("<b>Which");

  await importsFiles(admin);

  // Two windows change the same question: the second is told.
  const [, questionPath = ""] =
    /href="(\/panel\/evaluation\/moor\/questions\/[^"]*)"/.exec(admin.html) ?? [];
  await admin.open(questionPath);
  const updatedAt = /name="updatedAt" value="([^"]*)"/.exec(admin.html)?.[1] ?? "";
  const change = { question: "days of leave", expected: "leave.md", updatedAt };
  await admin.post(questionPath, { ...change, question: "Days of leave a year?" });
  expect(admin.text).toMatch(/The question is saved\..*Days of leave a year\?/);
  const collided = await admin.post(questionPath, { ...change, question: "Days of leave?" });
  expect(collided.status).toBe(409);
  expect(admin.text).toContain("Somebody else changed this meanwhile");

  const different = { topK: "5", "b.similarityThreshold": "1" };
  const started = await admin.post("/panel/evaluation/moor/runs", different);
  const comparison = started.location ?? "";
  expect(comparison).toMatch(/\/panel\/evaluation\/moor\/runs\/compare\?first=.*&second=/);
  await queuesSettled();
  await admin.open(comparison);
  expect(admin.text).toMatch(/file in first 5 1\.000 0\.000 -1\.000 \(-1\.000 to -1\.000\)/);
  expect(admin.text).toContain("minimum similarity 1");
  await admin.open("/panel/evaluation/moor/runs");
  expect(admin.html).toContain("First hit near the top, 0.000 to 1.000");
  const [, run = ""] = /first=([\w-]+)/.exec(comparison) ?? [];
  await admin.open(`/panel/evaluation/moor/runs/${run}`);
  expect(admin.text).toMatch(
    /first 5 1\.000.*Embedding model embedded\/hash.* leave\.md place 1 .*leave\.md/,
  );
  // Five passages were searched.
  expect(admin.text).not.toContain("first 10");
  await followsAResult(admin, comparison);
  await admin.open(`/panel/evaluation/moor/runs/${run}/remove`);
  expect(admin.text).toContain("results of its 2 questions are deleted");
  const equal = await admin.post("/panel/evaluation/moor/runs", { topK: "5", "b.topK": "5" });
  await queuesSettled();
  await admin.open(`${equal.location}`);
  expect(admin.text).toMatch(/first 5 1\.000 1\.000 0\.000 \(0\.000 to 0\.000\) no difference/);
  const wrong = await admin.post("/panel/evaluation/moor/runs", { topK: "900" });
  expect(wrong.status).toBe(400);
  expect(admin.text).toContain("Passages must be at most 100");

  await admin.post("/panel/settings", { ...MEMBER, role: "member" });
  const member = new Browser();
  await member.signIn(MEMBER.email, MEMBER.password);
  for (const path of ["", "/runs", "/settings", `/runs/${run}`]) {
    expect((await member.open(`/panel/evaluation/moor${path}`)).status).toBe(200);
    expect(member.html).not.toMatch(/action="\/panel\/(evaluation|new)/);
  }
  await member.open("/panel/search?rag=moor&q=days+of+leave");
  expect(member.html).not.toContain("/panel/new/question");
  expect((await member.open(address)).status).toBe(403);
  expect((await member.open(`/panel/evaluation/moor/runs/${run}/remove`)).status).toBe(403);
  expect((await member.post("/panel/evaluation/moor/runs")).status).toBe(403);

  expect((await admin.open("/panel/evaluation/moor/import")).status).toBe(303);
  await admin.post("/panel/evaluation/moor/remove", { confirmation: "moor" });
  expect(admin.text).toContain("Name must match");
  await admin.post("/panel/evaluation/moor/remove", { confirmation: "Moor" });
  expect(admin.text).toMatch(/The question set is removed\..*There are no question sets yet/);
  await admin.open("/panel/settings/log");
  expect(admin.html).toContain("question-sets.import");
});

/** From a run that missed a file to the question, and back to the runs that asked it. */
async function followsAResult(admin: Browser, comparison: string): Promise<void> {
  const [, missed = ""] = /second=([\w-]+)/.exec(comparison) ?? [];
  await admin.open(`/panel/evaluation/moor/runs/${missed}`);
  expect(admin.text).toMatch(/leave\.md missing nothing/);
  const [, question = ""] =
    /href="(\/panel\/evaluation\/moor\/questions\/[^"]*)"/.exec(admin.html) ?? [];
  await admin.open(question);
  expect(admin.text).toMatch(/Latest results .* missing .* place 1/);
  expect(admin.html).toContain(`/panel/evaluation/moor/runs/${missed}"`);
}

/** A set's questions come from a file; one of them is removed again. */
async function importsFiles(admin: Browser): Promise<void> {
  const uploaded = async (name: string, bytes: string | Uint8Array<ArrayBuffer>, more = "") => {
    const form = new FormData();
    form.append("file", new File([bytes], name));
    form.append("text", more);
    form.append("format", "csv");
    return await admin.sendRaw("/panel/evaluation/moor/import", new Response(form));
  };
  // A file by its ending; the first wrong line is told, and nothing of it is kept.
  const jsonLine = JSON.stringify({ question: "From a file?", expected: [{ file: "vpn.txt" }] });
  expect((await uploaded("set.jsonl", `${jsonLine}\n{}\nx`)).status).toBe(400);
  expect(admin.text).toMatch(/Line 2: question is required/);
  expect(admin.text).not.toContain("From a file?");
  await uploaded("set.jsonl", jsonLine);
  expect(admin.text).toMatch(/1 question imported\..*From a file\?/);
  expect(admin.text).toMatch(/Not in the index: vpn\.txt\. /);
  await uploaded("ansi.csv", new Uint8Array([...Buffer.from("question,file\nGr"), 0xfc, 0x0a]));
  expect(admin.text).toContain("Line 2: is not UTF-8");
  await uploaded("", "", "question,file\nFrom a file?,leave.md");
  expect(admin.text).toMatch(/1 question imported\..*From a file\? leave\.md/);
  await uploaded("", "");
  expect(admin.text).toContain("choose a file, or paste its content");
  expect((await uploaded("large.csv", "x".repeat(1_100_000))).status).toBe(400);
  expect(admin.text).toContain("is larger than 1 MiB");
  expect((await uploaded("large.csv", "x".repeat(3_000_000))).status).toBe(413);
  const type = { "Content-Type": "multipart/form-data; boundary=b" };
  const torn = new Response("--c\r\n", { headers: type });
  expect((await admin.sendRaw("/panel/evaluation/moor/import", torn)).status).toBe(400);
  await admin.open("/panel/evaluation/moor");
  const [, fromFile = ""] =
    /href="([^"]*\/questions\/[^"]*)"[^>]*>\s*<bdi[^>]*>From/.exec(admin.html) ?? [];
  await admin.open(`${fromFile}/remove`);
  expect(admin.text).toContain("From a file? is left out of new runs.");
  await admin.post(`${fromFile}/remove`);
  expect(admin.text).toMatch(/The question is removed\./);
  expect(admin.text).not.toContain("From a file?");
}
