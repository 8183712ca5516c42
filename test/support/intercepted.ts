type Method = (...args: unknown[]) => unknown;

/** A call of a method; `go` lets it through. */
export type Call = { name: string; args: unknown[]; go: () => Promise<unknown> };

/**
 * Wraps an object: its methods (of these names, or all) are called through `around`, which may
 * answer in their place.
 */
export function intercepted<T extends object>(
  target: T,
  around: (call: Call) => unknown,
  names: readonly (keyof T)[] | null = null,
): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== "function") return value;
      if (names !== null && !names.includes(name as keyof T)) return value.bind(object) as unknown;
      // A stub's methods are called as they are: `apply` would be taken for one of them.
      const methods = object as Record<string | symbol, Method>;
      return async (...args: unknown[]) => {
        const go = async () => await methods[name]?.(...args);
        return await around({ name: String(name), args, go });
      };
    },
  });
}

/** Returns the object with another value of one property. */
export const withProperty = <T extends object, Name extends keyof T>(
  target: T,
  key: Name,
  value: T[Name],
) =>
  new Proxy(target, {
    get: (object, name) => (name === key ? value : (Reflect.get(object, name) as unknown)),
  });
