-- What nobody has redeemed yet is counted for each person, however much they have redeemed today.
create index authorization_codes_open on authorization_codes (person_id, app_id, created_at) where used_at is null;
create index device_grants_allowed on device_grants (person_id, expires_at) where status = 'allowed';
