import { describe } from "vitest";

import { docx } from "../../../../support/office-files.ts";
import { reads } from "../../../../support/read-document.ts";

const p = (runs: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${runs}</w:p>`;
const r = (text: string, properties = "") =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const styled = (style: string) => `<w:pStyle w:val="${style}"/>`;

describe("text that is hidden", () => {
  const VANISH = "<w:vanish/>";
  const SHOWN = '<w:vanish w:val="0"/>';
  const style = (id: string, type: string, inside: string) =>
    `<w:style w:type="${type}" w:styleId="${id}">${inside}</w:style>`;
  const styles = [
    style("Hidden", "paragraph", `<w:rPr>${VANISH}</w:rPr>`),
    style("Shown", "paragraph", `<w:basedOn w:val="Hidden"/><w:rPr>${SHOWN}</w:rPr>`),
    style("Visible", "character", `<w:rPr>${SHOWN}</w:rPr>`),
    style("Unseen", "character", `<w:rPr>${VANISH}</w:rPr>`),
  ].join("");
  const file = (body: string, footnote = "") =>
    docx(body, {
      s: ["styles", `<w:styles>${styles}</w:styles>`],
      f: [
        "footnotes",
        `<w:footnotes><w:footnote w:id="1">${p(footnote)}</w:footnote></w:footnotes>`,
      ],
    });
  const hiddenText = p(r("x"), styled("Hidden"));
  const reference = (properties = "") =>
    `<w:r><w:rPr>${properties}</w:rPr><w:footnoteReference w:id="1"/></w:r>`;
  const runHidden = "1 hidden text run removed";
  const paragraphHidden = "1 hidden paragraph removed";
  const unseen = '<w:rStyle w:val="Unseen"/>';

  reads("a.docx", {
    "by a paragraph's style": [file(hiddenText + p(r("seen"))), "seen", paragraphHidden],
    "by a paragraph's style in a table": [
      file(p(r("seen")) + `<w:tbl><w:tr><w:tc>${hiddenText}</w:tc></w:tr></w:tbl>`),
      "seen",
      paragraphHidden,
    ],
    "by a character style": [file(p(r("seen") + r("x", unseen))), "seen", runHidden],
    "in footnotes": [
      file(p(r("seen") + reference()), r("told") + r("x", VANISH)),
      "seen[^1]\n\n[^1]: told",
      runHidden,
    ],
    "with the footnote of a hidden reference": [
      file(p(r("seen") + reference(VANISH)), r("x")),
      "seen",
      paragraphHidden,
    ],
    "only before a change, or is shown against its style": [
      file(
        p(
          r("seen ", `<w:rPrChange><w:rPr>${VANISH}</w:rPr></w:rPrChange>`) +
            r("too", unseen + SHOWN),
        ),
      ),
      "seen too",
    ],
    "not by a style based on a hidden one": [file(p(r("seen"), styled("Shown"))), "seen"],
    "not in a run that is shown": [file(p(r("seen", SHOWN), styled("Hidden"))), "seen"],
    "not in a run whose style is shown": [
      file(p(r("seen", '<w:rStyle w:val="Visible"/>'), styled("Hidden"))),
      "seen",
    ],
    "beside a run that is shown": [
      file(p(r("x") + r("seen", SHOWN), styled("Hidden"))),
      "seen",
      runHidden,
    ],
  });
});
