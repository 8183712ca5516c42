import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

import { parsedJson } from "../../core/input/parsed-json.ts";
import { isObject } from "../../core/is-object.ts";

/* https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination */

type Position = Record<string, string>;

/** Says where the next page begins, in a form that clients take as it is. */
export const cursorOf = (position: Position): string =>
  Buffer.from(JSON.stringify(position)).toString("base64url");

/**
 * The fields of a position that `cursorOf` wrote.
 * @throws ProtocolError for a cursor that is none of ours.
 */
export function readCursor<Field extends string>(
  text: string,
  fields: readonly Field[],
): Record<Field, string> {
  const read = parsedJson(Buffer.from(text, "base64url").toString());
  if (isObject(read) && hasTexts(read, fields)) return read;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "cursor is not valid: take it from an earlier answer",
  );
}

const hasTexts = <Field extends string>(
  read: object,
  fields: readonly Field[],
): read is Record<Field, string> =>
  fields.every((field) => typeof Reflect.get(read, field) === "string");
