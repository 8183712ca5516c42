import { z } from "zod";

const ADDRESS_MAX_LENGTH = 2_048;

/** An http or https URL that carries no credentials. Where it leads is judged at each fetch. */
export const httpAddress = z
  .string()
  .max(ADDRESS_MAX_LENGTH)
  .refine(isHttpAddress, "must be an http or https URL without credentials")
  .meta({ input: "url" });

function isHttpAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return false;
  return url.username === "" && url.password === "";
}
