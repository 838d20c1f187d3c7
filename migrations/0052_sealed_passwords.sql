-- Passwords of a large import, which wait in password_hash, encrypted, until a job has hashed them: those that are left.
create index people_sealed on people (id) where password_hash like '$sealed$%';
