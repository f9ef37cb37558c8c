import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { splitFragments } from "./rules/sentences.ts"
import { extractTerms, termNamesOf } from "./rules/terms.ts"

export interface KnowledgeFragment {
  readonly sub_title: string
  readonly text: string
  /** Names of terms, separated by blanks. */
  readonly searchable: string
}

export const toKnowledgeFragments = (entry: {
  readonly title: string
  readonly contents: ReadonlyArray<{ readonly sub_title: string; readonly text: string }>
}): ReadonlyArray<KnowledgeFragment> =>
  entry.contents.flatMap(({ sub_title, text }) =>
    splitFragments(text).map((fragmentText) => ({
      sub_title,
      text: fragmentText,
      searchable: Array.from(
        termNamesOf([entry.title, sub_title, fragmentText].flatMap((each) => extractTerms(each)))
      ).join(" ")
    }))
  )

/**
 * PostgreSQL's own parser would treat a Chinese sentence as one word. So the terms come from `extractTerms`, as those
 * of questions do.
 *
 * If `extractTerms` changes, a migration must make all entries `waiting` and raise their `revision`, because the
 * fragments of a revision are written only once.
 */
export const searchVectorSql = (sql: SqlClient, searchable: Fragment): Fragment =>
  sql`array_to_tsvector(string_to_array(${searchable}, ' '))`
