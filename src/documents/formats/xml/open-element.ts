import { attributeTexts } from "./attribute-texts.ts";
import type { Vocabulary, XmlRole } from "./vocabulary.ts";
import type { XmlAttributes } from "./xml-stream.ts";

type Element = Vocabulary & { name: string; role: XmlRole };

/** An element that is being read. */
export type Open = Element & {
  /** What its attributes say, until it is written. */
  says: string[];
  href: string;
  /** Of code. */
  language: string;
  textStart: number;
  isTitled: boolean;
  /** Its name stands as the item above its fields. */
  isShown: boolean;
  /** How deep what it holds stands in the list, once it is named. */
  indent: number;
};

/** @param textStart where in the text gathered so far it begins */
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
