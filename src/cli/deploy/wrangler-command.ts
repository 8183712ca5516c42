import { spawn, type StdioOptions } from "node:child_process";
import { join } from "node:path";
import type { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";
import { CommandFailure } from "../failure.ts";
import { PROJECT } from "../installation.ts";
import { exitCodeOf, outputOf, type Output } from "../worker/processes.ts";

/** The `[env.…]` of wrangler.toml that can be deployed. */
export const ENVIRONMENTS = ["production", "preview"] as const;
export type EnvironmentName = (typeof ENVIRONMENTS)[number];

export type AskWrangler = (args: string[]) => Promise<Output>;

/** The project's own wrangler is at the end of the path, for callers without npm. */
export function spawnWrangler(args: string[], stdio: StdioOptions, extra: Record<string, string>) {
  const PATH = `${process.env["PATH"] ?? ""}:${join(PROJECT, "node_modules/.bin")}`;
  const env = { ...process.env, PATH, WRANGLER_SEND_METRICS: "false", ...extra };
  return spawn("wrangler", args, { cwd: PROJECT, env, stdio });
}

function failToStart({ message }: Error): never {
  throw new CommandFailure(`wrangler does not start: ${message}`);
}

/** Runs without a terminal: wrangler asks no question and shows no spinner. */
export const askWrangler: AskWrangler = async (args) => {
  const plain = { CI: "1", NO_COLOR: "1", FORCE_COLOR: "0" };
  const child = spawnWrangler(args, ["ignore", "pipe", "pipe"], plain);
  return await outputOf(child).catch(failToStart);
};

/**
 * Runs wrangler on the user's terminal, where it can ask questions.
 * @throws CommandFailure with the given message when it exits with anything but 0.
 */
export async function runWrangler(
  args: string[],
  purpose: string,
  extra: Record<string, string> = {},
): Promise<void> {
  const code = await exitCodeOf(spawnWrangler(args, "inherit", extra)).catch(failToStart);
  if (code !== 0) {
    throw new CommandFailure(`${purpose}: wrangler ${args.join(" ")} exited with code ${code}.`);
  }
}

/** The JSON that wrangler printed; null when it is not JSON, or has another shape. */
export function parseOutput<Schema extends z.ZodType>({ stdout }: Output, schema: Schema) {
  return schema.safeParse(parseJson(stdout)).data ?? null;
}

const BOX_AND_COLOUR = new RegExp(String.raw`\u001B\[[\d;]*m|[✘▲🪵]|\[(?:ERROR|WARNING)\]`, "gu");
const REASON_LINES = 3;

export function failureReason({ stdout, stderr }: Output): string {
  const lines = `${stderr}\n${stdout}`
    .replaceAll(BOX_AND_COLOUR, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("Logs were written to"));
  return lines.slice(0, REASON_LINES).join(" ") || "wrangler gave no reason";
}

/** `unknown`: it could not be checked, which stops a deployment as `missing` does. */
export type Finding = {
  what: string;
  state: "there" | "missing" | "wrong" | "unknown";
  /** The problem, or a remark. */
  note?: string;
  /** How to fix it, line by line: commands, and `#` lines that describe manual steps. */
  fix?: string[];
};

export const presentFinding = (what: string, note?: string): Finding =>
  note === undefined ? { what, state: "there" } : { what, state: "there", note };

export const unknownFinding = (what: string, output: Output): Finding => ({
  what,
  state: "unknown",
  note: failureReason(output),
});
