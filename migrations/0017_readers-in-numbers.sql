ALTER TABLE `file_sources` ADD `access` text;--> statement-breakpoint
CREATE INDEX `files_audience` ON `files` (`audience`,`file_source_id`) WHERE audience is not null;