/** What is answered to a body that is sent as JSON. @throws Error with the answer that is none */
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
