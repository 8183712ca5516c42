import { EVERYTHING } from "../../db/generations/generation-store.ts";
import type { VectorPlace } from "../../db/schema/rags.ts";
import type { Services } from "../../services.ts";

type PlaceServices = Pick<Services, "config" | "vectorIndex">;

/** Chunks up to which vectors are searched in the RAG's objects; -1: never there. */
export function chunksInObject({ config, vectorIndex }: PlaceServices): number {
  if (vectorIndex === null) return EVERYTHING;
  return config.VECTOR_INDEX === "auto" ? config.EXACT_SEARCH_CHUNKS : -1;
}

/** Where the vectors of a RAG are searched that has no chunks yet. */
export const firstVectorPlace = (services: PlaceServices): VectorPlace =>
  chunksInObject(services) < 0 ? "vectorize" : "object";
