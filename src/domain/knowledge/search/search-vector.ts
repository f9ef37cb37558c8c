import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * What a fragment is found by, as the database keeps it: each term of {@link KnowledgeFragment.searchable} is a lexeme as it
 * stands. No parser or dictionary of the database is asked: its parser makes one word of a Chinese sentence, and cuts others
 * otherwise than a question is cut. Whoever changes what terms are has every entry prepared again, by a migration that makes each `waiting`
 * and raises its revision: fragments of a revision are written once.
 */
export const searchVectorSql = (sql: SqlClient, searchable: Fragment): Fragment =>
  sql`array_to_tsvector(string_to_array(${searchable}, ' '))`
