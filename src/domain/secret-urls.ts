import { hash } from "node:crypto"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { makeOptionalRowReader } from "../platform/database/rows.ts"

// A secret URL contains only a token. The table `addresses` (migrations/0057_addresses.ts) maps the token's digest to
// an operator and a row.

const SecretUrlOwnerRow = Schema.Struct({ operator_id: Schema.Int, id: Schema.Int })

/** The token is valid only while the `token_digest` of row `id` equals `digest`. */
interface SecretUrlOwner {
  readonly operatorId: number
  readonly id: number
  readonly digest: Uint8Array
}

/** Shown for a URL that cannot be decrypted. It is deliberately no URL. */
export const UNREADABLE_URL = "(cannot be decrypted: replace it)"

const readSecretUrlOwner = makeOptionalRowReader(SecretUrlOwnerRow)

/** The row of a URL is found by this digest, because the column with the URL itself may be sealed. */
export const hashToken = (token: string): Uint8Array => hash("sha256", token, "buffer")

export const findSecretUrlOwner =
  (sql: SqlClient) =>
  (token: string): Effect.Effect<SecretUrlOwner | undefined> => {
    const digest = hashToken(token)
    return Effect.map(
      readSecretUrlOwner(sql`SELECT operator_id, row_id AS id FROM addresses WHERE digest = ${digest}`),
      (row) => (row === undefined ? undefined : { operatorId: row.operator_id, id: row.id, digest })
    )
  }
