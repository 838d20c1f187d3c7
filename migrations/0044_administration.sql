-- What administrators find people and entries of the audit log by. In "C" a range finds everything that begins with what was typed.

create index people_by_handle_begun on people (handle_key collate "C") where not anonymous;
create index people_by_first_name on people (lower(first_name) collate "C") where not anonymous;
create index people_by_last_name on people (lower(last_name) collate "C") where not anonymous;
create index people_by_email on people (lower(email) collate "C") where not anonymous and email is not null;

create index audit_entries_by_action on audit_entries (action collate "C", at, id);
create index audit_entries_by_doer on audit_entries ((detail->>'by'), at, id) where detail->>'by' is not null;
