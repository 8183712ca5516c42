import { UnusablePicture } from "./picture.ts";

/** `x' = a·x + c·y + e`, `y' = b·x + d·y + f`. */
export type Matrix = [a: number, b: number, c: number, d: number, e: number, f: number];

export const multiply = (m: Matrix, n: Matrix): Matrix => [
  m[0] * n[0] + m[2] * n[1],
  m[1] * n[0] + m[3] * n[1],
  m[0] * n[2] + m[2] * n[3],
  m[1] * n[2] + m[3] * n[3],
  m[0] * n[4] + m[2] * n[5] + m[4],
  m[1] * n[4] + m[3] * n[5] + m[5],
];

/** @throws UnusablePicture for a matrix that leaves no area */
export function inverseOf([a, b, c, d, e, f]: Matrix): Matrix {
  const size = a * d - b * c;
  if (!(Math.abs(size) > 1e-9)) throw new UnusablePicture("the picture is drawn without an area");
  const turned: Matrix = [d / size, -b / size, -c / size, a / size, 0, 0];
  return multiply(turned, [1, 0, 0, 1, -e, -f]);
}

/** The smallest upright rectangle around the unit square that `matrix` places. */
export function boxOf([a, b, c, d, e, f]: Matrix) {
  const [x, y] = [e + Math.min(a, 0) + Math.min(c, 0), f + Math.min(b, 0) + Math.min(d, 0)];
  return { x, y, width: Math.abs(a) + Math.abs(c), height: Math.abs(b) + Math.abs(d) };
}
