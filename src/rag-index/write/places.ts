import type { PlacedChunk } from "../../ports/index-versions.ts";

/** A chunk's place in its file, as columns from `position` to `is_named`. */
export const placeValues = (place: PlacedChunk) => [
  place.position,
  JSON.stringify(place.headings),
  place.languages,
  place.page,
  place.start,
  place.end,
  Number(place.recognised === true),
  Number(place.isNamed === true),
];
