DROP INDEX `rag_files_held`;--> statement-breakpoint
CREATE INDEX `rag_files_held` ON `rag_files` (`held_until`) WHERE (status in ('pending', 'processing') or held_until > 0);