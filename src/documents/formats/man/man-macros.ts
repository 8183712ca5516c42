import type { ManWriter } from "./man-writer.ts";

type Macro = (writer: ManWriter, args: string[]) => void;

const MACROS: [names: string, macro: Macro][] = [
  ["TH", (writer, [name = "", section = ""]) => writer.setTitle(name, section)],
  ["B I R SM SB", (writer, args) => args.length > 0 && writer.add(args.join(" "))],
  ["BR BI RB RI IB IR", (writer, args) => args.length > 0 && writer.add(args.join(""))],
  ["PP P LP HP", (writer) => writer.paragraph()],
  ["TP", (writer) => writer.awaitTag()],
  ["TQ", (writer) => writer.awaitTag(true)],
  ["IP", (writer, [label = ""]) => writer.startItem(label)],
  ["RS", (writer) => writer.indent()],
  ["RE", (writer) => writer.outdent()],
  ["sp Sp YS", (writer) => writer.flush()],
  ["br ti", (writer) => writer.breakLine()],
  ["nf EX Vb", (writer) => writer.literal(true)],
  ["fi EE Ve", (writer) => writer.literal(false)],
  ["OP", (writer, args) => writer.add(`[${args.join(" ")}]`)],
  // A link's target comes before its text, and a mark after its end.
  ["UR MT", (writer, [target = ""]) => writer.add(`<${target}>`)],
  ["UE ME", (writer, [mark = ""]) => writer.add(mark, true)],
  [
    "SY",
    (writer, args) => {
      writer.breakLine();
      writer.add(args.join(" "));
    },
  ],
];

/** Macros of man(7), and requests of roff that print, break or divide text. */
export const MAN_MACROS = new Map(
  MACROS.flatMap(([names, macro]) => names.split(" ").map((name) => [name, macro] as const)),
);
