import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Givens } from "../../../platform/database/forms.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import type { KnowledgeFragment } from "../search/fragments.ts"
import { searchVectorSql } from "../search/fragments.ts"

// The statements that write down how preparing an entry ended. Each holds only of the entry as it was taken: one that was
// edited since is not `processing` any more, one that another worker has taken since has more attempts, and one that is gone has
// nothing. Done twice each is done once.

export interface InHand {
  readonly operator_id: number
  readonly id: number
  readonly attempts: number
}

const isClaimedCondition = (sql: SqlClient, { operator_id, id, attempts }: Givens<InHand>): Fragment => sql`
  operator_id = ${operator_id} AND id = ${id} AND attempts = ${attempts} AND process_status = 'processing'`

export interface CompleteEntryParameters extends InHand {
  readonly fragments: ReadonlyArray<KnowledgeFragment>
}

/** The entry is searched by these fragments from now on; those of former revisions go. */
export const settlingPrepared = (sql: SqlClient, parameters: Givens<CompleteEntryParameters>): Fragment => sql`
  WITH done AS (
    UPDATE knowledge_bases SET process_status = 'done', failures = 0, due_at = 'infinity'
    WHERE ${isClaimedCondition(sql, parameters)} RETURNING operator_id, id, revision
  ), former AS (
    DELETE FROM knowledge_fragments f USING done
    WHERE f.operator_id = done.operator_id AND f.knowledge_base_id = done.id AND f.revision < done.revision
  ), kept AS (
    INSERT INTO knowledge_fragments (operator_id, knowledge_base_id, revision, place, sub_title, text, words)
    SELECT done.operator_id, done.id, done.revision, f.place - 1, f.sub_title, f.text,
      ${searchVectorSql(sql, sql`f.searchable`)}
    FROM done, ROWS FROM (
      jsonb_to_recordset(${jsonParameter(parameters.fragments)}::jsonb) AS (sub_title text, text text, searchable text)
    ) WITH ORDINALITY AS f (sub_title, text, searchable, place)
  )
  SELECT id FROM done`

export interface FailEntryParameters extends InHand {
  /** Null: it has had all its tries, and waits for the next edit. */
  readonly nextTry: Date | null
}

/** It is tried again later, or not until it is edited. */
export const settlingFailed = (sql: SqlClient, parameters: Givens<FailEntryParameters>): Fragment => sql`
  UPDATE knowledge_bases SET process_status = 'failed', failures = failures + 1,
    due_at = coalesce(${parameters.nextTry}::timestamptz, 'infinity')
  WHERE ${isClaimedCondition(sql, parameters)} RETURNING id`

export interface ReleaseEntryParameters extends InHand {
  readonly now: Date
}

/** Gives an entry back as it was. */
export const releaseEntrySql = (sql: SqlClient, parameters: Givens<ReleaseEntryParameters>): Fragment => sql`
  UPDATE knowledge_bases SET process_status = 'waiting', due_at = ${parameters.now} WHERE ${isClaimedCondition(sql, parameters)}`
