/** Lets others work, and throws when something has been worked on for too long. */
export type Pace = () => Promise<void>;

/**
 * Long work that gives way after each stretch of a bounded length, and says how long it was: about
 * so many characters, or bytes, were gone over.
 */
export type Stretches<T> = Generator<number, T, void>;

/** A tenth of a second's work, about: shorter work waits for nothing. */
const STRETCH_CHARACTERS = 1 << 20;

/** Steps as short as these are not worth a word. */
const STEP_CHARACTERS = 1 << 16;

/** How far work has come that goes over a text from its beginning. */
export class Progress {
  #told = 0;

  /** How long a stretch ends at `at`; 0 where it is too short to give way after. */
  stretchTo(at: number): number {
    const length = at - this.#told;
    if (length < STEP_CHARACTERS) return 0;
    this.#told = at;
    return length;
  }
}

/** Does all of the work now. */
export function atOnce<T>(work: Stretches<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Does the work and awaits `pace` now and then; what that throws ends the work. */
export async function atPace<T>(work: Stretches<T>, pace: Pace): Promise<T> {
  let length = 0;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    length += step.value;
    if (length < STRETCH_CHARACTERS) continue;
    length = 0;
    await pace();
  }
}
