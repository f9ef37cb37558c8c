import { hash } from "node:crypto"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { makeOptionalRowReader } from "../platform/database/rows.ts"

// Whose an address is (migrations/0057_addresses.ts). Who opens one says nothing but its token; once its operator is known,
// everything else is asked of that operator's rows.

const SecretUrlOwnerRow = Schema.Struct({ operator_id: Schema.Int, id: Schema.Int })

/** Which row a token opens, and whose; the row says by `token_digest` whether it still does. */
interface SecretUrlOwner {
  readonly operatorId: number
  readonly id: number
  readonly digest: Uint8Array
}

/** What stands for an address whose token does not open (src/platform/sealing): no address, so that nobody takes it for one. */
export const UNREADABLE_URL = "(cannot be decrypted: replace it)"

const readSecretUrlOwner = makeOptionalRowReader(SecretUrlOwnerRow)

/** The SHA-256 of a token, by which its address is found: its own column may be sealed. */
export const hashToken = (token: string): Uint8Array => hash("sha256", token, "buffer")

/** Finds whose the address with a token is; undefined when it is nobody's. */
export const findSecretUrlOwner =
  (sql: SqlClient) =>
  (token: string): Effect.Effect<SecretUrlOwner | undefined> => {
    const digest = hashToken(token)
    return Effect.map(
      readSecretUrlOwner(sql`SELECT operator_id, row_id AS id FROM addresses WHERE digest = ${digest}`),
      (row) => (row === undefined ? undefined : { operatorId: row.operator_id, id: row.id, digest })
    )
  }
