type Fetch = typeof globalThis.fetch;
export type HeaderValues = Record<string, string | undefined>;

/** Calls with these headers, where they have a value; keys are read when a call is made. */
export const keyedFetch =
  (fetch: Fetch | undefined, headersOf: () => Promise<HeaderValues>): Fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(await headersOf())) {
      if (value !== undefined) headers.set(name, value);
    }
    return await (fetch ?? globalThis.fetch)(input, { ...init, headers });
  };

export const bearer = (key: string | undefined) =>
  key === undefined ? undefined : `Bearer ${key}`;
