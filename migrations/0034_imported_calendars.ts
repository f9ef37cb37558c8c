import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Calendars of elsewhere that close days here, and the feeds in which elsewhere reads what is closed here.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // It is timed work that is never settled: due_at is when it is fetched next, attempts tells whoever has taken it from who
  // takes it next, failures are those in a row. fetched_at is when it was last read well, also where it was unchanged; error
  // is why it could not be since, or what of it cannot be read. host is that of the url, which is a secret. etag, last_modified
  // and digest are of what was applied last, and applied_to is the last day it was applied to.
  yield* sql`
    CREATE TABLE imported_calendars (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      property_id bigint NOT NULL,
      url text NOT NULL,
      host text NOT NULL,
      state text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'ok', 'failing')),
      error text,
      etag text,
      last_modified text,
      digest text,
      applied_to date,
      fetched_at timestamptz,
      due_at timestamptz NOT NULL,
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT imported_calendars_url UNIQUE (operator_id, property_id, url),
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id)
    )`
  yield* sql`CREATE INDEX imported_calendars_due ON imported_calendars (operator_id, due_at, id)`

  // A day that such a calendar says is busy; calendar_days.imported counts them. An echo is one that its source says because
  // we told it so: it closes the day as any other, and no feed tells it on.
  yield* sql`
    CREATE TABLE imported_days (
      operator_id bigint NOT NULL,
      calendar_id bigint NOT NULL,
      day date NOT NULL,
      property_id bigint NOT NULL,
      echo boolean NOT NULL,
      PRIMARY KEY (operator_id, calendar_id, day),
      FOREIGN KEY (operator_id, calendar_id) REFERENCES imported_calendars (operator_id, id)
    )`
  yield* sql`CREATE INDEX imported_days_property ON imported_days (operator_id, property_id, day)`
  yield* sql`CREATE INDEX imported_days_day ON imported_days (day)`

  // An address at which a property's days are read. calendar_id: by the source of that imported calendar, which is not told
  // what it said itself; it has no foreign key, because an address that was given out outlives the import: from
  // then on it tells nothing of calendars above last_calendar_id. told are the days that were busy when it was read last.
  yield* sql`
    CREATE TABLE property_feeds (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      property_id bigint NOT NULL,
      calendar_id bigint,
      last_calendar_id bigint,
      token text NOT NULL CONSTRAINT property_feeds_token UNIQUE,
      told datemultirange NOT NULL DEFAULT '{}',
      told_at timestamptz,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT property_feeds_reader UNIQUE NULLS NOT DISTINCT (operator_id, property_id, calendar_id),
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id)
    )`
})
