-- For the download of everything: what a person did as a parent, and what happened to their sessions.
create index audit_entries_by_parent on audit_entries ((detail->>'parent'), at, id) where detail->>'parent' is not null;
create index audit_entries_by_session on audit_entries (session_id, at, id) where person_id is null and session_id is not null;
