/*
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions
 * https://developers.google.com/workspace/drive/api/guides/limited-expansive-access
 */
export type Grant = {
  type: "user" | "group" | "domain" | "anyone";
  /** An address, or a domain; of `anyone` nothing. */
  to?: string;
  role?: string;
  deleted?: boolean;
  expirationTime?: string;
  view?: string;
};
