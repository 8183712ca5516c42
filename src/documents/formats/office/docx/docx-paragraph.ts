import { LinkedText } from "../../../writing/link-text.ts";
import { PLAIN_STYLE, type TextStyle } from "../text-styles.ts";

/** `headingLevel`, `numId` and `listLevel`: its own, before those of its style. */
export type Paragraph = Pick<TextStyle, "headingLevel" | "numId" | "listLevel"> & {
  text: LinkedText;
  style: TextStyle;
  hasText: boolean;
  isDropCap: boolean;
  hasHiddenText: boolean;
};

export const blankParagraph = (text = new LinkedText()): Paragraph => ({
  text,
  style: PLAIN_STYLE,
  headingLevel: null,
  numId: null,
  listLevel: null,
  hasText: false,
  isDropCap: false,
  hasHiddenText: false,
});

/** Whether it is hidden, by its properties (`own`) or its character style; null: as its paragraph. */
export type Run = Record<"own" | "style", boolean | null> & { isCounted: boolean; height: number };

export const PLAIN_RUN: Run = { own: null, style: null, isCounted: false, height: 0 };
