import { expect, it } from "vitest";

import { extract } from "../../../../support/read-document.ts";

const WEBVTT = `WEBVTT - Pump training
Language: en

STYLE
::cue { color: red }

NOTE for the editor

intro
00:01.000 --> 00:03.500 align:start
<v Ann>Oil the <c.loud>pump</c>
<00:02.000>&amp; the hinge</v>

00:03.500 --> 00:05.000
<v Ann>at 2<3 bar.

01:00:05.500 --> 01:00:07.000
<v Bo>Then lock it.

01:00:08.000 --> 01:00:09.000
Done.
`;

it("reads subtitles as paragraphs with their time and speaker", async () => {
  expect(await extract("a.vtt", WEBVTT)).toMatchObject({
    title: "Pump training",
    language: "en",
    markdown: [
      "[00:00:01] Ann: Oil the pump & the hinge at 2<3 bar.",
      "[01:00:05] Bo: Then lock it.",
      "[01:00:08] Done.",
    ].join("\n\n"),
  });
});

it("knows SubRip by its content, and reads a line that stays on the screen once", async () => {
  const cues = [
    "1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}<i>Oil the pump</i>\r\n",
    "2\r\n00:00:02,000 --> 00:00:03,000\r\nOil the pump\r\nand the hinge.\r\n12\r\n",
    "3\r\n00:00:03,500 --> 00:00:04,000\r\nand the hinge.\r\n",
  ];
  const text = "[00:00:01] Oil the pump and the hinge. 12 and the hinge.";
  expect((await extract("a.txt", cues.join("\r\n"))).markdown).toBe(text);
  expect((await extract("a.srt", "No cues\n\nhere\n")).markdown).toBe("No cues\n\nhere\n");
});

it("begins a paragraph where a sentence ends after some hundred characters", async () => {
  const cue = (at: number) =>
    `00:00:${at}.000 --> 00:00:${at + 1}.000\n${"pump ".repeat(25)}${at}${at % 2 === 0 ? "." : ""}\n`;
  const cues = Array.from({ length: 10 }, (_cue, at) => cue(at + 10));
  const { markdown } = await extract("a.vtt", `WEBVTT\n\n${cues.join("\n")}`);
  expect(markdown.match(/^\[.{8}\]/gm)).toEqual(["[00:00:10]", "[00:00:15]", "[00:00:19]"]);
});
