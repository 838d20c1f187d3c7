-- Where an app is opened for lessons that name no address of their own.
alter table apps add column launch_uri text;
