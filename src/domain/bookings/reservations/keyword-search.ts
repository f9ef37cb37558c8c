import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import type { Keyword } from "./rules/keyword.ts"

// Triggers keep `stay_search_texts` up to date (migration 0067).

/**
 * Searches pass at most this many stay ids as a list. With more matches, the page query tests the keyword for each
 * stay.
 */
export const MAX_STAY_IDS = 5_000

export type KeywordMatch =
  | { readonly stayIds: ReadonlyArray<number> }
  | { readonly keyword: Keyword; readonly total: number }

const containsKeyword = (sql: SqlClient, text: string, digits: string | undefined): Fragment => {
  const inWords = sql`strpos(t.words, (SELECT search_form(${text}))) > 0`
  return digits === undefined ? inWords : sql`(${inWords} OR strpos(t.words, ${digits}) > 0)`
}

interface KeywordParameters {
  readonly operatorId: number
  readonly text: string
  readonly digits: string | undefined
}

export const selectStaysWithKeyword = (
  sql: SqlClient,
  { operatorId, text, digits }: KeywordParameters
): Fragment => sql`
  SELECT t.stay_id FROM stay_search_texts t WHERE t.operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND ${containsKeyword(sql, text, digits)}`

/** Reads only the text of the stay `s`, so that a page query can stop once its page is full. */
export const stayHasKeyword = (sql: SqlClient, { operatorId, text, digits }: KeywordParameters): Fragment => sql`(
  SELECT ${containsKeyword(sql, text, digits)} FROM stay_search_texts t
  WHERE t.operator_id = ${operatorId} AND t.stay_id = s.id)`

const readMatch = makeSingleRowReader(Schema.Struct({ total: Schema.Int, stay_ids: Schema.Array(Schema.Int) }))

export const matchKeyword =
  (sql: SqlClient) =>
  (operatorId: number, { text, digits }: Keyword): Effect.Effect<KeywordMatch> =>
    Effect.map(
      readMatch(sql`
        SELECT count(*) AS total,
          coalesce((array_agg(stay_id))[1:${sql.literal(String(MAX_STAY_IDS))}], '{}') AS stay_ids
        FROM (${selectStaysWithKeyword(sql, { operatorId, text, digits })}) matching`),
      ({ total, stay_ids }) => (total <= MAX_STAY_IDS ? { stayIds: stay_ids } : { keyword: { text, digits }, total })
    )
