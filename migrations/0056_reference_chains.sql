-- The key by which the statements that refer to a statement are found, as keyOfTarget in model/refs.ts makes it.
create function statement_target_key(id uuid) returns uuid
language sql immutable strict parallel safe
return encode(substring(sha256(convert_to('statement ' || id::text, 'UTF8')) from 1 for 16), 'hex')::uuid;

-- A statement that refers to another one has copies of the keys of all statements along the chain (roles from 32).
-- A new statement that refers to it takes them over, and removing it deletes them.
create index statement_refs_copied on statement_refs (seq) where role >= 32;
