-- One slip is looked up exactly: a word is kept with one letter after the other masked, so that `jonathan` is where `jonat*an` is looked for, which stands for
-- `jonatyan` and, as `jona*tan`, for `jonatan`. Nothing else is there, however many words begin or end alike (docs/people.md).
drop index search_words_by_mark;
drop function search_marks(bigint, text);
drop function search_ends(bigint, text);

create function search_masks(app bigint, word text) returns text[] language plpgsql immutable parallel safe as $$
declare
  masks text[] := '{}';
begin
  if length(word) < 3 then return masks; end if;
  for i in 1 .. length(word) loop
    masks := masks || (app || ':' || left(word, i - 1) || '*' || substr(word, i + 1));
  end loop;
  return masks;
end $$;

create function search_marks(app bigint, word text) returns text[] language plpgsql immutable parallel safe set search_path from current as $$
begin
  return search_masks(app, word) || search_variants(app, word, 2);
end $$;
create index search_words_by_mark on search_words using gin (search_marks(app_id, word)) with (fastupdate = off);
