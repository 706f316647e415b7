-- The calls of a workspace. A row of "calls" is done only with a whole, valid reply; whatever else came is a row of "failures".
CREATE TABLE IF NOT EXISTS calls (
  key TEXT PRIMARY KEY,              -- the hash of the request
  step TEXT NOT NULL,
  model TEXT NOT NULL,
  url TEXT NOT NULL,
  status TEXT NOT NULL,              -- asking, waiting (in a batch file), done
  raw BLOB,                          -- the answer as it came
  prompt INTEGER NOT NULL DEFAULT 0, -- tokens
  cached INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0,
  dollars REAL,                      -- null where the price is unknown
  attempts INTEGER NOT NULL DEFAULT 0,
  seconds REAL,
  batch TEXT NOT NULL DEFAULT '',    -- the file that the call was written to
  at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS calls_by_model ON calls (model, step, status, url);
CREATE TABLE IF NOT EXISTS failures (
  key TEXT NOT NULL,
  step TEXT NOT NULL,
  model TEXT NOT NULL,
  kind TEXT NOT NULL,
  said TEXT NOT NULL,
  raw BLOB,
  prompt INTEGER NOT NULL DEFAULT 0,
  cached INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0,
  dollars REAL,
  attempts INTEGER NOT NULL DEFAULT 0,
  at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS failures_by_key ON failures (key);
CREATE TABLE IF NOT EXISTS given_up (key TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hits (step TEXT, model TEXT, count INTEGER NOT NULL, PRIMARY KEY (step, model)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (
  id TEXT PRIMARY KEY,               -- the provider's name
  url TEXT NOT NULL,
  model TEXT NOT NULL,
  file TEXT NOT NULL,                -- the file that was sent
  status TEXT NOT NULL,
  at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS probes (url TEXT, model TEXT, capabilities TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (url, model)) WITHOUT ROWID;
