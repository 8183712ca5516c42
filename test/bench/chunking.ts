/**
 * `npm run bench -- chunking [SIZE…]`: of questions whose answer lies at a known place in the
 * sample documents, how many find it whole in one of the first five chunks: chunks by structure
 * against plain stretches of the same size and overlap, both ranked by BM25. BENCH_FOLDER=FOLDER
 * asks for passages picked by chance from the documents of a folder instead.
 */
import Table from "cli-table3";
import { chunkQuality, passageQuality } from "../support/chunk-quality.ts";

export async function run(args: string[]): Promise<Record<string, unknown>> {
  const sizes = args.length > 0 ? args.map(Number) : [100, 200, 400];
  const folder = process.env["BENCH_FOLDER"];
  const table = new Table({
    head: ["size", "splitting", "chunks", "whole answers in top 5", "share"],
  });
  const results: Record<string, unknown> = {};
  for (const size of sizes) {
    for (const splitting of ["fixed", "structure"] as const) {
      const quality =
        folder === undefined
          ? chunkQuality(size, splitting)
          : passageQuality(folder, size, splitting);
      const { questions, answered, chunks } = await quality;
      const share = answered / questions;
      table.push([size, splitting, chunks, answered, share.toFixed(3)]);
      results["questions"] = questions;
      results[`${splitting}${size}`] = share;
    }
  }
  console.log(table.toString());
  return results;
}
