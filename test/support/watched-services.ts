import type { Services } from "../../src/services.ts";

/** Services that report each call to anything outside, before it is made. */
export function watching(services: Services, before: () => Promise<void>): Services {
  const watched = <T extends object>(target: T, names: readonly (keyof T)[] | null): T =>
    new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name, object);
        if (names !== null && !names.includes(name as keyof T)) {
          return typeof value === "function" ? (value.bind(object) as unknown) : value;
        }
        const method = value as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          await before();
          // A stub's methods are called as they are: `apply` would be taken for one of them.
          return await (names === null ? method(...args) : method.apply(object, args));
        };
      },
    });
  const client = watched(services.db.$client, ["batch"]);
  return {
    ...services,
    db: new Proxy(services.db, {
      get: (object, name) => (name === "$client" ? client : (Reflect.get(object, name) as unknown)),
    }),
    files: watched(services.files, ["get", "head", "put"]),
    ragIndexes: (address) => watched(services.ragIndexes(address), null),
  };
}
