import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Mails of the service: links to verify an address or to reset a password, and notifications of hosts.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A row is a requested mail with a link, and then the link itself, of which it has only the digest of the token. The table is a queue:
  // a worker sends the mail at due_at, which is `infinity` after the mail was sent or has failed. If a worker dies in the state `sending`,
  // the mail is not sent again.
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

  // Counts the mails of one scope to an address since `since`. Addresses without an account have rows too, so that the time of a request
  // does not reveal whether an account exists.
  yield* sql`
    CREATE TABLE mail_counts (
      email_digest bytea NOT NULL,
      scope text NOT NULL,
      since timestamptz NOT NULL,
      mails integer NOT NULL,
      PRIMARY KEY (email_digest, scope)
    )`
  yield* sql`CREATE INDEX mail_counts_old ON mail_counts (since)`

  // The choices of an account, and the queue of mails to it. verified_email is valid only while the account has this address. queued
  // grows whenever notifications are added, so that a worker sees at the end of its claim whether that happened meanwhile.
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

  // The primary key prevents a second notification of an event. record is the code or id from which the worker makes the text of the mail.
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
