/**
 * `npm run bench -- chunking [SIZE…]`: of questions whose answer lies at a known place in the
 * sample documents, how many find it whole in one of the first five chunks: chunks by structure
 * against plain stretches of the same size and overlap, both ranked by BM25.
 */
import Table from "cli-table3";
import { chunkQuality } from "../support/chunk-quality.ts";

export async function run(args: string[]): Promise<Record<string, unknown>> {
  const sizes = args.length > 0 ? args.map(Number) : [100, 200, 400];
  const table = new Table({
    head: ["size", "splitting", "chunks", "whole answers in top 5", "share"],
  });
  const results: Record<string, unknown> = {};
  for (const size of sizes) {
    for (const splitting of ["fixed", "structure"] as const) {
      const { questions, answered, chunks } = await chunkQuality(size, splitting);
      const share = answered / questions;
      table.push([size, splitting, chunks, answered, share.toFixed(3)]);
      results["questions"] = questions;
      results[`${splitting}${size}`] = share;
    }
  }
  console.log(table.toString());
  return results;
}
