/** A question's candidates, as rows of features, and which of them are right. */
export type Example = { rows: number[][]; right: boolean[]; weight: number };

const STEPS = 150;
const RATE = 0.05;
const SHRINKS = 0.003;
const [MOMENTUM, SQUARES] = [0.9, 0.99];

export const product = (row: number[], weights: number[]): number =>
  row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);

/**
 * Weights under which the right candidates of each example get the most probability together
 * (softmax over its rows, L2 penalty, Adam: Kingma and Ba 2015). Features are learned at equal
 * spread; the weights returned are for the rows as they are.
 */
export function learn(examples: Example[]): number[] {
  const spread = spreadOf(examples);
  const useful = examples
    .filter(({ right }) => right.includes(true) && right.includes(false))
    .map(({ rows, right, weight }) => ({
      rows: rows.map((row) => row.map((value, at) => value / (spread[at] ?? 1))),
      right,
      weight,
    }));
  const total = useful.reduce((sum, { weight }) => sum + weight, 0);
  const weights = spread.map(() => 0);
  const first = spread.map(() => 0);
  const second = spread.map(() => 0);
  for (let step = 1; step <= STEPS; step++) {
    const slope = slopeOf(useful, weights);
    for (const [at, weight] of weights.entries()) {
      const gradient = (slope[at] ?? 0) / total - SHRINKS * weight;
      first[at] = MOMENTUM * (first[at] ?? 0) + (1 - MOMENTUM) * gradient;
      second[at] = SQUARES * (second[at] ?? 0) + (1 - SQUARES) * gradient ** 2;
      const speed = (first[at] ?? 0) / (1 - MOMENTUM ** step);
      const size = Math.sqrt((second[at] ?? 0) / (1 - SQUARES ** step));
      weights[at] = weight + (RATE * speed) / (size + 1e-8);
    }
  }
  return weights.map((weight, at) => weight / (spread[at] ?? 1));
}

function slopeOf(examples: Example[], weights: number[]): number[] {
  const slope = weights.map(() => 0);
  for (const { rows, right, weight } of examples) {
    const scores = rows.map((row) => product(row, weights));
    const most = Math.max(...scores);
    const chances = scores.map((score) => Math.exp(score - most));
    const all = chances.reduce((sum, chance) => sum + chance, 0);
    const rights = chances.reduce((sum, chance, at) => sum + (right[at] === true ? chance : 0), 0);
    for (const [row, chance] of chances.entries()) {
      const pull = (right[row] === true ? chance / rights : 0) - chance / all;
      for (const [at, value] of (rows[row] ?? []).entries()) {
        slope[at] = (slope[at] ?? 0) + weight * pull * value;
      }
    }
  }
  return slope;
}

/** Standard deviations; 1 for what never changes. */
function spreadOf(examples: Example[]): number[] {
  const rows = examples.flatMap((example) => example.rows);
  return (rows[0] ?? []).map((_, at) => {
    const mean = rows.reduce((sum, row) => sum + (row[at] ?? 0), 0) / rows.length;
    const squares = rows.reduce((sum, row) => sum + ((row[at] ?? 0) - mean) ** 2, 0);
    return Math.sqrt(squares / rows.length) || 1;
  });
}
