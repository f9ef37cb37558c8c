import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Who is signed in at the console, and who tried to and could not.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // digest: of the cookie's value. password_digest: of what is kept of the password it was made with; once that is another, it
  // is no session any more, whoever has changed it and however. password_at: when the password was last given; what is weighty asks for it again after a while.
  yield* sql`
    CREATE TABLE console_sessions (
      operator_id bigint NOT NULL,
      digest bytea NOT NULL,
      account_id bigint NOT NULL,
      password_digest bytea NOT NULL,
      created_at timestamptz NOT NULL,
      password_at timestamptz NOT NULL,
      seen_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (digest),
      FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id)
    )`
  yield* sql`CREATE INDEX console_sessions_of_accounts ON console_sessions (operator_id, account_id)`
  yield* sql`CREATE INDEX console_sessions_expired ON console_sessions (expires_at)`

  // Browsers that have signed in as this account before, by the digest of a cookie: what others do elsewhere, or from the same
  // address, is not counted against them. One browser may be known to several.
  yield* sql`
    CREATE TABLE known_browsers (
      operator_id bigint NOT NULL,
      digest bytea NOT NULL,
      account_id bigint NOT NULL,
      signed_in_at timestamptz NOT NULL,
      PRIMARY KEY (digest, operator_id, account_id),
      FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id)
    )`
  yield* sql`CREATE INDEX known_browsers_of_accounts ON known_browsers (operator_id, account_id)`
  yield* sql`CREATE INDEX known_browsers_old ON known_browsers (signed_in_at)`

  // Of one e-mail address (its digest, whether or not it has an account) and one place it was tried from: nobody waits for what
  // others do elsewhere. With an empty digest: of all addresses together that were tried from there, counted since then. Null
  // wait_until: nobody waits.
  yield* sql`
    CREATE TABLE sign_in_failures (
      email_digest bytea NOT NULL,
      place text NOT NULL,
      failures integer NOT NULL,
      since timestamptz NOT NULL,
      failed_at timestamptz NOT NULL,
      wait_until timestamptz,
      PRIMARY KEY (email_digest, place)
    )`
  yield* sql`CREATE INDEX sign_in_failures_old ON sign_in_failures (failed_at)`
})
