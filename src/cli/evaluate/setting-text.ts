import { settingShape } from "../../db/evaluation/stored-shapes.ts";
import { CommandFailure } from "../failure.ts";

const NAMES = Object.keys(settingShape.shape);

/**
 * A setting as it is written on the command line: `topK=20,reranker=embedded/lexical`; `default` is
 * the resource as it is.
 * @throws CommandFailure
 */
export function settingIn(text: string): Record<string, unknown> {
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
  return Object.fromEntries(pairs);
}

const NAMED: Record<string, unknown> = { true: true, false: false, none: null, null: null };

function valueOf(text: string): unknown {
  if (Object.hasOwn(NAMED, text)) return NAMED[text];
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
