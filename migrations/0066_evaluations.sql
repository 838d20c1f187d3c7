-- Evaluations of instructor-led lessons. Score and pass are in the attempt, so that grades have one place.
create table evaluations (
  id               bigint generated always as identity primary key,
  -- Chosen by the client, so that a phone can send an evaluation again after the connection returns.
  key              text not null unique,
  attempt_id       bigint not null unique references attempts on delete cascade,
  enrolment_id     bigint not null references enrolments on delete cascade,
  lesson_id        bigint not null references lessons,
  version          integer not null default 1,
  -- The criteria as they were then: id, name, objective, maximum points, and points or null.
  criteria         json not null,
  remarks          text not null,
  recorded_by      bigint references people on delete set null,
  recorded_at      timestamptz not null,
  changed_at       timestamptz not null,
  acknowledged_at  timestamptz,
  comment          text not null default '',
  share_no         bigint
);
create index evaluations_by_enrolment on evaluations (enrolment_id, lesson_id);
create index evaluations_by_lesson on evaluations (lesson_id);
create index evaluations_by_recorder on evaluations (recorded_by);

create function bytes_of(evaluation evaluations) returns bigint language sql immutable as $$
  select whole_kib(octet_length(evaluation.criteria::text) + octet_length(evaluation.remarks) + octet_length(evaluation.comment))
$$;
create trigger evaluations_stored after insert on evaluations
  for each row when (new.share_no is not null) execute function charge_record();
create trigger evaluations_changed after update of criteria, remarks, comment on evaluations
  for each row when (new.share_no is not null) execute function charge_record();
create trigger evaluations_gone after delete on evaluations
  for each row when (old.share_no is not null) execute function charge_record();
