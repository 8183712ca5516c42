export interface paths {
    "/api/rags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List RAGs
         * @description The RAGs that the token may access, in order of identifier.
         */
        get: operations["listRags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rags/{identifier}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * RAG status
         * @description One RAG with its counts and its scope list.
         */
        get: operations["getRag"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rags/{identifier}/retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Semantic search in one RAG
         * @description Returns the chunks that answer the queries, without a model call. It raises no error when a part of the search is down: the answer then carries degraded.
         */
        post: operations["retrieveFromRag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rags/{identifier}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files of a RAG
         * @description With page: one page. Without page: the complete array of all files, and limit is ignored; new code should send page.
         */
        get: operations["listRagFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rags/{identifier}/scopes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a scope
         * @description Adds an entry to the RAG's scope list and queues a scan. A RAG in global mode has no list: 422. A token that may not manage scopes: 403.
         */
        post: operations["addRagScope"];
        /**
         * Remove a scope
         * @description Removes an entry from the RAG's scope list; what is no longer in scope leaves the search at once.
         */
        delete: operations["removeRagScope"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List permitted inferences
         * @description The inferences that the token may run, in order of identifier.
         */
        get: operations["listInferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inferences/{identifier}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an inference
         * @description One call: a prompt goes in and a response comes out; nothing is remembered. semanticSearch is required when the inference has linked RAGs, and ignored when it has none. semanticSearch, similarityThreshold, selectedFiles, selectedFolders and providerFilter are accepted only if the inference has its native RAG enabled; sending them otherwise gives 400.
         */
        post: operations["runInference"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inferences/{identifier}/retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retrieve context only
         * @description What running the inference would put into its context, without a model call. semanticSearch is required when the inference has linked RAGs, and ignored when it has none. semanticSearch, similarityThreshold, selectedFiles, selectedFolders and providerFilter are accepted only if the inference has its native RAG enabled; sending them otherwise gives 400.
         */
        post: operations["retrieveForInference"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inferences/{identifier}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Indexed files behind an inference
         * @description Files of the linked RAGs, grouped by RAG. Pages count files: a RAG may be split across two pages, so merge groups by ragIdentifier.
         */
        get: operations["listInferenceFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inferences/{identifier}/file-sources/{file_source_identifier}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of one file
         * @description Tells whether a document of a file source behind the inference is indexed.
         */
        get: operations["getFileStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        RagList: components["schemas"]["RagItem"][];
        RagItem: {
            /** @description Internal identifier. */
            id: string;
            /**
             * @description Display name.
             * @example Staff handbook
             */
            name: string;
            /**
             * @description Slug used in paths.
             * @example handbook
             */
            identifier: string;
            /**
             * @description paused: an administrator stopped indexing. error: the last scan could not read the file source. What is indexed stays searchable.
             * @enum {string}
             */
            status: "active" | "paused" | "error";
            /** @description Files known to the RAG. */
            totalFiles: number;
            /** @description Files that are indexed. */
            processedFiles: number;
            /** @description Vectors stored. */
            numberVectors: number;
            fileSource: components["schemas"]["FileSourceReference"];
        };
        /** @description Where the documents come from. */
        FileSourceReference: {
            /** @description Internal identifier. */
            id: string;
            /** @description Display name. */
            name: string;
            /** @description Slug of the file source. */
            identifier: string;
            provider: components["schemas"]["Provider"];
        };
        /**
         * @description Kind of file source.
         * @enum {string}
         */
        Provider: "file_system" | "cloud_drive" | "object_storage" | "document_site" | "web";
        Error: {
            /** @description What went wrong, in one line. */
            error: string;
        };
        RagDetail: {
            /** @description Internal identifier. */
            id: string;
            /**
             * @description Display name.
             * @example Staff handbook
             */
            name: string;
            /**
             * @description Slug used in paths.
             * @example handbook
             */
            identifier: string;
            /**
             * @description paused: an administrator stopped indexing. error: the last scan could not read the file source. What is indexed stays searchable.
             * @enum {string}
             */
            status: "active" | "paused" | "error";
            /** @description Files known to the RAG. */
            totalFiles: number;
            /** @description Files that are indexed. */
            processedFiles: number;
            /** @description Vectors stored. */
            numberVectors: number;
            /**
             * @description global: the RAG indexes everything in its file source; scoped: what its scopes name.
             * @enum {string}
             */
            fileSourceScopeMode: "global" | "scoped";
            /** @description The scope list; empty in global mode. */
            fileSourceScopes: components["schemas"]["Scope"][];
        };
        Scope: {
            /**
             * @description What value names.
             * @enum {string}
             */
            type: "path" | "externalId";
            /**
             * @description A folder's path ends with a slash and includes everything beneath it; without one it is a file. Or the external id of a file or folder in a cloud drive.
             * @example handbook/
             */
            value: string;
        };
        RagRetrieveResponse: {
            /** @description The chunks, best first. */
            chunks: components["schemas"]["Chunk"][];
            degraded?: components["schemas"]["Degradation"];
        };
        Chunk: {
            /** @description Fragment text. */
            text: string;
            /**
             * @description Similarity.
             * @example 0.731
             */
            score: number;
            source?: components["schemas"]["ChunkSource"];
        };
        /** @description Only with includeSources. */
        ChunkSource: {
            /** @description RAG that the chunk is of. */
            ragIdentifier: string;
            /** @description Path of the file. */
            filePath: string;
            /** @description File name. */
            name: string;
            /** @description The file's id at the provider; null where it has none. */
            externalId: string | null;
            /** @description Address of the document; null where it has none. */
            url: string | null;
            /** @description 0 for the file's first chunk. */
            position: number;
            /** @description Page on which the chunk begins, from 1; null where there are no pages. */
            page: number | null;
            /** @description Heading path, outermost first. */
            headings: string[];
            /** @description Offset of the passage in the file's text, in UTF-16 code units. */
            start: number;
            /** @description Offset of the first character after it. */
            end: number;
        };
        /** @description Present when the answer was built with less context than requested. */
        Degradation: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            occurred: true;
            /** @description What was lost; only with an administrator session. */
            message?: string;
        };
        RagRetrieveRequest: {
            /**
             * @description Search queries; each is searched separately and the results are de-duplicated.
             * @example [
             *       "How many days of leave are there?"
             *     ]
             */
            semanticSearch: string[];
            topK?: components["schemas"]["TopK"];
            useReranking?: components["schemas"]["UseReranking"];
            candidateMultiplier?: components["schemas"]["CandidateMultiplier"];
            /**
             * @description Drop chunks below this similarity.
             * @example 0.1
             */
            similarityThreshold?: number;
            includeDuplicates?: components["schemas"]["IncludeDuplicates"];
            useAllFiles?: components["schemas"]["UseAllFiles"];
            includeSources?: components["schemas"]["IncludeSources"];
            /**
             * @description Paths or external ids of files.
             * @example [
             *       "handbook/leave.md"
             *     ]
             */
            selectedFiles?: string[];
            /**
             * @description Paths of folders.
             * @example [
             *       "handbook/"
             *     ]
             */
            selectedFolders?: string[];
        };
        /**
         * @description Chunks to return.
         * @default 5
         */
        TopK: number;
        /**
         * @description Reorder the results, if the RAG has a reranker.
         * @default false
         */
        UseReranking: boolean;
        /**
         * @description Candidates before reranking: topK times this value.
         * @default 2
         */
        CandidateMultiplier: number;
        /**
         * @description Include chunks marked as duplicates.
         * @default false
         */
        IncludeDuplicates: boolean;
        /**
         * @description When false, search only selectedFiles and selectedFolders.
         * @default true
         */
        UseAllFiles: boolean;
        /**
         * @description Add to each chunk where it comes from.
         * @default false
         */
        IncludeSources: boolean;
        RagFilePage: {
            /** @description Files of this page, in order of path. */
            data: components["schemas"]["RagFileEntry"][];
            /** @description Number of files in all pages. */
            total: number;
            /** @description Number of this page, from 1. */
            page: number;
            /** @description Files on a page. */
            limit: number;
        };
        RagFileEntry: {
            /**
             * @description Path of the file.
             * @example handbook/leave.md
             */
            filePath: string;
            /**
             * @description File name.
             * @example leave.md
             */
            name: string;
            status: components["schemas"]["FileStatusName"];
            /**
             * Format: date-time
             * @description The last time it was indexed; null until the first.
             * @example 2026-01-31T08:15:30.123Z
             */
            indexedAt: string | null;
            /** @description Bytes. */
            size: number;
            /**
             * @description Media type.
             * @example text/markdown
             */
            mimeType: string;
            /** @description Reason when status is error; null otherwise. */
            errorMessage: string | null;
            /** @description The file's id at the provider; null where it has none. */
            externalId: string | null;
        };
        /**
         * @description How far the file's indexing is.
         * @enum {string}
         */
        FileStatusName: "pending" | "processing" | "indexed" | "error" | "deleted";
        RagFileList: components["schemas"]["RagFileEntry"][];
        Ok: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            ok: true;
        };
        InferenceList: components["schemas"]["InferenceItem"][];
        InferenceItem: {
            /**
             * @description Display name.
             * @example Ask the handbook
             */
            name: string;
            /** @description Slug used in paths. */
            identifier: string;
            /**
             * Format: uri
             * @description Where the inference is run.
             */
            url: string;
            /**
             * Format: date-time
             * @description When it was made, UTC.
             */
            createdAt: string;
            /** @description Linked RAGs; with any, semanticSearch must be sent when running. */
            fileSources: components["schemas"]["LinkedFileSource"][];
        };
        LinkedFileSource: {
            /** @description Slug of the RAG. */
            ragIdentifier: string;
            /** @description Display name of the RAG. */
            ragName: string;
            /** @description Identifier of the file source. */
            identifier: string;
            provider: components["schemas"]["Provider"];
        };
        InferenceRunResponse: {
            /** @description Content blocks; with jsonSchema what follows that schema. */
            response: components["schemas"]["ContentBlock"][] | unknown[] | components["schemas"]["StructuredResponse"];
            /** @description Identifier of the inference executed. */
            inference: string;
            params: components["schemas"]["InferenceRunParams"];
            /** @description Fragments used as context. */
            items: components["schemas"]["Chunk"][];
            /** @description One entry for each call of a tool. */
            toolCalls: components["schemas"]["ToolCall"][];
            /** @description Only with includeSystemPrompt. */
            systemPrompt?: string;
            degraded?: components["schemas"]["Degradation"];
            timings?: components["schemas"]["Timings"];
            usage?: components["schemas"]["Usage"];
        };
        ContentBlock: {
            /**
             * @description Kind of block.
             * @enum {string}
             */
            type: "text";
            /** @description What the model wrote. */
            text: string;
        };
        StructuredResponse: {
            [key: string]: unknown;
        };
        /** @description The parameters received, with defaults applied. */
        InferenceRunParams: {
            /** @description As received. */
            prompt: string;
            /** @description As received. */
            semanticSearch?: string[];
            /** @description As received, or its default. */
            topK: number;
            /** @description As received, or its default. */
            useReranking: boolean;
            /** @description As received, or its default. */
            candidateMultiplier: number;
            /** @description As received. */
            similarityThreshold?: number;
            /** @description As received, or its default. */
            includeDuplicates: boolean;
            /** @description As received. */
            jsonSchema?: string;
            /** @description As received, or its default. */
            useAllFiles: boolean;
            /** @description As received. */
            selectedFiles?: components["schemas"]["SelectedFiles"][];
            /** @description As received. */
            selectedFolders?: components["schemas"]["SelectedFolders"][];
            /** @description As received. */
            providerFilter?: components["schemas"]["ProviderFilter"][];
            /** @description As received, or its default. */
            includeSystemPrompt: boolean;
            /** @description As received. */
            includeSources?: boolean;
        };
        SelectedFiles: {
            /** @description RAG that is linked. */
            ragIdentifier: string;
            /** @description Paths or external ids of files. */
            files: string[];
        };
        SelectedFolders: {
            /** @description RAG that is linked. */
            ragIdentifier: string;
            /** @description Paths of folders. */
            folders: string[];
        };
        ProviderFilter: {
            /** @description Only for this RAG; otherwise for all that are linked. */
            ragIdentifier?: string;
            /**
             * @description A key of the file's metadata.
             * @example labels
             */
            field: string;
            /** @description One of them must match. */
            values: string[];
        };
        ToolCall: {
            /** @description Identifier of the call. */
            id: string;
            /** @description Name of the tool. */
            tool: string;
            /** @description Whether it gave a result. */
            ok: boolean;
            /** @description Only with an administrator session. */
            debug?: {
                /** @description What the model asked for. */
                input?: unknown;
                /** @description What the tool gave. */
                output: string;
                /** @description Milliseconds. */
                durationMs: number;
            };
        };
        /** @description Only with an administrator session. */
        Timings: {
            /** @description Milliseconds of retrieval without reranking. */
            contextMs: number;
            /** @description Milliseconds of reranking. */
            rerankingMs: number;
            /** @description Milliseconds of model calls. */
            modelMs: number;
            /** @description Milliseconds of the whole call. */
            totalMs: number;
        };
        /** @description Only with an administrator session. */
        Usage: {
            /** @description Tokens that the model read. */
            inputTokens: number;
            /** @description Tokens that the model wrote. */
            outputTokens: number;
            /** @description Both together. */
            totalTokens: number;
            cost: components["schemas"]["Cost"];
        };
        /** @description Null when the model has no price. */
        Cost: {
            /** @description Cost of the call. */
            amount: number;
            /** @description Currency code of three capitals. */
            currency: string;
        } | null;
        InferenceRunRequest: {
            /**
             * @description What the model receives; it takes no part in the document search.
             * @example Summarise how leave is asked for.
             */
            prompt: string;
            /**
             * @description Search queries; each is searched separately and the results are de-duplicated.
             * @example [
             *       "How many days of leave are there?"
             *     ]
             */
            semanticSearch?: string[];
            topK?: components["schemas"]["TopK"];
            useReranking?: components["schemas"]["UseReranking"];
            candidateMultiplier?: components["schemas"]["CandidateMultiplier"];
            /**
             * @description Drop chunks below this similarity.
             * @example 0.1
             */
            similarityThreshold?: number;
            includeDuplicates?: components["schemas"]["IncludeDuplicates"];
            useAllFiles?: components["schemas"]["UseAllFiles"];
            includeSources?: components["schemas"]["IncludeSources"];
            /** @description Files by RAG: paths or external ids. */
            selectedFiles?: components["schemas"]["SelectedFiles"][];
            /** @description Folders by RAG. */
            selectedFolders?: components["schemas"]["SelectedFolders"][];
            /** @description Filter on provider metadata; every entry must match. */
            providerFilter?: components["schemas"]["ProviderFilter"][];
            includeSystemPrompt?: components["schemas"]["IncludeSystemPrompt"];
            /** @description A JSON Schema (draft 2020-12, or 2019-09, 7, 6 or 4 where $schema says so) serialised as a string; forces the shape of response. Its root must admit an object or an array, and references must stay inside it. */
            jsonSchema?: string;
        };
        /**
         * @description Return the system prompt in the response.
         * @default false
         */
        IncludeSystemPrompt: boolean;
        InferenceRetrieveResponse: {
            /** @description The system prompt of the inference. */
            systemPrompt: string;
            /** @description The chunks, best first. */
            chunks: components["schemas"]["Chunk"][];
            degraded?: components["schemas"]["Degradation"];
        };
        InferenceRetrieveRequest: {
            /**
             * @description Search queries; each is searched separately and the results are de-duplicated.
             * @example [
             *       "How many days of leave are there?"
             *     ]
             */
            semanticSearch?: string[];
            topK?: components["schemas"]["TopK"];
            useReranking?: components["schemas"]["UseReranking"];
            candidateMultiplier?: components["schemas"]["CandidateMultiplier"];
            /**
             * @description Drop chunks below this similarity.
             * @example 0.1
             */
            similarityThreshold?: number;
            includeDuplicates?: components["schemas"]["IncludeDuplicates"];
            useAllFiles?: components["schemas"]["UseAllFiles"];
            includeSources?: components["schemas"]["IncludeSources"];
            /** @description Files by RAG: paths or external ids. */
            selectedFiles?: components["schemas"]["SelectedFiles"][];
            /** @description Folders by RAG. */
            selectedFolders?: components["schemas"]["SelectedFolders"][];
            /** @description Filter on provider metadata; every entry must match. */
            providerFilter?: components["schemas"]["ProviderFilter"][];
            includeSystemPrompt?: components["schemas"]["IncludeSystemPrompt"];
        };
        InferenceFilePage: {
            /** @description Files of this page by RAG. */
            data: components["schemas"]["FileGroup"][];
            /** @description Number of files in all pages. */
            total: number;
            /** @description Number of this page, from 1. */
            page: number;
            /** @description Files on a page. */
            limit: number;
        };
        FileGroup: {
            /** @description Slug of the RAG. */
            ragIdentifier: string;
            /** @description Display name of the RAG. */
            ragName: string;
            /** @description Its files on this page. */
            files: components["schemas"]["FileEntry"][];
        };
        FileEntry: {
            /**
             * @description Path of the file.
             * @example handbook/leave.md
             */
            filePath: string;
            /**
             * @description File name.
             * @example leave.md
             */
            name: string;
            status: components["schemas"]["FileStatusName"];
            /**
             * Format: date-time
             * @description The last time it was indexed; null until the first.
             * @example 2026-01-31T08:15:30.123Z
             */
            indexedAt: string | null;
            /** @description Bytes. */
            size: number;
            /**
             * @description Media type.
             * @example text/markdown
             */
            mimeType: string;
            /** @description Reason when status is error; null otherwise. */
            errorMessage: string | null;
        };
        FileState: {
            /** @description File name. */
            name: string;
            /** @description Bytes. */
            size: number;
            status: components["schemas"]["FileStatusName"];
            /**
             * Format: date-time
             * @description The last time it was indexed; null until the first.
             * @example 2026-01-31T08:15:30.123Z
             */
            indexedAt: string | null;
            /** @description Reason when status is error; null otherwise. */
            errorMessage: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The caller's own id where it sent a sane one, otherwise one of ours.
         * @example 7d2f5c1e-4f0b-4a57-9a0e-0c6c9e0a1b52
         */
        "X-Request-Id": string;
        /**
         * @description The budget's name, `r` requests left, `t` seconds until it is whole again.
         * @example "api";r=59;t=60
         */
        RateLimit: string;
        /**
         * @description The budget's name, `q` requests in any `w` seconds for a client address.
         * @example "api";q=60;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Whole seconds to wait.
         * @example 12
         */
        "Retry-After": number;
        /**
         * @description That a bearer token is asked for.
         * @example Bearer realm="Quarry"
         */
        "WWW-Authenticate": string;
        /**
         * @description Only with an administrator session: milliseconds by step, in the syntax of Server-Timing.
         * @example context;dur=12.3, reranking;dur=0.0, model;dur=801.2, total;dur=820.9
         */
        "X-Inference-Timings": string;
        /**
         * @description Only when there are any: fields of the body that are not known and were ignored.
         * @example top_k
         */
        "X-Ignored-Fields": string;
        /**
         * @description How many files of the file source the scope holds at present; `10000+` for more than that.
         * @example 31
         */
        "X-Scope-Files": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listRags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The permitted RAGs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "019c12ab-7f00-7a11-9c2e-2b6b3c5d7e90",
                     *         "name": "Fenwright handbook (sample)",
                     *         "identifier": "sample",
                     *         "status": "active",
                     *         "totalFiles": 48,
                     *         "processedFiles": 48,
                     *         "numberVectors": 412,
                     *         "fileSource": {
                     *           "id": "019c12ab-7e00-7d5b-8a4f-5d1c9a0be3f2",
                     *           "name": "Fenwright handbook (sample)",
                     *           "identifier": "sample",
                     *           "provider": "file_system"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["RagList"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the RAG. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The RAG. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019c12ab-7f00-7a11-9c2e-2b6b3c5d7e90",
                     *       "name": "Fenwright handbook (sample)",
                     *       "identifier": "sample",
                     *       "status": "active",
                     *       "totalFiles": 48,
                     *       "processedFiles": 48,
                     *       "numberVectors": 412,
                     *       "fileSourceScopeMode": "global",
                     *       "fileSourceScopes": []
                     *     }
                     */
                    "application/json": components["schemas"]["RagDetail"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token does not cover the resource. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Forbidden"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The identifier does not exist. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Not found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retrieveFromRag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the RAG. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "semanticSearch": [
                 *         "How many days of annual leave do I have?"
                 *       ],
                 *       "topK": 3
                 *     }
                 */
                "application/json": components["schemas"]["RagRetrieveRequest"];
            };
        };
        responses: {
            /** @description The chunks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "chunks": [
                     *         {
                     *           "text": "Full-time employees have **26 days of paid leave a year**, on top of the eight bank holidays in England.",
                     *           "score": 0.731
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RagRetrieveResponse"];
                };
            };
            /** @description The request is not valid; the message lists the failing fields. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Invalid request: topK must be at most 100; semanticSearch is required"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token does not cover the resource. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Forbidden"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The identifier does not exist. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Not found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Payload too large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a Content-Encoding; it must be sent as it is. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unsupported content encoding: send the body as it is"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRagFiles: {
        parameters: {
            query?: {
                /** @description From 1; a page past the end is empty. */
                page?: number;
                /** @description Files on a page. */
                limit?: number;
                /** @description Only files in this status. */
                status?: components["schemas"]["FileStatusName"] & unknown;
                /** @description Only files beneath this folder. */
                path?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the RAG. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of files, or all of them. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "filePath": "handbook/leave.md",
                     *           "name": "leave.md",
                     *           "size": 4120,
                     *           "status": "indexed",
                     *           "indexedAt": "2026-01-31T08:15:30.123Z",
                     *           "errorMessage": null,
                     *           "mimeType": "text/markdown",
                     *           "externalId": null
                     *         }
                     *       ],
                     *       "total": 48,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": components["schemas"]["RagFilePage"] | components["schemas"]["RagFileList"];
                };
            };
            /** @description The request is not valid; the message lists the failing fields. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Invalid request: page must be at least 1; limit must be an integer from 1 to 100"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token does not cover the resource. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Forbidden"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The identifier does not exist. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Not found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addRagScope: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the RAG. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "path",
                 *       "value": "handbook/"
                 *     }
                 */
                "application/json": components["schemas"]["Scope"];
            };
        };
        responses: {
            /** @description The scope was added. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Scope-Files": components["headers"]["X-Scope-Files"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["Ok"];
                };
            };
            /** @description The request is not valid; the message lists the failing fields. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Invalid request: value must be relative, without a leading /"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token does not cover the resource. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Forbidden"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The identifier does not exist. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Not found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The scope is already in the list. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Scope already exists"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Payload too large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a Content-Encoding; it must be sent as it is. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unsupported content encoding: send the body as it is"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The RAG is in global mode: it has no scope list. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "RAG is in global scope mode"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeRagScope: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the RAG. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "path",
                 *       "value": "handbook/"
                 *     }
                 */
                "application/json": components["schemas"]["Scope"];
            };
        };
        responses: {
            /** @description The scope is gone. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["Ok"];
                };
            };
            /** @description The request is not valid; the message lists the failing fields. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Invalid request: type must be one of path, externalId; value is required"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token does not cover the resource. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Forbidden"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The identifier does not exist. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Not found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Payload too large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a Content-Encoding; it must be sent as it is. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unsupported content encoding: send the body as it is"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The RAG is in global mode: it has no scope list. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "RAG is in global scope mode"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The permitted inferences. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "Fenwright handbook (sample)",
                     *         "identifier": "sample",
                     *         "url": "https://quarry.example/api/inferences/sample",
                     *         "createdAt": "2026-01-31T08:15:30.123Z",
                     *         "fileSources": [
                     *           {
                     *             "ragIdentifier": "sample",
                     *             "ragName": "Fenwright handbook (sample)",
                     *             "identifier": "sample",
                     *             "provider": "file_system"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["InferenceList"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runInference: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the inference. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "How many days of annual leave do I have?",
                 *       "semanticSearch": [
                 *         "How many days of annual leave do I have?"
                 *       ],
                 *       "topK": 3
                 *     }
                 */
                "application/json": components["schemas"]["InferenceRunRequest"];
            };
        };
        responses: {
            /** @description The response. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Inference-Timings": components["headers"]["X-Inference-Timings"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "response": [
                     *         {
                     *           "type": "text",
                     *           "text": "Full-time employees have 26 days of paid leave a year."
                     *         }
                     *       ],
                     *       "inference": "sample",
                     *       "params": {
                     *         "prompt": "How many days of annual leave do I have?",
                     *         "semanticSearch": [
                     *           "How many days of annual leave do I have?"
                     *         ],
                     *         "topK": 3,
                     *         "useReranking": false,
                     *         "candidateMultiplier": 2,
                     *         "includeDuplicates": false,
                     *         "useAllFiles": true,
                     *         "includeSystemPrompt": false
                     *       },
                     *       "items": [
                     *         {
                     *           "text": "Full-time employees have **26 days of paid leave a year**, on top of the eight bank holidays in England.",
                     *           "score": 0.731
                     *         }
                     *       ],
                     *       "toolCalls": []
                     *     }
                     */
                    "application/json": components["schemas"]["InferenceRunResponse"];
                };
            };
            /** @description The request is not valid; the message lists the failing fields. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Invalid request: prompt is required; topK must be at most 100; semanticSearch is required"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token does not cover the resource. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Forbidden"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The identifier does not exist. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Not found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Payload too large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a Content-Encoding; it must be sent as it is. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unsupported content encoding: send the body as it is"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The model provider failed. */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Model call failed: provider answered 503"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retrieveForInference: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the inference. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "semanticSearch": [
                 *         "How many days of annual leave do I have?"
                 *       ],
                 *       "topK": 3
                 *     }
                 */
                "application/json": components["schemas"]["InferenceRetrieveRequest"];
            };
        };
        responses: {
            /** @description The context. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "systemPrompt": "Answer from the passages.",
                     *       "chunks": [
                     *         {
                     *           "text": "Full-time employees have **26 days of paid leave a year**, on top of the eight bank holidays in England.",
                     *           "score": 0.731
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InferenceRetrieveResponse"];
                };
            };
            /** @description The request is not valid; the message lists the failing fields. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Invalid request: semanticSearch is required; candidateMultiplier must be at least 2"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token does not cover the resource. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Forbidden"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The identifier does not exist. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Not found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Payload too large"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a Content-Encoding; it must be sent as it is. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unsupported content encoding: send the body as it is"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInferenceFiles: {
        parameters: {
            query: {
                /** @description From 1; a page past the end is empty. */
                page: number;
                /** @description Files on a page. */
                limit?: number;
                /** @description Restrict to one RAG. */
                ragIdentifier?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the inference. */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of files. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "ragIdentifier": "sample",
                     *           "ragName": "Fenwright handbook (sample)",
                     *           "files": [
                     *             {
                     *               "filePath": "handbook/leave.md",
                     *               "name": "leave.md",
                     *               "size": 4120,
                     *               "status": "indexed",
                     *               "indexedAt": "2026-01-31T08:15:30.123Z",
                     *               "errorMessage": null,
                     *               "mimeType": "text/markdown"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "total": 48,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": components["schemas"]["InferenceFilePage"];
                };
            };
            /** @description The request is not valid; the message lists the failing fields. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Invalid request: page is required"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token does not cover the resource. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Forbidden"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The identifier does not exist. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Not found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getFileStatus: {
        parameters: {
            query: {
                /** @description Relative path or external identifier of the file. */
                file: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the inference. */
                identifier: string;
                /** @description Identifier of the file source. */
                file_source_identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file's state. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "leave.md",
                     *       "size": 4120,
                     *       "status": "indexed",
                     *       "indexedAt": "2026-01-31T08:15:30.123Z",
                     *       "errorMessage": null
                     *     }
                     */
                    "application/json": components["schemas"]["FileState"];
                };
            };
            /** @description The request is not valid; the message lists the failing fields. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Invalid request: file is required"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token is missing or unknown. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Unauthorized"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token does not cover the resource. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Forbidden"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The identifier does not exist. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Not found"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request rate is exceeded. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many requests"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A defect of the service; the log has it under the request's id. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The rate-limit store cannot be reached. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Rate limiting unavailable"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
