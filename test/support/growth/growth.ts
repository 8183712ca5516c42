import type { YieldToOthers } from "../../../src/core/work/cooperative.ts";
import { textOf, type Recipe } from "./recipes.ts";
import type { Target } from "./targets.ts";

const FIRST_CHARACTERS = 8_000;
const STEP = 4;
/** By how much a text grows at most and at least until its work takes long enough. */
const [MAX_FACTOR, MIN_FACTOR] = [8, 2];
/** How far above enough the next length aims: what is compiled meanwhile takes less time. */
const AIM = 1.2;
const MAX_EXPONENT = 1.4;
/** Work that grows as fast is measured at greater length. */
const SUSPECT_EXPONENT = 1.15;
const MEASURED_AGAIN = 3;
const LONG_MS = 600;

/** Processor time of this thread, ms, whatever else the machine does. */
async function processorMs(run: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await run();
  } catch {
    // A refusal is an answer, too.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const ROUNDS = 2_000_000;

/** About four thousandths of a second on a quick machine, and as much work on any other. */
function reference(): number {
  const words = new Map<string, number>();
  let hash = 1;
  for (let at = 0; at < ROUNDS; at++) hash = Math.imul(hash ^ at, 0x01000193);
  for (let at = 0; at < 20_000; at++) {
    const word = `w${(hash + at * 7_919) % 9_973}`;
    words.set(word, (words.get(word) ?? 0) + word.length);
  }
  return words.size + hash;
}

const TRIES = 4;
/** Many, as systems that count processor time by ticks of 4 to 10 ms misjudge a single one. */
const RUNS_OF_TRY = 25;
let unit = Infinity;

/** The least of some tries, as what else the machine does only adds to it. */
export async function unitMs(): Promise<number> {
  if (unit < Infinity) return unit;
  const runs = () => {
    for (let nth = 0; nth < RUNS_OF_TRY; nth++) reference();
  };
  for (let nth = 0; nth < TRIES; nth++)
    unit = Math.min(unit, (await processorMs(runs)) / RUNS_OF_TRY);
  return unit;
}

/** The processor time of work as a multiple of the reference's, on a slow machine as on a quick one. */
export async function unitsOf(run: () => unknown): Promise<number> {
  const ms = await unitMs();
  return (await processorMs(run)) / ms;
}

/**
 * How the work on a text grows; null: no faster than the text.
 * @param enoughMs the text grows until its work takes so long: below, linear work hides the rest
 */
export async function growthOf(
  target: Target,
  recipe: Recipe,
  enoughMs: number,
): Promise<string | null> {
  const timeAt = (size: number) => processorMs(target.of(textOf(recipe, size)));
  // The first run compiles and is not measured: its time would hide what grows.
  await timeAt(FIRST_CHARACTERS);
  let [size, ms] = [FIRST_CHARACTERS, await timeAt(FIRST_CHARACTERS)];
  while (ms < enoughMs && size < target.most) {
    const factor = Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, (enoughMs * AIM) / ms));
    size = Math.min(target.most, Math.ceil(size * factor));
    ms = await timeAt(size);
  }
  if (ms < enoughMs) return null;
  let [smaller, before] = [size / STEP, await timeAt(size / STEP)];
  const exponent = () => Math.log(ms / before) / Math.log(size / smaller);
  for (let attempt = 0; attempt < MEASURED_AGAIN && exponent() > SUSPECT_EXPONENT; attempt++) {
    // Growth behind linear work shows at greater length, where a step at one length is not repeated.
    if (size * MIN_FACTOR <= target.most && ms < LONG_MS) {
      [smaller, before] = [size, ms];
      size = Math.min(target.most, size * STEP);
      ms = await timeAt(size);
    } else if (exponent() > MAX_EXPONENT) {
      ms = Math.min(ms, await timeAt(size));
      before = Math.max(before, await timeAt(smaller));
    } else break;
  }
  if (exponent() <= MAX_EXPONENT) return null;
  return `${smaller} characters ${before.toFixed(0)} ms, ${size} ${ms.toFixed(0)} ms`;
}

/** The longest processor time, ms, between two turns of the event loop while some work is done. */
export async function longestStretch(
  work: (yieldToOthers: YieldToOthers) => Promise<unknown>,
): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.threadCpuUsage();
  };
  let turn = setImmediate(function next() {
    look();
    turn = setImmediate(next);
  });
  // Nobody waits for a timer.
  await work(() => new Promise((resolve) => setImmediate(resolve)));
  look();
  clearImmediate(turn);
  return longest;
}
