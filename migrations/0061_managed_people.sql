-- Accounts that administrators and organisations create for other people (decision 84).
-- checksum ce97ae854d3a6c44d0d22126fe8f92d77cef9923d3d493d21efa18a95248f0e5
alter table people
  -- The organisation that created the account. Its owners may change the account while its person is in no other
  -- organisation.
  add column managed_by bigint references organisations on delete set null,
  -- True until the person sets a password or a passkey for an account that was created for them.
  add column unclaimed boolean,
  -- When the link of the invitation expires. Null if none was sent, or it was used or withdrawn.
  add column invited_until timestamptz;
-- Not in one step: since 15.20, PostgreSQL adds no column with a default to a table whose rows SQL functions take.
alter table people alter column unclaimed set default false;
update people set unclaimed = false;
alter table people alter column unclaimed set not null;
create index people_by_manager on people (managed_by) where managed_by is not null;

-- Invitations by e-mail address: `handle` and `handle_key` hold the address. If nobody has confirmed it, an account is
-- created for it, with the names and the handle that the inviter typed.
alter table invitations
  add column first_name text not null default '',
  add column last_name text not null default '',
  add column wanted_handle text;

-- The status of an account: src/identity/people/status.ts says what each of them means.
create function person_status(p people, at timestamptz) returns text language sql stable
return case
  when (p).disabled_at is not null then 'disabled'
  when (p).invited_until > at then 'invited'
  when (p).invited_until is not null then 'expired'
  when (p).unclaimed then 'uninvited'
  else 'active'
end;
