export type Interval = { x0: number; x1: number };

/** A part of a line, in points; `text` in reading order, `order` in that of drawing. */
export type Piece = { text: string; x0: number; x1: number; order: number };

/** A stretch of text on one line without a wide gap. Coordinates in points, y grows downwards. */
export type Segment = {
  text: string;
  x0: number;
  x1: number;
  y: number;
  size: number;
  font: string;
  /** The font of its last part, if that is another one. */
  endFont?: string;
  order: number;
  block?: number | undefined;
  /** The pieces of a line that is not wholly left to right; `text` is derived from them. */
  pieces?: Piece[];
  isMonospaced?: boolean | undefined;
  /** Quarter turns of its direction; larger numbers stand for other angles. */
  turn?: number;
  /** The gaps between its parts: where the part behind the gap begins in `text`. */
  gaps?: Gap[] | undefined;
};

export const endFontOf = ({ font, endFont = font }: Segment) => endFont;

export type Gap = { at: number; x0: number; x1: number };

export type TextItem = {
  str: string;
  transform: number[];
  width: number;
  height: number;
  fontName: string;
  /** Widths of its spaces in points, where many of its characters are spaces. */
  gaps?: number[] | undefined;
  mark?: string | undefined;
  isMonospaced?: boolean;
};
