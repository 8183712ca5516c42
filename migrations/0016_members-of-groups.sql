CREATE TABLE `synced_groups` (
	`file_source_id` text NOT NULL,
	`name` text NOT NULL,
	`unknown` text,
	`synced_at` integer NOT NULL,
	PRIMARY KEY(`file_source_id`, `name`),
	FOREIGN KEY (`file_source_id`) REFERENCES `file_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `file_sources` ADD `groups_due_at` integer DEFAULT 0 NOT NULL;