CREATE TABLE `search_exclusions` (
	`file_source_id` text NOT NULL,
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`path` text NOT NULL,
	`excerpt` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`file_source_id`, `kind`, `value`),
	FOREIGN KEY (`file_source_id`) REFERENCES `file_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
