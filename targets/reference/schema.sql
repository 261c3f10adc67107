BEGIN IMMEDIATE;

-- The ledger of keys. The unique constraint is what makes a claim a claim.
-- All times are nanoseconds since 1970.
CREATE TABLE IF NOT EXISTS ledger (
  scope       TEXT NOT NULL,               -- tenant, environment and operation
  key         TEXT NOT NULL,
  operation   TEXT NOT NULL,
  event       TEXT NOT NULL,               -- the source record of the request
  account     TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('running', 'completed')),
  owner       TEXT NOT NULL,               -- the attempt that holds or held the claim
  lease_until INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  completed_at INTEGER,
  status      INTEGER,
  headers     TEXT,                        -- a JSON object
  body        BLOB,
  reference   TEXT,                        -- the id of the record
  UNIQUE (scope, key)
);
CREATE INDEX IF NOT EXISTS ledger_by_age ON ledger (created_at);

CREATE TABLE IF NOT EXISTS tasks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL, environment TEXT NOT NULL,
  event TEXT NOT NULL, account TEXT NOT NULL, revision TEXT NOT NULL, note TEXT NOT NULL,
  owner TEXT NOT NULL, due TEXT NOT NULL, created_by TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS tasks_by_account ON tasks (tenant, environment, account);

CREATE TABLE IF NOT EXISTS notes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL, environment TEXT NOT NULL,
  event TEXT NOT NULL, account TEXT NOT NULL, revision TEXT NOT NULL, note TEXT NOT NULL,
  created_by TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS notes_by_account ON notes (tenant, environment, account);

CREATE TABLE IF NOT EXISTS mails (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL, environment TEXT NOT NULL,
  kind TEXT NOT NULL, recipient TEXT NOT NULL,
  about TEXT NOT NULL,                     -- the id of the task or note
  body TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS mails_by_record ON mails (about);

CREATE TABLE IF NOT EXISTS approvals (
  tenant TEXT NOT NULL, environment TEXT NOT NULL,
  event TEXT NOT NULL, account TEXT NOT NULL,
  approved_by TEXT NOT NULL, approved_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, environment, event, account)
);

CREATE TABLE IF NOT EXISTS accounts (
  tenant TEXT NOT NULL, environment TEXT NOT NULL, id TEXT NOT NULL,
  open_task_limit INTEGER,
  PRIMARY KEY (tenant, environment, id)
);

-- What the tasks of a stand-in say that has a content filter beside the key.
CREATE TABLE IF NOT EXISTS contents (
  tenant TEXT NOT NULL, environment TEXT NOT NULL, content TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, environment, content)
);

-- The users whose credentials count no more.
CREATE TABLE IF NOT EXISTS revocations (
  user TEXT PRIMARY KEY
);

-- The ids of received webhook events. They are kept for good, but for those
-- of a stand-in, whose sender says when it stops delivering again.
CREATE TABLE IF NOT EXISTS events (
  tenant TEXT NOT NULL, environment TEXT NOT NULL, id TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, environment, id)
);

-- The facts that the events told of which were acted upon.
CREATE TABLE IF NOT EXISTS facts (
  tenant TEXT NOT NULL, environment TEXT NOT NULL, type TEXT NOT NULL, fact TEXT NOT NULL,
  PRIMARY KEY (tenant, environment, type, fact)
);

-- How far the clock of the service is ahead, in nanoseconds (one row).
CREATE TABLE IF NOT EXISTS clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  ahead INTEGER NOT NULL
);
INSERT OR IGNORE INTO clock (id, ahead) VALUES (1, 0);

COMMIT;
