-- The user handle of a passkey, which was derived from the secret key when the passkey was added. It is stored, so that
-- passkeys outlive the key. Null for older passkeys, until `npx groundschool key rotate` fills it in.
alter table passkeys add column user_handle bytea;
