-- Whoever has left a class by themselves may come back with its code; whoever was dropped, or left while suspended, may not.
alter table enrolments
  add column has_left boolean not null default false,
  add check (status = 'dropped' or not has_left);

-- Rosters are read a page at a time, in the order in which students came.
create index enrolments_by_class on enrolments (class_id, id);
