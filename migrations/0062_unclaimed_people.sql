-- Accounts that wait for their person are few, and are looked through when invitations are withdrawn or forgotten.
create index people_unclaimed on people (id) where unclaimed;
