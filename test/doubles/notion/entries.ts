import { richText } from "./rich-text.ts";

export type Block = {
  id: string;
  type: string;
  body: Record<string, unknown>;
  children: Block[];
  /** Said of blocks whose children the API refuses. */
  hasMore: boolean;
};
export type Entry = {
  kind: "page" | "database" | "data_source";
  id: string;
  title: string;
  /** The id of a page, data source, database or block; null: the workspace. */
  parent: string | null;
  created: number;
  edited: number;
  inTrash: boolean;
  isArchived: boolean;
  properties: Record<string, unknown>;
  blocks: Block[];
};
/** `text`, or a whole body. */
export const block = (
  type: string,
  content: string | Record<string, unknown> = "",
  children: Block[] = [],
): Block => ({
  id: crypto.randomUUID(),
  type,
  body: typeof content === "string" ? { rich_text: [richText(content)] } : content,
  children,
  hasMore: false,
});
