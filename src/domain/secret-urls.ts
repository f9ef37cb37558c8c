import { hash } from "node:crypto"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { makeOptionalRowReader } from "../platform/database/rows.ts"

// A secret URL contains only a token. The table `addresses` (migrations/0057_addresses.ts) contains its operator.

const SecretUrlOwnerRow = Schema.Struct({ operator_id: Schema.Int, id: Schema.Int })

/** The token is valid only while the row's `token_digest` equals `digest`. */
interface SecretUrlOwner {
  readonly operatorId: number
  readonly id: number
  readonly digest: Uint8Array
}

/** Shown for a URL that cannot be decrypted (src/platform/sealing). It is deliberately no URL. */
export const UNREADABLE_URL = "(cannot be decrypted: replace it)"

const readSecretUrlOwner = makeOptionalRowReader(SecretUrlOwnerRow)

/** The URL is found by this digest, because its own column may be sealed. */
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
