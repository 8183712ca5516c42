import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { linesOf } from "../../../text/lines.ts";
import type { Extraction } from "../../extracted-document.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { ownEntryOf } from "../archive/own-entry.ts";
import { readText as readPlainText } from "../text/extract-plain-text.ts";

const TIME = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d\d[.,]\d{1,3})`;
const TIMING = new RegExp(String.raw`^[ \t]*${TIME}[ \t]*-->[ \t]*${TIME}`, "m");
const HEADER = /^WEBVTT[ \t]+-[ \t]*(\S.*)$/;
const NO_CUE = /^(?:WEBVTT|NOTE|STYLE|REGION|X-TIMESTAMP-MAP)\b/;
const LANGUAGE = /^Language:[ \t]*(\S+)/;
const SPEAKER = /<v(?:\.[^\s<>]*)?[ \t]([^<>]*)>/;
/** Tags of voices, styles and times, and the positions of SubStation Alpha. */
const MARKUP = /<\/?(?:[a-z.]|\d+:)[^<>]*>|\{\\[^{}]*\}/gi;
const REFERENCES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** In seconds. */
const LONG_PAUSE = 4;
const PARAGRAPH_CHARACTERS = 400;
const MAX_PARAGRAPH_CHARACTERS = 1_200;
const SENTENCE_END = /[.!?…。！？]["'”’»)\]」]*$/u;

/**
 * WebVTT (https://www.w3.org/TR/webvtt1/) and SubRip: what is said, in paragraphs that begin with
 * their time and speaker. A text without cues as it stands.
 */
export function* readText(text: string): CooperativeWork<Extraction> {
  if (!TIMING.test(text)) return yield* readPlainText(text);
  const transcript = new Transcript();
  for (const line of linesOf(text)) {
    yield line.length;
    transcript.add(line);
  }
  return transcript.extraction();
}

class Transcript {
  readonly #out = new MarkdownBuilder();
  #title: string | null = null;
  #language: string | null = null;
  /** Whether the line before was blank, and whether the block holds no cue. */
  #isBlockStart = true;
  #isSkipped = false;
  /** The last line, until it is sure that it does not name the next cue. */
  #held: string | null = null;
  #canNameCue = false;
  #paragraph = "";
  #speaker = "";
  /** When the cue begins and ends, in seconds. */
  #start = 0;
  #end = 0;
  /** The lines of this cue, and those that the cue before still shows. */
  #lines = new Set<string>();
  #shown = new Set<string>();

  add(line: string): void {
    const text = line.trim();
    const timing = TIMING.exec(line);
    if (timing !== null) {
      if (!this.#canNameCue && !/^\d+$/.test(this.#held ?? "")) this.#writeHeld();
      this.#held = null;
      this.#isSkipped = false;
      this.#startCue(timing.slice(1));
    } else if (text === "") {
      this.#writeHeld();
      this.#isSkipped = false;
    } else this.#addText(text);
    this.#isBlockStart = text === "";
  }

  extraction(): Extraction {
    this.#writeHeld();
    this.#endParagraph();
    return this.#out.extraction({ title: this.#title, language: this.#language });
  }

  #addText(text: string): void {
    if (this.#isBlockStart && NO_CUE.test(text)) {
      this.#isSkipped = true;
      this.#title ??= HEADER.exec(text)?.[1] ?? null;
    }
    if (this.#isSkipped) this.#language ??= LANGUAGE.exec(text)?.[1] ?? null;
    else {
      this.#writeHeld();
      this.#held = text;
      this.#canNameCue = this.#isBlockStart;
    }
  }

  #startCue(times: (string | undefined)[]): void {
    const numbers = times.map((time) => Number(time?.replace(",", ".") ?? 0));
    this.#start = secondsOf(numbers);
    const isContinued = this.#start <= this.#end;
    const { length } = this.#paragraph;
    const isComplete = length > PARAGRAPH_CHARACTERS && SENTENCE_END.test(this.#paragraph);
    if (isComplete || length > MAX_PARAGRAPH_CHARACTERS || this.#start - this.#end > LONG_PAUSE)
      this.#endParagraph();
    this.#shown = isContinued ? this.#lines : new Set();
    this.#lines = new Set();
    this.#end = secondsOf(numbers.slice(3));
  }

  #writeHeld(): void {
    const line = this.#held;
    this.#held = null;
    if (line === null) return;
    const voice = SPEAKER.exec(line)?.[1] ?? (this.#lines.size === 0 ? "" : this.#speaker);
    const speaker = foldSpace(voice);
    const text = foldSpace(plainText(line));
    if (text === "" || this.#shown.has(text)) return;
    if (speaker !== this.#speaker) this.#endParagraph();
    this.#speaker = speaker;
    this.#lines.add(text);
    const start = `[${clockTime(this.#start)}]${speaker === "" ? "" : ` ${speaker}:`}`;
    this.#paragraph += this.#paragraph === "" ? `${start} ${text}` : ` ${text}`;
  }

  #endParagraph(): void {
    this.#out.paragraph(this.#paragraph);
    this.#paragraph = "";
  }
}

const secondsOf = ([hours = 0, minutes = 0, seconds = 0]: number[]) =>
  hours * 3_600 + minutes * 60 + seconds;

const clockTime = (seconds: number) =>
  [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");

const plainText = (line: string) =>
  line
    .replace(MARKUP, "")
    .replace(/&(\w{2,4});/g, (reference, name: string) => ownEntryOf(REFERENCES, name) ?? reference)
    .replace(/&(?:nbsp|lrm|rlm);/g, " ");
