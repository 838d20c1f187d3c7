-- Open requests are walked through part by part, in order, to find those of the users of one app: so the index has who asked, and the walk reads nothing else.
drop index friendships_received;
create index friendships_received on friendships (asked_id, requested_at, asker_id) where accepted_at is null and not is_quiet;
