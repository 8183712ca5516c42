import { expect, test } from "vitest";

const ANSWER = '{"id":"5e0c0d1e-1234-4aaa-8bbb-0123456789ab","text":"The code is k8822, at 503."}';

test.each(["8821", "504", "ab2", /8821|9933/, /[0-9a-f]{8}$/m])(
  "a test that forbids %s next to ids is refused: an id may hold it",
  (forbidden) => {
    expect(() => expect(ANSWER).not.toMatch(forbidden)).toThrow("An id may hold");
    if (typeof forbidden !== "string") return;
    expect(() => expect(ANSWER).not.toContain(forbidden)).toThrow("An id may hold");
    // Nothing is refused where there are no ids.
    expect("The boiler").not.toContain(forbidden);
  },
);

test.each(["k8822", "The code", /\b503\b/])("what no id can hold is forbidden: %s", (forbidden) => {
  expect(ANSWER.replaceAll(/k8822|The code|503/g, "")).not.toMatch(forbidden);
  expect(() => expect(ANSWER).not.toMatch(forbidden)).toThrow("not to match");
});
