import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Mails of the service: links to verify an address or to reset a password, and notifications of hosts.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A request of a mail with a link, and afterwards the link itself. Only the digest of its token is stored. It is a queue: due_at is
  // when a worker sends the mail, `infinity` once that is done or given up. A link of state `sending` whose worker died is not sent
  // again.
  yield* sql`
    CREATE TABLE mailed_links (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      account_id bigint NOT NULL,
      purpose text NOT NULL CHECK (purpose IN ('verify_email', 'reset_password')),
      email text NOT NULL,
      state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'sent', 'failed')),
      digest bytea,
      expires_at timestamptz,
      requested_at timestamptz NOT NULL,
      due_at timestamptz NOT NULL,
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      PRIMARY KEY (operator_id, id),
      FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id)
    )`
  yield* sql`CREATE UNIQUE INDEX mailed_links_digest ON mailed_links (digest) WHERE digest IS NOT NULL`
  yield* sql`CREATE INDEX mailed_links_due ON mailed_links (operator_id, due_at, id) WHERE due_at < 'infinity'`
  yield* sql`CREATE INDEX mailed_links_account ON mailed_links (operator_id, account_id)`
  yield* sql`CREATE INDEX mailed_links_old ON mailed_links (requested_at)`

  // How many mails of one scope an address got since `since`. An address without an account has a row too, so that a request of a
  // password reset takes the same time for both.
  yield* sql`
    CREATE TABLE mail_counts (
      email_digest bytea NOT NULL,
      scope text NOT NULL,
      since timestamptz NOT NULL,
      mails integer NOT NULL,
      PRIMARY KEY (email_digest, scope)
    )`
  yield* sql`CREATE INDEX mail_counts_old ON mail_counts (since)`

  // An account's choices, and the queue of its notifications. verified_email counts only while the account has this address. queued
  // counts all notifications that were ever added: a worker that ends compares it with what it saw.
  yield* sql`
    CREATE TABLE notification_recipients (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      kinds text[] NOT NULL DEFAULT '{}',
      kinds_since timestamptz NOT NULL,
      verified_email text,
      mailed_at timestamptz,
      queued bigint NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL DEFAULT 'infinity',
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      PRIMARY KEY (operator_id, account_id),
      FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id)
    )`
  yield* sql`
    CREATE INDEX notification_recipients_due ON notification_recipients (operator_id, due_at, account_id)
      WHERE due_at < 'infinity'`

  // The key makes an event notify an account once. record is a code or an id, from which the mail's text is made when it is sent.
  yield* sql`
    CREATE TABLE notifications (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      kind text NOT NULL
        CHECK (kind IN ('new_booking', 'booking_request', 'guest_message', 'failing_webhook', 'failing_calendar')),
      event_key text NOT NULL,
      record text NOT NULL,
      state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'sent', 'dropped')),
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, account_id, kind, event_key),
      FOREIGN KEY (operator_id, account_id) REFERENCES notification_recipients (operator_id, account_id)
    )`
  yield* sql`
    CREATE INDEX notifications_unsent ON notifications (operator_id, account_id, id) WHERE state IN ('waiting', 'sending')`
  yield* sql`CREATE INDEX notifications_old ON notifications (created_at)`
})
