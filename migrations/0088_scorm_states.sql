-- The saved data models of SCORM items. docs/decisions/0101-launches.md.

create table scorm_states (
  registration_id  bigint not null references registrations on delete cascade,
  -- The position of the item; -1 for the state of the package as a whole, such as global objectives.
  position         integer not null,
  -- As the player saved it; null while the item has only been opened.
  cmi              json,
  -- Whether the item was suspended, so that the next session goes on with its data.
  is_suspended     boolean not null,
  -- The session that saved it, and the number of its last commit.
  launch_id        bigint not null references launches on delete cascade,
  sequence         integer not null,
  is_finished      boolean not null,
  -- Hashes of the interactions and objectives of which statements were made, by id.
  recorded         json not null,
  saved_at         timestamptz not null,
  share_no         bigint,
  primary key (registration_id, position)
);
create index scorm_states_by_launch on scorm_states (launch_id);

create function bytes_of(state scorm_states) returns bigint language sql immutable as $$
  select whole_kib(coalesce(octet_length(state.cmi::text), 0) + octet_length(state.recorded::text))
$$;
create trigger scorm_states_stored after insert on scorm_states
  for each row when (new.share_no is not null) execute function charge_record();
create trigger scorm_states_changed after update of cmi, recorded on scorm_states
  for each row when (new.share_no is not null) execute function charge_record();
create trigger scorm_states_gone after delete on scorm_states
  for each row when (old.share_no is not null) execute function charge_record();
