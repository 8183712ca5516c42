CREATE TABLE `file_images` (
	`file_id` text NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`file_id`, `key`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `file_images_key` ON `file_images` (`key`);--> statement-breakpoint
ALTER TABLE `file_sources` ADD `image_model` text DEFAULT 'workers-ai/to-markdown';--> statement-breakpoint
ALTER TABLE `file_sources` ADD `pictures` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `files` ADD `images_unread` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `files` ADD `images_skipped` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `files` ADD `images_due_at` integer;--> statement-breakpoint
ALTER TABLE `files` ADD `image_tries` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `files_images_due` ON `files` (`images_due_at`) WHERE images_due_at is not null;--> statement-breakpoint
CREATE INDEX `files_images_waiting` ON `files` (`file_source_id`) WHERE images_unread + images_skipped > 0;--> statement-breakpoint
CREATE TRIGGER `files_images_replaced` AFTER UPDATE OF `content_id`, `deleted_at` ON `files`
WHEN new.`content_id` <> old.`content_id` OR (new.`deleted_at` IS NOT NULL AND old.`deleted_at` IS NULL)
BEGIN
	DELETE FROM `file_images` WHERE `file_id` = old.`id`;
	UPDATE `files` SET `images_unread` = 0, `images_skipped` = 0, `images_due_at` = NULL, `image_tries` = 0
	WHERE `id` = old.`id` AND `images_unread` + `images_skipped` > 0;
END;
--> statement-breakpoint
-- The text of a picture goes with the last file that holds it: at once where the file was deleted,
-- after a day where it was replaced, since its new version is yet to be read and mostly has it, too.
CREATE TRIGGER `file_images_left` AFTER DELETE ON `file_images`
WHEN NOT EXISTS (SELECT 1 FROM `file_images` WHERE `key` = old.`key`)
BEGIN
	INSERT INTO `replaced_contents` (`file_source_id`, `file_id`, `path`, `version`, `content_id`, `due_at`)
	VALUES ('', '', old.`key`, '', NULL, CASE WHEN EXISTS (
		SELECT 1 FROM `files` WHERE `id` = old.`file_id` AND `deleted_at` IS NULL
	) THEN (unixepoch() + 86400) * 1000 ELSE 0 END);
END;
