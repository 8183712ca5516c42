import { expect, test } from "vitest";

import { splitSentences } from "../../../src/text/sentences.ts";

/** Sentences are told apart by `|`. */
const split = (text: string) =>
  splitSentences(text)
    .map((sentence) => sentence.trim())
    .join("|");

const WHOLE = [
  "Die Frist endet am 31. Dezember 2026.",
  "Sie läuft vom 1. 2. 2026 bis zum 28. Februar.",
  "Das Büro liegt im 3. Stock.",
  "Der 2. Vorsitzende vertritt den 1. Vorsitzenden.",
  "Im 19. Jahrhundert gab es z. B. keine Autos, d. h. es war still.",
  "Frau Dr. Meier, Prof. Dr. h. c. Schulz und Dipl.-Ing. Kurz kommen.",
  "Es kostet ca. 5 Mio. Euro inkl. Steuer gem. § 3 Abs. 2 Nr. 4.",
  "Das gilt u. a. i. d. R. für Std. Nr. 7.",
  "Dr. Smith met J. R. Tolkien and Mrs. Brown, e.g. on Monday.",
  "See Fig. 3 and Sec. 4, cf. Vol. 2, i.e. the whole book.",
  "It opens on Jan. 5 at 9 a.m. on weekdays.",
  "Acme Inc. sells bolts, nuts, etc. to everyone.",
  "The version is 3.5 and the address https://x.test/?a=1.",
  "La réunion de M. Dupont, p. ex. avec Mme. Martin.",
  "1. Install the pump.",
];

test.each(WHOLE)("%s is one sentence", (text) => {
  expect(split(text)).toBe(text);
});

test.each([
  ["Es waren 26. Danach kam keiner.", "Es waren 26.|Danach kam keiner."],
  ["It began in 1999. Then it ended.", "It began in 1999.|Then it ended."],
  ["Bring nails, screws, etc. Then begin.", "Bring nails, screws, etc.|Then begin."],
  [
    "Wir öffnen Mo. bis Fr. ab 9 Uhr. Danach nicht.",
    "Wir öffnen Mo. bis Fr. ab 9 Uhr.|Danach nicht.",
  ],
  ["The rope is 5 m. The hook is new.", "The rope is 5 m.|The hook is new."],
  ['He said "Stop." Then he left.', 'He said "Stop."|Then he left.'],
  ["Really?! Yes. No…  Well.", "Really?!|Yes.|No…|Well."],
  ["One line\nanother line", "One line|another line"],
  ["你好吗？我很好！谢谢。", "你好吗？|我很好！|谢谢。"],
  ["यह एक है। वह दो है।", "यह एक है।|वह दो है।"],
  ["1. Install. 2. Start.", "1. Install.|2. Start."],
])("%s is split", (text, expected) => {
  expect(split(text)).toBe(expected);
});

test("nothing is lost, and a long text without sentences is cut into few pieces", () => {
  const text = "a".repeat(100_000);
  const pieces = splitSentences(text);
  expect(pieces.join("")).toBe(text);
  expect(pieces).toHaveLength(7);
  expect(splitSentences("")).toEqual([]);
  const many = "No. 5 is Dr. X. ".repeat(5_000);
  expect(splitSentences(many).join("")).toBe(many);
});

test.each([".", "!…", ".)", "۔"])("a run of %s without an end is looked at once", (mark) => {
  const text = `${mark.repeat(300_000)}x`;
  const pieces = splitSentences(text);
  expect(pieces.join("") === text).toBe(true);
  expect(pieces.length).toBeLessThan(40);
});
