CREATE TABLE `usage_counted` (
	`slot` integer NOT NULL,
	`first` text NOT NULL,
	`last` text NOT NULL,
	`ids` text NOT NULL,
	PRIMARY KEY(`slot`, `first`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `usage_hours` ADD `latencies` text DEFAULT '{}' NOT NULL;