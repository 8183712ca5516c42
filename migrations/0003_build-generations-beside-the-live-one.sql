CREATE TABLE `generation_files` (
	`rag_id` text NOT NULL,
	`generation` integer NOT NULL,
	`file_id` text NOT NULL,
	`state` text NOT NULL,
	`revision` integer NOT NULL,
	`chunk_count` integer DEFAULT 0 NOT NULL,
	`fingerprint` text,
	`error_message` text,
	`error_is_outside` integer DEFAULT false NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_id` text,
	`held_until` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`rag_id`, `generation`, `file_id`),
	FOREIGN KEY (`rag_id`) REFERENCES `rags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `generation_files_state` ON `generation_files` (`rag_id`,`generation`,`state`);--> statement-breakpoint
CREATE INDEX `generation_files_lease` ON `generation_files` (`lease_id`);--> statement-breakpoint
ALTER TABLE `rag_generations` ADD `changed_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `rag_generations_state` ON `rag_generations` (`state`);