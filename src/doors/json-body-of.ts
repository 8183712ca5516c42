/**
 * What the body says; undefined: it is not JSON. Read before the caller is known and judged after,
 * so that a caller without a token learns nothing of its form.
 */
export async function jsonBodyOf({
  req,
}: {
  req: { text: () => Promise<string> };
}): Promise<unknown> {
  try {
    return JSON.parse(await req.text());
  } catch {
    return undefined;
  }
}
