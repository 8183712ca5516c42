-- Keeps the counters of a RAG exact whoever writes rag_files, and O(1) to read.
CREATE TRIGGER `rag_files_counted_on_insert` AFTER INSERT ON `rag_files`
BEGIN
	UPDATE `rags` SET
		`pending_files` = `pending_files` + (new.`status` = 'pending'),
		`processing_files` = `processing_files` + (new.`status` = 'processing'),
		`indexed_files` = `indexed_files` + (new.`status` = 'indexed'),
		`error_files` = `error_files` + (new.`status` = 'error'),
		`deleted_files` = `deleted_files` + (new.`status` = 'deleted'),
		`number_vectors` = `number_vectors` + new.`chunk_count`
	WHERE `id` = new.`rag_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `rag_files_counted_on_update` AFTER UPDATE OF `status`, `chunk_count` ON `rag_files`
WHEN old.`status` <> new.`status` OR old.`chunk_count` <> new.`chunk_count`
BEGIN
	UPDATE `rags` SET
		`pending_files` = `pending_files` + (new.`status` = 'pending') - (old.`status` = 'pending'),
		`processing_files` = `processing_files` + (new.`status` = 'processing') - (old.`status` = 'processing'),
		`indexed_files` = `indexed_files` + (new.`status` = 'indexed') - (old.`status` = 'indexed'),
		`error_files` = `error_files` + (new.`status` = 'error') - (old.`status` = 'error'),
		`deleted_files` = `deleted_files` + (new.`status` = 'deleted') - (old.`status` = 'deleted'),
		`number_vectors` = `number_vectors` + new.`chunk_count` - old.`chunk_count`
	WHERE `id` = new.`rag_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `rag_files_counted_on_delete` AFTER DELETE ON `rag_files`
BEGIN
	UPDATE `rags` SET
		`pending_files` = `pending_files` - (old.`status` = 'pending'),
		`processing_files` = `processing_files` - (old.`status` = 'processing'),
		`indexed_files` = `indexed_files` - (old.`status` = 'indexed'),
		`error_files` = `error_files` - (old.`status` = 'error'),
		`deleted_files` = `deleted_files` - (old.`status` = 'deleted'),
		`number_vectors` = `number_vectors` - old.`chunk_count`
	WHERE `id` = old.`rag_id`;
END;
