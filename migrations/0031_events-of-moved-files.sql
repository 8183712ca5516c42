DROP TRIGGER `events_of_removed_files`;
--> statement-breakpoint
-- A moved file is removed from its old path, but not from the one with its id, which it has in
-- between. Once for each RAG that has it; without a RAG, once.
CREATE TRIGGER `events_of_removed_files` AFTER UPDATE OF `deleted_at`, `path` ON `files`
WHEN old.`deleted_at` IS NULL AND (new.`deleted_at` IS NOT NULL OR new.`path` <> old.`path`)
	AND substr(old.`path`, -length(old.`id`) - 3) <> ' (' || old.`id` || ')' AND EXISTS (SELECT 1 FROM `event_endpoints` WHERE `enabled`)
BEGIN
	INSERT INTO `events` (`type`, `at`, `file_source_id`, `rag_id`, `path`)
	SELECT 'file.removed', CAST(unixepoch('subsec') * 1000 AS integer), old.`file_source_id`, o.`rag_id`, old.`path`
	FROM (SELECT 1) LEFT JOIN (
		SELECT x.`rag_id` FROM `rag_files` x JOIN `rags` r ON r.`id` = x.`rag_id` AND r.`generation` = x.`generation`
		WHERE x.`file_id` = old.`id` AND x.`status` NOT IN ('deleted', 'leaving') AND r.`removed_at` IS NULL
	) o;
END;
