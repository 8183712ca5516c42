/** Whether a value of unknown origin has fields; a list has none that are asked for by name. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
