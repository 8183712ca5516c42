export type Destination =
  | "text"
  | "skip"
  | "info"
  | "fonts"
  | "styles"
  | "title"
  | "list-text"
  | "note"
  | "field-code";

/** The state that a group inherits and restores at its end. */
export type Group = {
  destination: Destination;
  isHidden: boolean;
  font: number;
  /** Bytes to skip after `\u`. */
  unicodeSkip: number;
  /** The innermost field. */
  field: { code: string };
};

/** The state at the start of a document. */
export const firstGroup = (): Group => ({
  destination: "text",
  isHidden: false,
  font: -1,
  unicodeSkip: 1,
  field: { code: "" },
});
