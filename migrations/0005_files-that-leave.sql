DROP INDEX `rag_files_leaving`;--> statement-breakpoint
CREATE INDEX `rag_files_leaving` ON `rag_files` (`leased_until`) WHERE status in ('deleted', 'leaving') and leased_until > 0;--> statement-breakpoint
-- The triggers on rag_files count these rows no longer as deleted.
UPDATE `rag_files` SET `status` = 'leaving', `lease_id` = NULL WHERE `lease_id` = 'leave';
