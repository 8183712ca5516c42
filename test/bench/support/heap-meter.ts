const MIB = 1_048_576;

/** The heap at chosen moments, once what can be collected is, where Node.js lets it be asked for. */
export function heapMeter() {
  const collect = globalThis.gc ?? (() => undefined);
  const sizes: number[] = [];
  return {
    sample: () => {
      collect();
      sizes.push(process.memoryUsage().heapUsed);
    },
    inMiB: () => sizes.map((bytes) => Math.round(bytes / MIB)),
  };
}

export const shownHeap = (mib: number[]) =>
  `${mib[0]} … ${mib.at(-1)}, at most ${Math.max(...mib)}`;
