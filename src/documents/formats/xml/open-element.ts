import { attributeTexts } from "./attribute-texts.ts";
import type { Vocabulary, XmlRole } from "./vocabulary.ts";
import type { XmlAttributes } from "./xml-stream.ts";

type Element = Vocabulary & { name: string; role: XmlRole };

/** An element that is being read. */
export type Open = Element & {
  says: string[];
  href: string;
  language: string;
  textStart: number;
  isTitled: boolean;
  isShown: boolean;
  indent: number;
};

/** @param textStart where it begins in the text gathered so far */
export function opened(element: Element, attributes: XmlAttributes, textStart: number): Open {
  return {
    ...element,
    says: attributeTexts(element, attributes),
    href: attributes["href"] ?? attributes["url"] ?? attributes["target"] ?? "",
    language: /^[\w+#-]{1,20}$/.exec(attributes["language"] ?? "")?.[0] ?? "",
    textStart,
    isTitled: false,
    isShown: false,
    indent: 0,
  };
}
