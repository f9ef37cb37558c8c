import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { computeDigest } from "../../../../../src/admission/gate/credentials.ts"

// Applications that hosts have connected, written directly: how they come to be is no matter of subscriptions.

export interface ConnectedClient {
  readonly operatorId: number
  readonly accountId: number
  readonly grantId: number
  /** What its subscriptions are said to be made by. */
  readonly application: string
  /** Writable. */
  readonly token: string
}

/** A partner, whom any host may connect. */
export const createPartner = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const id = `partner-${randomBytes(8).toString("hex")}`
  yield* sql`
    INSERT INTO oauth_clients (id, name, redirect_uris, secret_digest, created_at)
    VALUES (${id}, 'Partner', '{https://partner.example/back}', ${randomBytes(32)}, now())`
  return id
}, Effect.orDie)

/** The client an account gives access to, by the name its host sees; without one the public client. */
export const connectClient = Effect.fnUntraced(function* (
  { operatorId, accountId }: { readonly operatorId: number; readonly accountId: number },
  clientId = "service_mcp",
  name = "Partner"
) {
  const sql = yield* SqlClient.SqlClient
  const [grant] = yield* sql<{ id: number }>`
    INSERT INTO oauth_grants (operator_id, account_id, client_id, name, scope, created_at)
    VALUES (${operatorId}, ${accountId}, ${clientId}, ${name}, 'writable', now()) RETURNING id`
  const grantId = grant?.id ?? (yield* Effect.die("no grant"))
  const application = clientId === "service_mcp" ? `service_mcp:${grantId}` : clientId
  const token = `lk_${randomBytes(24).toString("base64url")}`
  yield* sql`
    INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, application, grant_id, created_at)
    VALUES (${operatorId}, ${accountId}, ${name}, 'writable', ${computeDigest(token)}, ${application}, ${grantId}, now())`
  return { operatorId, accountId, grantId, application, token } satisfies ConnectedClient
}, Effect.orDie)

/** Ends the consent alone: its token goes on being taken for a few seconds. */
export const endGrant = ({ operatorId, grantId }: Pick<ConnectedClient, "operatorId" | "grantId">) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE oauth_grants SET ended_at = now(), ended_by = 'host' WHERE operator_id = ${operatorId} AND id = ${grantId}`
  ).pipe(Effect.asVoid, Effect.orDie)
