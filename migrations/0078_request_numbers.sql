-- The numbers of requests go into the write-ahead log, though the requests do not. After a standby was promoted,
-- PostgreSQL could not read the sequence of an unlogged table: "bad magic number in sequence". So it is created anew.

alter table app_requests alter id drop identity;
do $$
begin
  execute format(
    'alter table app_requests alter id add generated always as identity (start with %s)',
    (select coalesce(max(id), 0) + 1 from app_requests)
  );
end
$$;
alter sequence app_requests_id_seq set logged;
