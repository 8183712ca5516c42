import type { ChunkId, FileId } from "../core/ids.ts";
import type { Principal } from "../core/principals.ts";
import type { StoredVector } from "./vector-ledger.ts";

/** The file properties that restriction and citation need. */
export type FileFacts = {
  fileId: FileId;
  path: string;
  name: string;
  externalId: string | null;
  url: string | null;
  /** When the document was last changed, ms. */
  modifiedAt: number;
  /** Provider metadata: labels, owner, mimeType, tags and the like. */
  metadata: Record<string, unknown>;
  /** Who may read it; absent: never recorded, or as the index knows it. */
  readers?: IndexAudience & { revision: number };
};

/** Who may read some files. `id`: equal ones have equal readers. */
export type IndexAudience = { id: string; principals: Principal[] };

/**
 * Changed audiences of files. `revision`: grows with each change of a file's audience. `from`: it
 * may read versions of the file from this revision on, nobody may read older ones.
 */
export type ReaderChanges = {
  audiences: IndexAudience[];
  files: { fileId: FileId; audience: string; revision: number; from?: number }[];
};

/** A chunk's content, stored before its version is activated; its place is not part of it. */
export type StagedChunk = {
  id: ChunkId;
  text: string;
  /** `foldForDuplicates(text)`, hashed; equal keys are duplicates. */
  duplicateKey: string;
  /** IEEE half floats, little-endian, `dimensions` of them, L2-normalised before rounding. */
  vector: Uint8Array;
  /**
   * Its number in another index, for a copy of that index: of equal chunks the one with the
   * smallest number is the original. Absent: the next number.
   */
  number?: number;
  /** For a large version: its words are indexed now, so that the activation is short. */
  place?: PlacedChunk | undefined;
};

/** A chunk's place in the file's new version. */
export type PlacedChunk = {
  id: ChunkId;
  /** 0 for the file's first chunk. */
  position: number;
  /** Heading path, outermost first; searched together with the text. */
  headings: string[];
  /** From `languagesOf`, by which its words and those of the headings are reduced. */
  languages: string;
  page: number | null;
  /** Character offsets into the extracted text, end exclusive. */
  start: number;
  end: number;
  /** The first heading is the file's name: it is searched, but stands nowhere in the text. */
  isNamed?: true;
  /** A model read some of it from a picture. */
  recognised?: true;
};

/** The headings that stand in the document. */
export const writtenHeadings = ({
  headings,
  isNamed,
}: {
  headings: string[];
  isNamed?: boolean;
}) => (isNamed === true ? headings.slice(1) : headings);

export type ActivationResult =
  | { outcome: "activated"; chunkCount: number }
  /** A later revision or a removal is known, so this work is void. */
  | { outcome: "superseded"; revision: number }
  /** These chunks are not staged; stage them and activate again. */
  | { outcome: "incomplete"; missing: ChunkId[] }
  /** Too many live chunks are in flight to the vector index; activate again later. */
  | { outcome: "full" };

/** A whole version of a file; `staged`: those of its chunks that are not stored yet. */
export type FileVersion = {
  file: FileFacts;
  revision: number;
  staged: StagedChunk[];
  chunks: PlacedChunk[];
};

/** A live chunk with all that a copy of it needs. */
export type StoredChunk = Omit<PlacedChunk, "id"> &
  Required<Omit<StagedChunk, "id" | "place">> & { isDuplicate: boolean };

/** Some chunks of a file's live version, in order of position; `chunkCount`: of all. */
export type StoredVersion = {
  fileId: FileId;
  revision: number;
  chunkCount: number;
  chunks: StoredChunk[];
};

/** Files whose versions are still to be read; the first one from this position on. */
export type VersionCursor = { fileIds: FileId[]; from: number };

/** The vectors that were added to storage, and whether the version is live. */
export type WrittenVersion = { stored: StoredVector[]; activation: ActivationResult };
