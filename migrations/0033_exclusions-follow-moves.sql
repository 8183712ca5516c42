-- A file that is left out of search stays so under its new path; its former one is left out as well,
-- since an index may still know the file by it. A scan moves files by way of names with their ids.
CREATE TRIGGER `search_exclusions_moved` AFTER UPDATE OF `path` ON `files`
WHEN new.`path` <> old.`path` AND new.`deleted_at` IS NULL AND EXISTS (
	SELECT 1 FROM `search_exclusions`
	WHERE `file_source_id` = old.`file_source_id` AND `kind` = 'file' AND `value` = old.`path`
)
BEGIN
	INSERT OR IGNORE INTO `search_exclusions` (`file_source_id`, `kind`, `value`, `path`, `excerpt`, `created_at`, `created_by`)
	SELECT `file_source_id`, `kind`, new.`path`, new.`path`, `excerpt`, `created_at`, `created_by` FROM `search_exclusions`
	WHERE `file_source_id` = old.`file_source_id` AND `kind` = 'file' AND `value` = old.`path`;
	DELETE FROM `search_exclusions`
	WHERE `file_source_id` = old.`file_source_id` AND `kind` = 'file' AND `value` = old.`path`
		AND substr(old.`path`, -length(old.`id`) - 3) = ' (' || old.`id` || ')';
	UPDATE `rags` SET `scopes_due_at` = coalesce(`scopes_due_at`, unixepoch() * 1000)
	WHERE `file_source_id` = new.`file_source_id` AND `removed_at` IS NULL;
END;
