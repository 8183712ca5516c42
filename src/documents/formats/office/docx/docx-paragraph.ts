import { LinkedText } from "../../../writing/link-text.ts";
import { PLAIN_STYLE } from "../text-styles.ts";

/** `headingLevel`, `numId` and `listLevel`: its own, before those of its style. */
export const blankParagraph = (text = new LinkedText()) => ({
  text,
  style: PLAIN_STYLE,
  headingLevel: PLAIN_STYLE.headingLevel,
  numId: PLAIN_STYLE.numId,
  listLevel: PLAIN_STYLE.listLevel,
  hasText: false,
  isDropCap: false,
  hasHiddenText: false,
});
export type Paragraph = ReturnType<typeof blankParagraph>;

/** Whether it is hidden, by its properties (`own`) or its character style; null: as its paragraph. */
export type Run = Record<"own" | "style", boolean | null> & { isCounted: boolean; height: number };

export const PLAIN_RUN: Run = { own: null, style: null, isCounted: false, height: 0 };
