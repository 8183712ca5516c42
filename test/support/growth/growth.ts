import { textOf, type Recipe } from "./recipes.ts";
import type { Target } from "./targets.ts";

const FIRST_CHARACTERS = 24_000;
const STEP = 4;
/** Shorter work is not told from noise: the text grows further. */
const ENOUGH_MS = 60;
const MAX_EXPONENT = 1.4;
const MEASURED_AGAIN = 3;
const LONG_MS = 2_000;

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

/** About a hundredth of a second on a quick machine, and as much work on any other. */
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

const TRIES = 5;
let unit = Infinity;

/** The least of some tries, as what else the machine does only adds to it. */
async function unitMs(): Promise<number> {
  if (unit < Infinity) return unit;
  for (let nth = 0; nth < TRIES; nth++) unit = Math.min(unit, await processorMs(reference));
  return unit;
}

/** The processor time of work as a multiple of the reference's, on a slow machine as on a quick one. */
export async function unitsOf(run: () => unknown): Promise<number> {
  const ms = await unitMs();
  return (await processorMs(run)) / ms;
}

/** How the work on a text grows; null: no faster than the text. */
export async function growthOf(target: Target, recipe: Recipe): Promise<string | null> {
  const timeAt = (size: number) => processorMs(target.of(textOf(recipe, size)));
  const first = await timeAt(FIRST_CHARACTERS);
  const last = { size: FIRST_CHARACTERS, ms: first, before: first };
  const mayGrow = (ms: number, most = target.most) => last.size * STEP <= most && last.ms < ms;
  const grow = async () => {
    last.size *= STEP;
    last.before = last.ms;
    last.ms = await timeAt(last.size);
  };
  while (mayGrow(ENOUGH_MS)) await grow();
  for (let again = 0; ; again++) {
    const { size, ms, before } = last;
    const exponent = Math.log(ms / before) / Math.log(STEP);
    if (ms < ENOUGH_MS || size === FIRST_CHARACTERS || exponent < MAX_EXPONENT) return null;
    if (again === MEASURED_AGAIN)
      return `${size / STEP} characters ${before.toFixed(0)} ms, ${size} ${ms.toFixed(0)} ms`;
    // A step at one length, such as from one passage to two, is not repeated at the next.
    if (mayGrow(LONG_MS, STEP * target.most)) await grow();
    else {
      last.ms = Math.min(ms, await timeAt(size));
      last.before = Math.max(before, await timeAt(size / STEP));
    }
  }
}

/** The longest processor time of a reading between two turns of others, in units of the reference. */
export async function longestStretch(
  reading: (yieldToOthers: () => Promise<void>) => Promise<unknown>,
): Promise<number> {
  const unit = await unitMs();
  let longest = 0;
  let last = process.threadCpuUsage();
  const stop = () => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000 / unit);
  };
  await reading(async () => {
    stop();
    await new Promise((resolve) => setTimeout(resolve));
    last = process.threadCpuUsage();
  });
  stop();
  return longest;
}
