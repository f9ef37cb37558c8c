import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { digestOf } from "../../../admission/gate/credentials.ts"
import { onRecordInForms } from "../../../changes/on-record.ts"
import type { Acting } from "../../../contract/acting.ts"
import type { Caller } from "../../../contract/caller.ts"
import { RateLimited, ValidationFailed } from "../../../contract/errors.ts"
import { type BrokenConstraint, rowIfAnyUnless } from "../../../platform/database/constraints.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { Deployment } from "../../../platform/installation.ts"
import { OAUTH_CODE_MS, OAUTH_CONNECTIONS } from "../../../platform/limits.ts"
import type { Client } from "./Clients.ts"
import { newCode } from "./secrets.ts"

/** What a host said yes to. */
export interface Consent {
  readonly caller: Pick<Caller, "operatorId" | "accountId">
  readonly client: Client
  readonly scope: "read-only" | "writable"
  /** Where the host is led back to, with the code. */
  readonly redirectUri: string
  /** S256 of the verifier (RFC 7636); null: none was sent, which only a partner may. */
  readonly challenge: string | null
  /** Of ours, as it was named (RFC 8707). */
  readonly resource: string | null
}

interface NewCode extends Omit<Consent, "caller" | "client"> {
  readonly operatorId: number
  readonly accountId: number
  readonly clientId: string
  readonly digest: Uint8Array
  readonly deployment: string
  readonly until: Date
  readonly now: Date
}

const Made = Schema.Struct({ client_id: Schema.String })

const readMade = rowIfAnyUnless(Made, ({ name, detail }: BrokenConstraint) =>
  name === "oauth_codes"
    ? new RateLimited({
        message: `The account granted access ${detail} times within a minute; try again in a minute.`,
        headers: { "Retry-After": String(OAUTH_CODE_MS / 1000) }
      })
    : undefined
)

const noRoom = new ValidationFailed({
  message: `The account has ${OAUTH_CONNECTIONS} connected applications, the maximum; disconnect one first.`
})

/** Nothing where the account has no room for what would come of it. The exchange looks again: it is the one that must be right. */
const making = (sql: SqlClient.SqlClient) => {
  const most = sql.literal(String(OAUTH_CONNECTIONS))
  const statement = onRecordInForms(
    sql,
    ({ operatorId, accountId, clientId, digest, until, now, ...consent }: Givens<NewCode>) => ({
      change: sql`
        code AS (
          INSERT INTO oauth_codes (operator_id, digest, account_id, client_id, scope, redirect_uri, challenge, resource,
            deployment, created_at, expires_at)
          SELECT ${operatorId}::bigint, ${digest}::bytea, ${accountId}::bigint, ${clientId}::text, ${consent.scope}::text,
            ${consent.redirectUri}::text, ${consent.challenge}::text, ${consent.resource}::text,
            ${consent.deployment}::text, ${now}::timestamptz, ${until}::timestamptz
          WHERE (
            SELECT count(*) FROM (
              SELECT FROM oauth_grants
              WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND ended_at IS NULL LIMIT ${most}
            ) live) < ${most}
          RETURNING operator_id, client_id
        )`,
      events: [],
      touched: sql`SELECT operator_id, 'application:' || client_id AS record, '{}'::text[] AS fields FROM code`,
      outcome: sql`SELECT client_id FROM code`
    })
  )
  return (code: NewCode) => readMade(statement(code))
}

const issue = (sql: SqlClient.SqlClient, deployment: string) => {
  const make = making(sql)
  return Effect.fnUntraced(function* ({ caller: { operatorId, accountId }, client, ...consent }: Consent) {
    const now = yield* DateTime.nowAsDate
    const code = newCode()
    const until = new Date(now.getTime() + OAUTH_CODE_MS)
    const made = {
      ...consent,
      operatorId,
      accountId,
      clientId: client.id,
      digest: digestOf(code),
      deployment,
      until,
      now
    }
    return (yield* make(made)) === undefined ? yield* noRoom : code
  })
}

/** Codes: what a consent is on its way from the host's browser to the client. */
export class Codes extends Context.Service<
  Codes,
  {
    /** Makes the code of a consent. Fails when the account has no room for another connection, or gives access too often. */
    readonly issue: (consent: Consent) => Effect.Effect<string, ValidationFailed | RateLimited, Acting>
  }
>()("latchkey/oauth/Codes") {
  static readonly layer = Layer.effect(
    Codes,
    Effect.gen(function* () {
      return Codes.of({ issue: issue(yield* SqlClient.SqlClient, yield* Deployment) })
    })
  )
}
