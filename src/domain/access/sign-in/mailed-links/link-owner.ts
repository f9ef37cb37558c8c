import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { computeDigest } from "../../../../admission/gate/credentials.ts"
import { makeOptionalRowReader } from "../../../../platform/database/rows.ts"
import type { LinkPurpose } from "./link-purposes.ts"
import { validLinkSql } from "./link-statements.ts"
import { isLinkToken } from "./link-url.ts"

const LinkOwner = Schema.Struct({ operator_id: Schema.Int, account_id: Schema.Int, email: Schema.String })
export type LinkOwner = typeof LinkOwner.Type

const readLinkOwner = makeOptionalRowReader(LinkOwner)

/** Returns undefined if the link was used, has expired, or was never mailed. */
export const makeFindLinkOwner =
  (sql: SqlClient) =>
  (purpose: LinkPurpose, token: string): Effect.Effect<LinkOwner | undefined> =>
    isLinkToken(token)
      ? Effect.flatMap(DateTime.nowAsDate, (now) =>
          readLinkOwner(sql`${validLinkSql(sql, { purpose, digest: computeDigest(token), now })}`)
        )
      : Effect.succeed(undefined)
