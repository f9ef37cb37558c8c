import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { splitFragments } from "./rules/sentences.ts"
import { extractTerms, termNamesOf } from "./rules/terms.ts"

export interface KnowledgeFragment {
  readonly sub_title: string
  readonly text: string
  /** Terms separated by blanks, for `searchVectorSql`. */
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
 * The terms come from `extractTerms`, which also splits guests' questions. PostgreSQL's parser is not used, because it
 * splits texts in another way and treats a Chinese sentence as one word.
 *
 * If the extraction of terms changes, a migration must make all entries `waiting` and raise their `revision`, because
 * the fragments of a revision are written only once.
 */
export const searchVectorSql = (sql: SqlClient, searchable: Fragment): Fragment =>
  sql`array_to_tsvector(string_to_array(${searchable}, ' '))`
