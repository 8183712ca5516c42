DROP INDEX `rag_files_held`;--> statement-breakpoint
CREATE INDEX `rag_files_leaving` ON `rag_files` (`held_until`) WHERE status = 'deleted' and held_until > 0;--> statement-breakpoint
CREATE INDEX `rag_files_held` ON `rag_files` (`rag_id`,`held_until`) WHERE status in ('pending', 'processing');