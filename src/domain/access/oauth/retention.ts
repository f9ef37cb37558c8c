import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { Acting, byItself } from "../../../contract/acting.ts"
import { applyRetention, nextRows, type Retention } from "../../../jobs/retention.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import {
  GRANTS_ENDED,
  GRANTS_KEPT_MS,
  OAUTH_CODES_KEPT_MS,
  REFRESH_GRACE_MS,
  REFRESH_TOKENS_KEPT_MS,
  TOKENS_KEPT_MS
} from "../../../platform/limits.ts"
import {
  FORGOTTEN_TOKENS,
  forgettingEndedTokens,
  forgettingOverTokens,
  forgettingTokensOf
} from "../operators/grant-tokens.ts"
import { ended, ending } from "./ending.ts"

type Sql = SqlClient.SqlClient

const forgettingCodes = (sql: Sql, then: Date): Fragment => sql`
  DELETE FROM oauth_codes WHERE ${nextRows(sql, sql`SELECT ctid FROM oauth_codes WHERE expires_at <= ${then}`)}`

const forgettingAnswers = (sql: Sql, then: Date): Fragment => sql`
  UPDATE oauth_refresh_tokens SET answer = NULL
  WHERE ${nextRows(sql, sql`SELECT ctid FROM oauth_refresh_tokens WHERE answer IS NOT NULL AND used_at < ${then}`)}`

const forgettingUsed = (sql: Sql, then: Date): Fragment => sql`
  DELETE FROM oauth_refresh_tokens
  WHERE ${nextRows(sql, sql`SELECT ctid FROM oauth_refresh_tokens WHERE used_at <= ${then}`)}`

const endedBefore = (sql: Sql, then: Date): Fragment => sql`
  SELECT operator_id, id FROM oauth_grants WHERE ended_at <= ${then}`

const forgettingRefreshTokensOf = (sql: Sql, grants: Fragment): Fragment => sql`
  DELETE FROM oauth_refresh_tokens
  WHERE ${nextRows(
    sql,
    sql`SELECT r.ctid FROM (${grants}) g
      JOIN oauth_refresh_tokens r ON r.operator_id = g.operator_id AND r.grant_id = g.id`,
    "r"
  )}`

/**
 * A grant remembers when its tokens were last used, as those that are over are forgotten long before it. It waits for no grant
 * that somebody renews or ends just then, and so in no circle with whoever ends many: that one's last use is not kept.
 */
const forgettingTokens = (sql: Sql, then: Date): Retention => ({
  change: forgettingOverTokens(sql, then),
  returning: sql.literal(FORGOTTEN_TOKENS),
  beside: sql`
    UPDATE oauth_grants g SET last_used_at = greatest(g.last_used_at, used.at)
    FROM (
      SELECT free.operator_id, free.id, used.at
      FROM (SELECT operator_id, grant_id, max(last_used_at) AS at FROM changed GROUP BY operator_id, grant_id) used
      JOIN oauth_grants free ON free.operator_id = used.operator_id AND free.id = used.grant_id
      WHERE used.at IS NOT NULL
      FOR NO KEY UPDATE OF free SKIP LOCKED
    ) used
    WHERE g.operator_id = used.operator_id AND g.id = used.id`
})

/** A grant goes last: when its tokens, its code and its webhook subscriptions, with what is to be seen of them, are gone. */
const forgettingGrants = (sql: Sql, then: Date): Fragment => sql`
  DELETE FROM oauth_grants
  WHERE ${nextRows(
    sql,
    sql`SELECT ctid FROM oauth_grants g
      WHERE ended_at <= ${then}
        AND NOT EXISTS (SELECT FROM access_tokens x WHERE x.operator_id = g.operator_id AND x.grant_id = g.id)
        AND NOT EXISTS (SELECT FROM oauth_refresh_tokens x WHERE x.operator_id = g.operator_id AND x.grant_id = g.id)
        AND NOT EXISTS (SELECT FROM oauth_codes x WHERE x.operator_id = g.operator_id AND x.grant_id = g.id)
        AND NOT EXISTS (SELECT FROM webhook_subscriptions x WHERE x.operator_id = g.operator_id AND x.grant_id = g.id)`
  )}`

/** A live grant has one refresh token that is not used: where that one is over, nobody can renew it. */
const endingUnused = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ now }: Givens<{ readonly now: Date }>) =>
    ending(
      sql,
      sql`(g.operator_id, g.id) IN (
        SELECT operator_id, grant_id FROM oauth_refresh_tokens WHERE used_at IS NULL AND expires_at <= ${now})`,
      "time",
      now
    )
  )
  return (now: Date) => ended(statement({ now }))
}

/** Ends the grants that nobody has renewed in time, as of now. */
export const endUnused = Effect.fnUntraced(
  function* (now: Date) {
    const once = endingUnused(yield* SqlClient.SqlClient)
    while ((yield* once(now)) >= GRANTS_ENDED) yield* Effect.yieldNow
  },
  Effect.provideService(Acting, byItself("service", "end unused connections"))
)

/**
 * Removes what of OAuth is over, and tokens of the console that were ended, as of now. A used refresh token of a live grant is kept
 * as long as an unused one would be good: until then its owner may come with it, and so tell that another has used it. However
 * often a grant is renewed: a thief could renew it until the one he had is forgotten.
 */
export const retain = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const before = (age: number) => new Date(now.getTime() - age)
  const over = endedBefore(sql, before(GRANTS_KEPT_MS))
  yield* applyRetention(sql, [
    forgettingAnswers(sql, before(REFRESH_GRACE_MS)),
    forgettingCodes(sql, before(OAUTH_CODES_KEPT_MS)),
    forgettingUsed(sql, before(REFRESH_TOKENS_KEPT_MS)),
    forgettingRefreshTokensOf(sql, over),
    forgettingTokensOf(sql, over),
    forgettingTokens(sql, before(TOKENS_KEPT_MS)),
    forgettingEndedTokens(sql, before(TOKENS_KEPT_MS)),
    forgettingGrants(sql, before(GRANTS_KEPT_MS))
  ])
})

/** One round of both. */
export const endAndRetain = Effect.flatMap(DateTime.nowAsDate, (now) => Effect.andThen(endUnused(now), retain(now)))
