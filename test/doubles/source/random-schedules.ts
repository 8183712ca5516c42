import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from "fast-check";
import { expect } from "vitest";

import { principalsIn } from "../../support/principals-in.ts";
import { SEED } from "../../support/seed.ts";
import type { simulatedScans } from "./simulated-scans.ts";

/** A kind of change, and two numbers that choose what it is done to. */
export type Step = { kind: string; pick: number; other: number };

/** `RANDOM_SCHEDULES=500 PROPERTY_SEED=$RANDOM` tries more, and others. */
export const numRuns = Number(process.env["RANDOM_SCHEDULES"] ?? 60);

/** Runs steps of these kinds, in many orders. */
export async function inAnyOrder(
  kinds: string,
  maxLength: number,
  run: (steps: Step[], flag: boolean) => Promise<void>,
): Promise<void> {
  const kind = constantFrom(...kinds.split(" "));
  const step = record({ kind, pick: nat({ max: 50 }), other: nat({ max: 50 }) });
  const schedules = array(step, { minLength: 5, maxLength, size: "max" });
  await assert(asyncProperty(schedules, boolean(), run), { numRuns, seed: SEED });
}

type SharedDrive = {
  source: Pick<ReturnType<typeof simulatedScans>, "files" | "scan">;
  /** Who may read a file, by the rules of the provider. */
  mayRead: (file: string) => string[];
  /** Whether the feed does not tell the newest changes. */
  isBehind?: () => boolean;
  fail: (isListing: boolean) => unknown;
  failures: unknown[];
  /** Whether the account is told who may read. */
  tell: (isTold: boolean) => unknown;
  tick: (hours: number) => unknown;
  act: (step: Step) => unknown;
  catchUp?: () => unknown;
};

/** Whatever is done to a drive, each scan leaves those who may read. */
export async function expectTrueReaders(drive: SharedDrive, steps: Step[]): Promise<void> {
  const { source, mayRead, isBehind = () => false } = drive;
  /** What is not told lets nobody in, and may be missed when it is told again. */
  let wasHidden = false;
  const agree = () => {
    for (const [id, { readers }] of source.files) {
      const [told, may] = [principalsIn(readers), mayRead(id)];
      if (!wasHidden) expect(told).toEqual(may);
      else if (Array.isArray(told)) expect(may).toEqual(expect.arrayContaining(told));
    }
  };
  const deeds: Record<string, (pick: number, other: number) => unknown> = {
    async scan() {
      await source.scan();
      if (!isBehind()) agree();
    },
    crash: async (pick) => await source.scan(1 + (pick % 4)),
    async fail(pick) {
      drive.fail(pick % 2 === 0);
      await source.scan().catch(() => undefined);
      drive.failures.length = 0;
    },
    hide(pick, other) {
      if (pick % 3 > 0) return;
      drive.tell(other % 2 === 0);
      wasHidden ||= other % 2 > 0;
    },
    tick: (_pick, other) => drive.tick(1 + (other % 3)),
  };
  await source.scan();
  for (const step of steps) {
    const deed = deeds[step.kind] ?? (() => drive.act(step));
    await deed(step.pick, step.other);
  }
  drive.catchUp?.();
  if ((await source.scan()) === "full") await source.scan();
  agree();
  expect(await source.scan()).toBe("follow");
  agree();
}
