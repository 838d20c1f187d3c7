-- What somebody is to an organisation, said once: statements that manage organisations, courses and classes ask this function. Where there is no organisation, nobody owns it.
create function roles_in_organisation(person bigint, organisation bigint) returns table (owns boolean, administers boolean)
  language sql stable rows 1 begin atomic
  select exists (select from organisation_members m where m.organisation_id = organisation and m.person_id = person and m.role = 'owner' offset 0),
         exists (select from people p where p.id = person and p.administrator offset 0);
end;
