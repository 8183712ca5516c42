import { settingShape } from "../../db/schema/evaluation-shapes.ts";
import type { EvaluationRun } from "../api/clients.ts";
import { CommandFailure } from "../failure.ts";

const NAMES = Object.keys(settingShape.shape);

/**
 * A setting as it is written on the command line: `topK=20,reranker=embedded/lexical`; `default` is
 * the resource as it is.
 * @throws CommandFailure
 */
export function settingIn(text: string): EvaluationRun["setting"] {
  if (text.trim() === "" || text.trim() === "default") return {};
  const pairs = text.split(",").map((part) => {
    const at = part.indexOf("=");
    const name = NAMES.find((known) => known === part.slice(0, at).trim());
    if (at === -1 || name === undefined) {
      const known = NAMES.join(", ");
      throw new CommandFailure(`"${part.trim()}" is no setting: write NAME=VALUE with ${known}.`);
    }
    return [name, valueOf(part.slice(at + 1).trim())] as const;
  });
  const parsed = settingShape.safeParse(Object.fromEntries(pairs));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no field is undefined
  if (parsed.success) return parsed.data as EvaluationRun["setting"];
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new CommandFailure(`${wrong.join("; ")}.`);
}

const NAMED: Record<string, unknown> = { true: true, false: false, none: null, null: null };

function valueOf(text: string): unknown {
  if (Object.hasOwn(NAMED, text)) return NAMED[text];
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
