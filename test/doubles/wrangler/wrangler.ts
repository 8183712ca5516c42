/** wrangler as a command: the account is a file, and so is what was called. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

import type { Account } from "./account.ts";
import { answerOf } from "./answer.ts";

const file = process.env["WRANGLER_DOUBLE"] ?? "";
const args = process.argv.slice(2);
appendFileSync(`${file}.calls`, `${args.join(" ")}\n`);

const before = readFileSync(file, "utf8");
const account = JSON.parse(before) as Account;
const { code, stdout, stderr } = answerOf(account, args);
const after = JSON.stringify(account);
if (after !== before) writeFileSync(file, after);

const output = process.env["WRANGLER_OUTPUT_FILE_PATH"];
if (args[0] === "deploy" && output !== undefined) {
  writeFileSync(output, JSON.stringify(JSON.parse(stdout)));
}
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
