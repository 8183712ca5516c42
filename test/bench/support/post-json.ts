/** Posts JSON, and returns the answer's. @throws Error with an answer that reports a failure */
export async function postJson<Reply>(
  address: string | URL,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(address, { method: "POST", body: JSON.stringify(body), headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${String(address)}: ${response.status} ${text}`);
  return JSON.parse(text) as Reply;
}
