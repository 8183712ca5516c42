export type Given<Patch> = { [Name in keyof Patch]?: Exclude<Patch[Name], undefined> };

/** A patch without the fields that were not sent. */
export function omitUndefined<Patch extends object>(patch: Patch): Given<Patch> {
  const entries = Object.entries(patch).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the fields that were sent
  return Object.fromEntries(entries) as Given<Patch>;
}
