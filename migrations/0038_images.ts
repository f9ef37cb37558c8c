import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Images of messages and of identity documents: which there are, how much of its quota an operator uses, and their bytes where
// these are kept in the database.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // token is the last part of its address. An image that nothing refers to yet has a delete_at, which the statement that refers
  // to it takes away; -infinity, once it is being removed.
  yield* sql`
    CREATE TABLE images (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      token text NOT NULL CONSTRAINT images_token UNIQUE,
      kind text NOT NULL CHECK (kind IN ('message', 'identity')),
      bytes bigint NOT NULL CHECK (bytes > 0),
      created_at timestamptz NOT NULL,
      delete_at timestamptz,
      PRIMARY KEY (operator_id, id)
    )`
  yield* sql`CREATE INDEX images_going ON images (id) WHERE delete_at IS NOT NULL`
  yield* sql`
    CREATE TABLE image_bytes (
      operator_id bigint NOT NULL,
      image_id bigint NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (operator_id, image_id),
      FOREIGN KEY (operator_id, image_id) REFERENCES images (operator_id, id) ON DELETE CASCADE
    )`
  // A JPEG does not get smaller.
  yield* sql`ALTER TABLE image_bytes ALTER COLUMN content SET STORAGE EXTERNAL`
  yield* sql`
    CREATE TABLE image_shares (
      operator_id bigint PRIMARY KEY REFERENCES operators (id),
      bytes bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0)
    )`
})
