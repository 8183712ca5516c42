CREATE TABLE `vector_upkeep` (
	`rag_id` text NOT NULL,
	`generation` integer NOT NULL,
	`shard` integer NOT NULL,
	`due_at` integer NOT NULL,
	`walk_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`rag_id`, `generation`, `shard`)
);
--> statement-breakpoint
CREATE INDEX `vector_upkeep_due` ON `vector_upkeep` (`due_at`);