-- Whether a student has completed an attempt at a lesson; null without a standing. All attempts but the latest are
-- completed.
create function has_completed(s standings) returns boolean language sql immutable begin atomic
  select s.attempts > case when s.state = 'completed' then 0 else 1 end;
end;

-- Whether a person can be notified: not disabled, not about to be deleted, and with an account that they use.
create function can_be_notified(p people) returns boolean language sql immutable begin atomic
  select p.disabled_at is null and p.leaving_at is null and not p.anonymous and not p.unclaimed;
end;
