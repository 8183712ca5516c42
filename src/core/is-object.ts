/** Whether a value of unknown origin is an object with named fields: not null, not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
