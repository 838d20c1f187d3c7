-- Records that people and keys store, in bytes: statements with their attachments, notes, attempts and documents.
create table shares (
  share_no       bigint generated always as identity primary key,
  -- The person who stores the records, and the app through which they do so; no app: the platform's own pages.
  -- A row with an app and no person holds the total of that app, which upkeep brings up to date every minute.
  person_id      bigint references people on delete cascade,
  app_id         bigint,
  -- The key of the record store, if the records came with one.
  credential_id  bigint references credentials on delete cascade,
  bytes          bigint not null default 0 check (bytes >= 0),
  unique nulls not distinct (person_id, app_id, credential_id),
  check (num_nonnulls(person_id, app_id) > 0 or credential_id is not null),
  check (credential_id is null or num_nonnulls(person_id, app_id) = 0)
) with (fillfactor = 70);
create index shares_total on shares (app_id) where person_id is null;
create unique index shares_by_credential on shares (credential_id) where credential_id is not null;

-- The share that a record counts for. Null: the record counts for nobody, like all that were there before this
-- migration
-- and those that operators import.
alter table notes add column share_no bigint;
alter table attempts add column share_no bigint;
alter table documents add column share_no bigint;
-- What a statement counts for is stored with it, because attachments and keys count too.
alter table statements add column share_no bigint, add column charge bigint;

-- Finds a share, or makes it.
create function share_of(person bigint, app bigint, credential bigint) returns bigint language plpgsql as $$
declare
  found_no  bigint;
begin
  for i in 1..2 loop
    if credential is not null then
      select share_no into found_no from shares where credential_id = credential;
    else
      select share_no into found_no from shares
       where person_id = person and (app_id = app or app is null and app_id is null);
    end if;
    exit when found_no is not null;
    insert into shares (person_id, app_id, credential_id)
    values (case when credential is null then person end, case when credential is null then app end, credential)
    on conflict do nothing returning share_no into found_no;
    exit when found_no is not null;
  end loop;
  return found_no;
end $$;

-- The bytes that are left for a share. The settings RECORDS_PERSON_BYTES and RECORDS_APP_BYTES are settings of the
-- session; null: there is no limit, as for sessions without these settings.
create function share_room(share shares) returns bigint language sql volatile as $$
  select least(
    case when share.person_id is not null then nullif(current_setting('groundschool.person_bytes', true), '')::bigint
      - coalesce((select sum(bytes) from shares where person_id = share.person_id), 0) end,
    case when share.person_id is not null and share.app_id is not null
      then nullif(current_setting('groundschool.app_bytes', true), '')::bigint
      - coalesce((select bytes from shares where person_id is null and app_id = share.app_id), 0) end,
    case when share.credential_id is not null
      then nullif(current_setting('groundschool.app_bytes', true), '')::bigint - share.bytes end)::bigint
$$;

-- Adds to a share, or takes from it. Fails if there is too little room. PL/pgSQL, so that the room is computed from
-- what
-- was committed while this waited for the row.
create function charge_share(no bigint, growth bigint) returns void language plpgsql as $$
declare
  share  shares;
begin
  if growth > 0 then
    select * into share from shares where share_no = no for no key update;
    if growth > share_room(share) then
      raise exception 'the storage for records is used up' using errcode = 'GSFUL';
    end if;
  end if;
  if growth <> 0 then
    update shares set bytes = greatest(bytes + growth, 0) where share_no = no;
  end if;
end $$;

-- Adds to several shares, or takes from them, whatever their limits.
create function charge_shares(nos bigint[], growths bigint[]) returns bigint language sql as $$
  with changed as (
    update shares s set bytes = greatest(s.bytes + g.growth, 0)
      from unnest(nos, growths) g(share_no, growth) where s.share_no = g.share_no returning s.share_no
  )
  select count(*) from changed
$$;

-- Records count in whole KiB, so that most changes of an attempt leave its share alone. 512 bytes are for the row
-- itself.
create function whole_kib(bytes bigint) returns bigint language sql immutable as $$ select (bytes + 512 + 1023) / 1024 * 1024 $$;
create function bytes_of(note notes) returns bigint language sql immutable as $$ select whole_kib(octet_length(note.text)) $$;
create function bytes_of(attempt attempts) returns bigint language sql immutable as $$
  select whole_kib(coalesce(octet_length(attempt.answers::text), 0) + octet_length(attempt.progress_intervals::text)
    + octet_length(attempt.idle_intervals::text))
$$;
create function bytes_of(document documents) returns bigint language sql immutable as $$
  select whole_kib(octet_length(document.contents))
$$;

create function charge_record() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform charge_share(new.share_no, bytes_of(new));
  elsif tg_op = 'DELETE' then
    perform charge_share(old.share_no, -bytes_of(old));
  else
    perform charge_share(new.share_no, bytes_of(new) - bytes_of(old));
  end if;
  return null;
end $$;

create trigger notes_stored after insert on notes for each row when (new.share_no is not null) execute function charge_record();
create trigger notes_gone after delete on notes for each row when (old.share_no is not null) execute function charge_record();
create trigger attempts_stored after insert on attempts for each row when (new.share_no is not null) execute function charge_record();
create trigger attempts_changed after update of answers, progress_intervals, idle_intervals on attempts
  for each row when (new.share_no is not null) execute function charge_record();
create trigger attempts_gone after delete on attempts for each row when (old.share_no is not null) execute function charge_record();
create trigger documents_stored after insert on documents for each row when (new.share_no is not null) execute function charge_record();
create trigger documents_changed after update of contents on documents
  for each row when (new.share_no is not null) execute function charge_record();
create trigger documents_gone after delete on documents for each row when (old.share_no is not null) execute function charge_record();

-- Documents belong to the app with whose token they were written. Those of keys belong to no app; `is_common` says that
-- every app of the person reads them.
alter table documents
  add column app_id bigint references apps on delete cascade,
  add column is_common boolean not null default false,
  drop constraint documents_pkey,
  add unique nulls not distinct (document_key, app_id);
create index documents_by_app on documents (app_id);

-- Nothing says who wrote the documents that are there. The state of a person who uses one app belongs to that app; of
-- several, to the only one that sent statements of theirs about the activity. Where that leaves several or none, only
-- keys
-- see the document. Documents about people who use no app were written with a key.
with used as (
  select d.document_key, u.app_id,
         exists (
           select from statement_refs a join statement_refs s on s.seq = a.seq
            where a.key = substr(encode(sha256(convert_to('activity ' || d.activity_id, 'UTF8')), 'hex'), 1, 32)::uuid
              and s.key = substr(encode(sha256(convert_to(format('sender app %s person %s', u.app_id, p.id), 'UTF8')), 'hex'), 1, 32)::uuid
         ) as has_sent
    from documents d join people p on p.handle_key = d.handle
    join app_users u on u.person_id = p.id
   where d.kind = 'state'
), writer as (
  select document_key, case when count(*) = 1 then min(app_id)
    when count(*) filter (where has_sent) = 1 then min(app_id) filter (where has_sent) end as app_id
    from used group by document_key
)
update documents d set app_id = w.app_id, is_common = w.document_key is null
  from documents o left join writer w on w.document_key = o.document_key
 where d.document_key = o.document_key;
