ALTER TABLE `inferences` ADD `conversation` text DEFAULT 'rewrite' NOT NULL;--> statement-breakpoint
ALTER TABLE `inferences` ADD `planning` text DEFAULT 'off' NOT NULL;