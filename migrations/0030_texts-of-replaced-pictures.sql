DROP TRIGGER `file_images_left`;--> statement-breakpoint
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
