import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";

/* https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination */

/** Says where the next page begins, in a form that clients take as it is. */
export const cursorOf = (position: Record<string, string>): string =>
  Buffer.from(JSON.stringify(position)).toString("base64url");

/** Fields of a position that `cursorOf` wrote. @throws ProtocolError for any other cursor */
export function readCursor<Field extends string>(text: string, fields: readonly Field[]) {
  const json = parseJson(Buffer.from(text, "base64url").toString());
  const position = z.record(z.enum(fields), z.string()).safeParse(json).data;
  if (position !== undefined) return position;
  const problem = "cursor is not valid: take it from an earlier answer";
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem);
}
