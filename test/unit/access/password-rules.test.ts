import * as zxcvbn from "@zxcvbn-ts/language-common";
import { expect, test } from "vitest";

import { PASSWORD_MIN_LENGTH, refuseGuessable } from "../../../src/access/users/password-rules.ts";

const refused = async (password: string) =>
  await refuseGuessable(password, "ann@example.com").then(
    () => null,
    (thrown: unknown) => (thrown as Error).message,
  );

test("every commonly used password of the package's list is refused", async () => {
  const list = (zxcvbn.dictionary as Record<string, string[]>)["passwords-common"] ?? [];
  const long = list.filter((one) => one.length >= PASSWORD_MIN_LENGTH);
  expect(long.length).toBeGreaterThan(300);
  for (const password of long) expect(await refused(password)).toContain("password ");
});

test("whatever its case, and what a key held down gives", async () => {
  expect(await refused("1QAZ2wsx3edc")).toBe(
    "Invalid request: password is one of the commonly used",
  );
  expect(await refused("Ann@Example.com")).toContain("commonly used");
  for (const dull of ["aaaaaaaaaaaa", "121212121212", "abcdabcdabcd"]) {
    expect(await refused(dull)).toContain("must have at least 5 different characters");
  }
  expect(await refused("quiet amber lantern")).toBeNull();
});
