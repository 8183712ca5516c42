/**
 * Whether a RAG (alias `r`) holds a file (alias `f`): everything of its source, or what one of
 * its scopes names: a path, all beneath a folder (ends in `/`), an external id or that of an
 * ancestor folder.
 */
export const HOLDS = `(r.scope_mode = 'global' or exists (
  select 1 from rag_scopes s where s.rag_id = r.id and case s.type
    when 'path' then s.value = f.path
      or (substr(s.value, -1) = '/' and substr(f.path, 1, length(s.value)) = s.value)
    else s.value = f.external_id
      or exists (select 1 from json_each(f.metadata, '$.ancestors') where value = s.value)
  end))`;

/** A row that waits for its turn, whatever it was before; needs `excluded`. */
export const PENDING_AGAIN = `status = 'pending', path = excluded.path,
  revision = max(rag_files.revision + 1, excluded.revision), error_message = null,
  error_is_outside = 0, attempts = 0, lease_id = null, held_until = excluded.held_until`;

/**
 * How many shards each generation has that may hold vectors of the row's RAG, as JSON pairs; a
 * retired one may answer again, and must not show then what was removed meanwhile.
 */
export const GENERATIONS = `(select json_group_array(json_array(g.generation, g.shards))
  from rag_generations g where g.rag_id = rag_files.rag_id
  and g.state in ('live', 'building', 'retired')) as generations`;
