import { halfFloats } from "../../core/bytes/half-float.ts";

/** A query's vector as its non-zero dimensions: a hashed embedding has few of them. */
export type QueryVector = {
  length: number;
  dimensions: Int32Array;
  values: Float32Array;
};

export function queryVector(vector: Float32Array): QueryVector {
  const dimensions: number[] = [];
  for (let dimension = 0; dimension < vector.length; dimension++) {
    if (vector[dimension] !== 0) dimensions.push(dimension);
  }
  return {
    length: vector.length,
    dimensions: Int32Array.from(dimensions),
    values: Float32Array.from(dimensions, (dimension) => vector[dimension] ?? 0),
  };
}

/** Both are unit vectors, so this is their cosine. */
export function cosineWith(query: QueryVector, vector: ArrayBuffer): number {
  const components = halfFloats(vector);
  checkLength(query, components.length);
  const { dimensions, values } = query;
  let sum = 0;
  for (let at = 0; at < dimensions.length; at++) {
    sum += (values[at] ?? 0) * (components[dimensions[at] ?? 0] ?? 0);
  }
  return sum;
}

/** @throws Error when the query was embedded by a different model than the chunks. */
export function checkLength(query: QueryVector, bytes: number): void {
  if (query.length === bytes) return;
  throw new Error(`query vector has ${query.length} dimensions, the index ${bytes}`);
}
