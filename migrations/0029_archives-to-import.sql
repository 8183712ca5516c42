CREATE TABLE `archive_files` (
	`import_id` text NOT NULL,
	`file_source_id` text NOT NULL,
	`path` text NOT NULL,
	`file_id` text NOT NULL,
	`file` text NOT NULL,
	`rags` text NOT NULL,
	PRIMARY KEY(`import_id`, `file_source_id`, `path`),
	FOREIGN KEY (`import_id`) REFERENCES `archive_imports`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `archive_imports` (
	`id` text PRIMARY KEY NOT NULL,
	`state` text DEFAULT 'uploading' NOT NULL,
	`manifest_hash` text,
	`plan` text DEFAULT '{}' NOT NULL,
	`part` integer DEFAULT 0 NOT NULL,
	`line` integer DEFAULT 0 NOT NULL,
	`leased_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);
