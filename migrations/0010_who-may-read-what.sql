CREATE TABLE `audience_principals` (
	`principal` text NOT NULL,
	`audience` text NOT NULL,
	PRIMARY KEY(`principal`, `audience`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `audiences` (
	`id` text PRIMARY KEY NOT NULL,
	`readers` text NOT NULL,
	`unreadable` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `principal_groups` (
	`file_source_id` text NOT NULL,
	`member` text NOT NULL,
	`in_group` text NOT NULL,
	PRIMARY KEY(`file_source_id`, `member`, `in_group`),
	FOREIGN KEY (`file_source_id`) REFERENCES `file_sources`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `principal_groups_in` ON `principal_groups` (`file_source_id`,`in_group`);--> statement-breakpoint
CREATE TABLE `reader_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`file_source_id` text NOT NULL,
	`file_ids` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`file_source_id`) REFERENCES `file_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `reader_changes_source` ON `reader_changes` (`file_source_id`,`at`);--> statement-breakpoint
ALTER TABLE `tokens` ADD `reader` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `reader_groups` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `file_sources` ADD `permissions` text DEFAULT 'off' NOT NULL;--> statement-breakpoint
ALTER TABLE `file_sources` ADD `permissions_since` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `file_sources` ADD `default_readers` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `files` ADD `audience` text;--> statement-breakpoint
ALTER TABLE `files` ADD `readers_revision` integer DEFAULT 0 NOT NULL;