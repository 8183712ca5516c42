/** Destinations whose content is no text of the document. */
export const SKIPPED = new Set(
  "colortbl pict objdata objclass objname objalias objsect header headerl headerr headerf footer footerl footerr footerf annotation atnid atnauthor nonshppict listtable listoverridetable revtbl rsidtbl xmlnstbl themedata colorschememapping datastore latentstyles generator bkmkstart bkmkend filetbl xe tc comment ftnsep ftnsepc sp shprslt mctrlPr".split(
    " ",
  ),
);
/** Ignorable destinations (`\*`) that contain text. */
export const READ_ALTHOUGH_IGNORABLE = new Set(
  "shpinst shptxt footnote fldinst do moMath moMathPara".split(" "),
);

/** Control words and symbols that stand for characters. */
export const SYMBOLS: Record<string, string> = {
  "~": " ",
  _: "-",
  "{": "{",
  "}": "}",
  "\\": "\\",
  tab: " ",
  line: "\n",
  lbr: "\n",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
};
