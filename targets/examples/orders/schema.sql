create table if not exists orders (
  id text primary key,
  reference text not null,
  customer text not null,
  note text not null,
  amount bigint not null,
  created_at timestamptz not null
);
create table if not exists idempotency_keys (
  key text primary key,
  digest bytea not null,
  -- The stored answer; null while the request is in progress.
  status int,
  order_id text,
  body bytea
);
-- What the queries in the background are about.
create table if not exists jobs (id bigint primary key, due timestamptz not null);
create table if not exists heartbeat (id int primary key, at timestamptz not null);
insert into heartbeat values (1, now()) on conflict do nothing;
