import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { computeDigest } from "../../../admission/gate/credentials.ts"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Caller } from "../../../contract/caller.ts"
import { RateLimited, ValidationFailed } from "../../../contract/errors.ts"
import {
  type ConstraintViolation,
  makeOptionalRowReaderOrFail
} from "../../../platform/database/constraint-violations.ts"
import { Deployment } from "../../../platform/installation.ts"
import { OAUTH_CODE_MS, OAUTH_CONNECTIONS_MAX } from "../../../platform/limits.ts"
import { newAuthorizationCode } from "./authorization-secrets.ts"
import type { OAuthClient } from "./Clients.ts"

export interface Consent {
  readonly caller: Pick<Caller, "operatorId" | "accountId">
  readonly client: OAuthClient
  readonly scope: "read-only" | "writable"
  readonly redirectUri: string
  /** S256 code challenge (RFC 7636). Null only for a client with a secret. */
  readonly challenge: string | null
  readonly resource: string | null
}

interface NewAuthorizationCode extends Omit<Consent, "caller" | "client"> {
  readonly operatorId: number
  readonly accountId: number
  readonly clientId: string
  readonly digest: Uint8Array
  readonly deployment: string
  readonly expiresAt: Date
  readonly now: Date
}

const CreatedCode = Schema.Struct({ client_id: Schema.String })

const readCreatedCode = makeOptionalRowReaderOrFail(CreatedCode, ({ name, detail }: ConstraintViolation) =>
  name === "oauth_codes"
    ? new RateLimited({
        message: `The account granted access ${detail} times within a minute; try again in a minute.`,
        headers: { "retry-after": String(OAUTH_CODE_MS / 1000) }
      })
    : undefined
)

const connectionLimitError = new ValidationFailed({
  message: `The account has ${OAUTH_CONNECTIONS_MAX} connected applications, the maximum; disconnect one first.`
})

const makeInsertCode = (sql: SqlClient.SqlClient) => {
  const limit = sql.literal(String(OAUTH_CONNECTIONS_MAX))
  return ({ operatorId, accountId, clientId, digest, expiresAt, now, ...consent }: NewAuthorizationCode) =>
    readCreatedCode(
      recordChange(sql, {
        change: sql`
          code AS (
            INSERT INTO oauth_codes (operator_id, digest, account_id, client_id, scope, redirect_uri, challenge, resource,
              deployment, created_at, expires_at)
            SELECT ${operatorId}::bigint, ${digest}::bytea, ${accountId}::bigint, ${clientId}::text, ${consent.scope}::text,
              ${consent.redirectUri}::text, ${consent.challenge}::text, ${consent.resource}::text,
              ${consent.deployment}::text, ${now}::timestamptz, ${expiresAt}::timestamptz
            WHERE (
              SELECT count(*) FROM (
                SELECT FROM oauth_grants
                WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND ended_at IS NULL LIMIT ${limit}
              ) live) < ${limit}
            RETURNING operator_id, client_id
          )`,
        events: [],
        changedRecords: sql`SELECT operator_id, 'application:' || client_id AS record, '{}'::text[] AS fields FROM code`,
        outcome: sql`SELECT client_id FROM code`
      })
    )
}

const makeIssueCode = (sql: SqlClient.SqlClient, deployment: string) => {
  const insertCode = makeInsertCode(sql)
  return Effect.fnUntraced(function* ({ caller: { operatorId, accountId }, client, ...consent }: Consent) {
    const now = yield* DateTime.nowAsDate
    const code = newAuthorizationCode()
    const expiresAt = new Date(now.getTime() + OAUTH_CODE_MS)
    const row = {
      ...consent,
      operatorId,
      accountId,
      clientId: client.id,
      digest: computeDigest(code),
      deployment,
      expiresAt,
      now
    }
    return (yield* insertCode(row)) === undefined ? yield* connectionLimitError : code
  })
}

export class AuthorizationCodes extends Context.Service<
  AuthorizationCodes,
  {
    readonly issue: (consent: Consent) => Effect.Effect<string, ValidationFailed | RateLimited, CurrentActor>
  }
>()("latchkey/domain/access/oauth/AuthorizationCodes") {
  static readonly layer = Layer.effect(
    AuthorizationCodes,
    Effect.gen(function* () {
      return AuthorizationCodes.of({ issue: makeIssueCode(yield* SqlClient.SqlClient, yield* Deployment) })
    })
  )
}
