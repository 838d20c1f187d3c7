-- One slip is looked up among whole words: a word is kept as it is and without one letter after the other, and so is what was typed. Where one is a slip of the other, they have one of
-- these in common; however many words begin alike, hardly anything else has (docs/people.md).
drop index search_words_by_mark;
drop function search_marks(bigint, text);
drop function search_ends(bigint, text);

create function search_near(app bigint, word text) returns text[] language plpgsql immutable parallel safe as $$
declare
  near text[] := array[app || '=' || word];
begin
  if length(word) < 3 then return near; end if;
  for i in 1 .. length(word) loop
    near := near || (app || '=' || left(word, i - 1) || substr(word, i + 1));
  end loop;
  return near;
end $$;

-- Everything that a word is looked up by: one slip, and more of them (search_variants). It stands in the index alone: rows are small, and a search reads many.
create function search_marks(app bigint, word text) returns text[] language plpgsql immutable parallel safe set search_path from current as $$
begin
  return search_near(app, word) || search_variants(app, word, 2);
end $$;
create index search_words_by_mark on search_words using gin (search_marks(app_id, word)) with (fastupdate = off);
